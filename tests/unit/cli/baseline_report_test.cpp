#include "clients/cli/report/baseline_report.h"

#include <gmock/gmock.h>

namespace warpmind::clients {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

daemon::protocol::LibraryBaselineResult timed() {
  daemon::protocol::LibraryBaselineResult result;
  result.task = "gemm_f16";
  result.verdict.outcome = Outcome::same;
  Measurement measurement;
  measurement.device.name = "NVIDIA H200";
  measurement.workload = "square";
  measurement.median_ns = 512'000;
  measurement.best_library = {"cuBLASLt 13.1.0", "cublasLtMatmul, algorithm 2 of 8", 9010, ""};
  measurement.limit = {.ns = 2800, .by = LimitedBy::launch};
  result.verdict.measurement = measurement;
  return result;
}

TEST(BaselineReport, ShowsBothTimesAndWhatTheyAreToEachOther) {
  auto result = timed();
  result.verdict.stages.push_back({Stage::library, 9.5, true, "0.018x of …; tried: all of them"});
  EXPECT_THAT(render_baseline(result, {}),
              AllOf(HasSubstr("gemm_f16 on NVIDIA H200, workload square"), HasSubstr("512 µs"),
                    HasSubstr("cuBLASLt 13.1.0"), HasSubstr("9.01 µs"),
                    HasSubstr("algorithm 2 of 8"), HasSubstr("one kernel launch"),
                    HasSubstr("0.018× as fast as the library"), HasSubstr("tried: all of them")));
}

TEST(BaselineReport, SaysWhyThereIsNone) {
  auto result = timed();
  result.verdict.measurement->best_library = {"", "", 0,
                                              "no library call is known that computes this"};
  EXPECT_THAT(render_baseline(result, {}),
              AllOf(HasSubstr("512 µs"), HasSubstr("no library call is known"),
                    Not(HasSubstr("as fast as"))));
  result.verdict.measurement.reset();
  result.verdict.reason = "wrong at tiny/normal y[3]";
  EXPECT_THAT(render_baseline(result, {}),
              AllOf(HasSubstr("nothing was timed"), HasSubstr("wrong at tiny/normal")));
}

}  // namespace
}  // namespace warpmind::clients
