#include "tests/bench/limit_bench/limit_cases.h"

#include "config/device_table.h"

#include <set>

#include <gtest/gtest.h>

namespace warpmind::bench {
namespace {

DeviceSpec h200() { return config::DeviceTable::load()->find("h200").value(); }

const DeviceFloors kFloors{2000, {{16'384, 2100}, {1 << 28, 62'000}}};

Limit limit_of_case(const LimitCase& one) {
  return limit_of({one.task, one.task.workloads.front(), h200(), &kFloors, nullptr, one.hot_bytes});
}

LimitCase named(const std::string& name) {
  for (auto& one : limit_cases("bin/k", "bin/l", h200())) {
    if (one.name == name) return one;
  }
  ADD_FAILURE() << name;
  return {};
}

TEST(LimitCases, AreTwelveAtLeastAndEachHasALimit) {
  const auto all = limit_cases("bin/k", "bin/l", h200());
  EXPECT_GE(all.size(), 12U);
  EXPECT_EQ(limit_cases("bin/k", "", h200()).size(), all.size() - 2) << "cuBLAS runs two";
  std::set<std::string> names;
  for (const auto& one : all) {
    const Limit limit = limit_of_case(one);
    EXPECT_GT(limit.ns, 0) << one.name << ": " << limit.unknown;
    EXPECT_FALSE(one.source.empty()) << one.name;
    names.insert(one.name);
  }
  EXPECT_EQ(names.size(), all.size());
}

TEST(LimitCases, AreLimitedByWhatTheyAreMadeFor) {
  for (const auto& [name, by] :
       {std::pair{"launch_only", LimitedBy::launch}, std::pair{"copy", LimitedBy::memory},
        std::pair{"triad", LimitedBy::memory}, std::pair{"transpose", LimitedBy::memory},
        std::pair{"read_2mib", LimitedBy::memory}, std::pair{"read_l2", LimitedBy::l2},
        std::pair{"fma_f32", LimitedBy::arithmetic}, std::pair{"fma_f64", LimitedBy::arithmetic},
        std::pair{"gemm_f16", LimitedBy::arithmetic},
        std::pair{"gemm_f32", LimitedBy::arithmetic}}) {
    EXPECT_EQ(name_of(limit_of_case(named(name)).by), name_of(by)) << name;
  }
  EXPECT_EQ(limit_of_case(named("gemm_f16")).peak, "FP16 tensor cores");
  EXPECT_EQ(limit_of_case(named("gemm_f32")).peak, "FP32");
  EXPECT_EQ(limit_of_case(named("fma_f64")).peak, "FP64");
}

TEST(LimitCases, ReadEveryByteThatTheyClaim) {
  for (const auto& [name, accesses] :
       {std::pair{"read_2mib", 1}, std::pair{"read_48mib", 1}, std::pair{"copy", 4},
        std::pair{"triad", 2}, std::pair{"fill", 4}}) {
    const LimitCase one = named(name);
    const auto& launch = one.run_case.candidate.launches.front();
    EXPECT_EQ(std::int64_t{launch.grid[0]} * launch.block[0] * accesses * 16,
              one.run_case.buffers.front().bytes)
        << name;
  }
}

TEST(KnownShare, IsOfTheLibraryTheClockOrTheRecordAndElseUnknown) {
  const SessionFacts facts{{{"copy", 123'000.0}, {"gemm_f16", 1.5e6}}, 1800};
  const LimitCase copy = named("copy");
  const Limit limit = limit_of_case(copy);
  EXPECT_NEAR(*known_share(copy, limit, h200(), facts), limit.ns / 123'000, 1e-9);
  EXPECT_NEAR(*known_share(named("triad"), limit, h200(), facts), limit.ns / (0.75 * 123'000),
              1e-9);
  EXPECT_FALSE(known_share(named("fill"), limit, h200(), facts)) << "nothing timed it";
  const LimitCase fma = named("fma_f32");
  EXPECT_NEAR(*known_share(fma, limit_of_case(fma), h200(), facts), 1800.0 / 1980, 0.01);
  EXPECT_FALSE(known_share(fma, limit_of_case(fma), h200(), {})) << "no clock";
  DeviceSpec other = h200();
  other.key = "a100_80";
  EXPECT_TRUE(known_share(named("transpose"), limit, h200(), {}));
  EXPECT_FALSE(known_share(named("transpose"), limit, other, {}));
  EXPECT_FALSE(known_share(named("read_l2"), limit, other, {}));
  Limit of_table = limit;
  of_table.measured = false;
  EXPECT_FALSE(known_share(named("read_2mib"), of_table, h200(), {}));
}

TEST(KnownShare, AllowsFivePoints) {
  EXPECT_TRUE(agrees(0.93, 0.97));
  EXPECT_TRUE(agrees(0.97, 0.93));
  EXPECT_FALSE(agrees(0.90, 0.96));
}

TEST(LibraryTimes, LeaveOutWhatFailed) {
  const auto times = library_times("copy 123.5\nfill 0.0\nnonsense\ngemm_f16 7\n");
  EXPECT_EQ(times.size(), 2U);
  EXPECT_EQ(times.at("copy"), 123.5);
}

}  // namespace
}  // namespace warpmind::bench
