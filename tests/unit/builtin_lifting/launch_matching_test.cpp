#include "agents/builtin/lifting/launch_matching.h"

#include <gtest/gtest.h>

namespace warpmind::agents::builtin {
namespace {

TEST(SourceName, ComesFromTheLinkersName) {
  EXPECT_EQ(source_name("_Z8sum_rowsPKfPfix"), "sum_rows");
  EXPECT_EQ(source_name("plain"), "plain");
  EXPECT_EQ(source_name("f"), "f") << "of extern \"C\", no mangled float";
  EXPECT_EQ(source_name("_ZN3lab3sumEPf"), "sum");
  EXPECT_EQ(source_name("_ZN12_GLOBAL__N_15scaleEPKfPffi"), "scale");
  EXPECT_EQ(source_name("__nv_static_51__38_tmpxft_1_a_cu_f1b62a4c__Z1kPf"), "k");
  EXPECT_EQ(source_name("_Z6reduceILi8EEvPf"), "reduce");
  EXPECT_EQ(source_name("_ZN1a6reduceIL4Mode1EEEvPf"), "reduce");
  EXPECT_EQ(source_name(""), "");
}

profilers::ProgramRecord record_of(const std::vector<std::string>& kernels) {
  profilers::ProgramRecord record;
  for (const auto& kernel : kernels) {
    record.launches.push_back({{{1, 1, 1}, {32, 1, 1}}, {0, record.launches.size()}, kernel, {}});
  }
  return record;
}

TEST(LaunchesBeforeRepetition, FindsTheShortestSequence) {
  EXPECT_EQ(launches_before_repetition(record_of({})), 0U);
  EXPECT_EQ(launches_before_repetition(record_of({"a"})), 1U);
  EXPECT_EQ(launches_before_repetition(record_of({"a", "a", "a"})), 1U);
  EXPECT_EQ(launches_before_repetition(record_of({"a", "b", "a", "b"})), 2U);
  EXPECT_EQ(launches_before_repetition(record_of({"a", "b", "a"})), 3U) << "it ends in the middle";
  EXPECT_EQ(launches_before_repetition(record_of({"a", "a", "b", "a", "a", "b"})), 3U);
}

}  // namespace
}  // namespace warpmind::agents::builtin
