#include "profilers/program/kernel_times.h"

#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace {

KernelRun timed(const std::string& name, std::uint64_t start, std::uint64_t nanoseconds) {
  KernelRun run;
  run.kernel = name;
  run.start_ns = start;
  run.end_ns = start + nanoseconds;
  return run;
}

TEST(PlainKernelName, IsTheNameInTheSource) {
  EXPECT_EQ(plain_kernel_name("_Z3addPKfPfi"), "add");
  EXPECT_EQ(plain_kernel_name("_ZN4rows3sumIfEEvPKT_PS1_ii"), "rows::sum");
  EXPECT_EQ(plain_kernel_name("_ZN12_GLOBAL__N_14fillEPfi"), "(anonymous)::fill");
  EXPECT_EQ(plain_kernel_name("extern_c_kernel"), "extern_c_kernel");
  EXPECT_EQ(plain_kernel_name(""), "");
}

TEST(TimesPerKernel, AreAddedUpByName) {
  const auto selection = KernelSelection::compile({"sum|add"}).value();
  KernelRecord record;
  record.runs = {timed("_Z3addPKfPfi", 0, 100), timed("_ZN4rows3sumIfEEvPKT_PS1_ii", 100, 500),
                 timed("_ZN4rows3sumIdEEvPKT_PS1_ii", 600, 700), timed("_Z4fillPfi", 1400, 50),
                 timed("_ZN4rows3sumIfEEvPKT_PS1_ii", 1500, 900)};

  const auto times = times_per_kernel(record, selection);

  ASSERT_EQ(times.size(), 3U);
  EXPECT_EQ(times[0].kernel, "rows::sum");
  EXPECT_EQ(times[0].launches, 3);
  EXPECT_DOUBLE_EQ(times[0].total_ns, 2100);
  EXPECT_DOUBLE_EQ(times[0].median_ns, 700);
  EXPECT_DOUBLE_EQ(times[0].least_ns, 500);
  EXPECT_TRUE(times[0].timed) << "the last part of a name is enough";
  EXPECT_EQ(times[1].kernel, "add");
  EXPECT_TRUE(times[1].timed);
  EXPECT_EQ(times[2].kernel, "fill");
  EXPECT_FALSE(times[2].timed);
}

TEST(TimesPerKernel, TakeTheMiddleOfAnEvenNumber) {
  const auto selection = KernelSelection::compile({".*"}).value();
  KernelRecord record;
  record.runs = {timed("k", 0, 40), timed("k", 0, 10), timed("k", 0, 20), timed("k", 0, 90)};

  EXPECT_DOUBLE_EQ(times_per_kernel(record, selection).at(0).median_ns, 30);
}

TEST(KernelSelection, NamesThePatternThatTakesNothing) {
  const auto selection = KernelSelection::compile({"rows::.*", "fill", "scan.*"}).value();
  std::vector<KernelTimes> kernels(2);
  kernels[0].kernel = "rows::sum";
  kernels[1].kernel = "fill";

  EXPECT_EQ(selection.idle_pattern(kernels), "scan.*");
  EXPECT_FALSE(selection.takes("fill_all")) << "the whole name must match";
}

}  // namespace
}  // namespace warpmind::profilers
