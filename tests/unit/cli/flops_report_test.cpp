#include "clients/cli/report/flops_report.h"

#include <gmock/gmock.h>

namespace warpmind::clients {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
namespace protocol = daemon::protocol;

protocol::FlopsCountResult counted_task() {
  protocol::FlopsCountResult result;
  result.name = "gemm";
  result.architecture = "sm_90";
  protocol::CountedLaunch known;
  known.workload = "tiny";
  known.kernel = "gemm";
  known.operations = {{"f32_fma", 1024}, {"load_global", 2048}, {"store_global", 64}};
  known.flops = {{"f32", 2048}};
  known.total_flops = 2048;
  protocol::CountedLaunch unknown;
  unknown.workload = "sparse";
  unknown.kernel = "rows";
  unknown.undecided = "line 12: a condition depends on values that are loaded";
  result.launches = {known, unknown};
  result.workloads = {{"tiny", 2048, true, 1024}, {"sparse", 0, false, 99}};
  return result;
}

TEST(FlopsReport, LaunchesAndTheirDistanceToTheModel) {
  const std::string text = render_flops(counted_task(), {});
  EXPECT_THAT(text,
              AllOf(HasSubstr("counted from code for sm_90; no GPU was used"), HasSubstr("2 048"),
                    HasSubstr("2.00×"), HasSubstr("rows on 'sparse' cannot be counted: line 12")));
  EXPECT_THAT(text, HasSubstr("unknown")) << "no number where none is known";
}

TEST(FlopsReport, AProgramsLaunchesAreGroupedAndTheirSumSaysWhetherItIsWhole) {
  protocol::FlopsCountResult result;
  result.architecture = "sm_90";
  protocol::CountedLaunch step;
  step.kernel = "step";
  step.grid = {64, 2, 1};
  step.block = {256, 1, 1};
  step.times = 10;
  step.total_flops = 1500;
  result.launches = {step};
  result.workloads = {{"", 15000, true, 0}};
  EXPECT_THAT(render_flops(result, {}), AllOf(HasSubstr("64×2"), HasSubstr("1 500"),
                                              HasSubstr("all launches: 15 000 flops")));
  step.kernel = "search";
  step.undecided = "line 3: a condition depends on values that are loaded";
  result.launches.push_back(step);
  result.workloads.front().complete = false;
  EXPECT_THAT(render_flops(result, {}), AllOf(HasSubstr("launches that were counted: 15 000 flops"),
                                              HasSubstr("search cannot be counted: line 3")));
}

TEST(FlopsReport, LoopsArePerPassAndAParentThatIsNoneDoesNoHarm) {
  protocol::FlopsCountResult result;
  result.architecture = "sm_90";
  protocol::CountedKernel kernel;
  kernel.kernel = "k\x1b[31m";
  kernel.source = CountSource::ptx;
  kernel.regions = {{{-1, 1, 9}, {{"integer", 3}}, {}},
                    {{0, 3, 5}, {{"f32_fma", 4}}, {{"f32", 8}}},
                    {{77, 0, 0}, {}, {}},
                    {{3, 0, 0}, {}, {}}};
  result.kernels = {kernel};
  const std::string text = render_flops(result, {});
  EXPECT_THAT(text, AllOf(HasSubstr("outside loops, line 1 to 9"),
                          HasSubstr("a pass of the loop, line 3 to 5"), HasSubstr("8 f32"),
                          HasSubstr("f32_fma 4"), Not(HasSubstr("\x1b["))));
}

}  // namespace
}  // namespace warpmind::clients
