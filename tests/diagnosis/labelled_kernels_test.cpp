// What the diagnosis says of kernels that an expert labelled, from their counters as recorded on an
// H200. The figures asserted are those that were reached (docs/results/2026-11-27-diagnosis.md).
#include "base/file.h"
#include "tests/diagnosis/diagnosis_score.h"

#include <gtest/gtest.h>

namespace warpmind::diagnosis {
namespace {

const std::filesystem::path kFolder = WARPMIND_SOURCE_DIR "/tests/diagnosis";
constexpr double kLeastFirst = 0.80;
constexpr double kLeastFirstTwo = 0.95;
constexpr double kLeastAdvice = 0.70;

double share(int part, int all) { return static_cast<double>(part) / std::max(all, 1); }

class LabelledKernels : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto cases = load_labelled_cases(kFolder);
    ASSERT_TRUE(cases) << cases.error().message;
    cases_ = std::move(*cases);
    const auto devices = config::DeviceTable::load();
    ASSERT_TRUE(devices) << devices.error().message;
    auto diagnosed = diagnose_recorded(cases_, kFolder / "recordings" / "h200", *devices);
    ASSERT_TRUE(diagnosed) << diagnosed.error().message;
    diagnosed_ = std::move(*diagnosed);
  }

  static std::vector<LabelledCase> cases_;
  static std::vector<DiagnosedCase> diagnosed_;
};

std::vector<LabelledCase> LabelledKernels::cases_;
std::vector<DiagnosedCase> LabelledKernels::diagnosed_;

TEST_F(LabelledKernels, TheFirstCauseIsTheExperts) {
  const auto score = score_of(diagnosed_, CasePart::all);
  ASSERT_GE(score.cases, 64);
  EXPECT_GE(share(score.first, score.cases), kLeastFirst);
  EXPECT_GE(share(score.first_two, score.cases), kLeastFirstTwo);
}

TEST_F(LabelledKernels, ThoseThatNothingWasTunedOnAreNoWorse) {
  const auto score = score_of(diagnosed_, CasePart::held_out);
  EXPECT_GE(share(score.first, score.cases), kLeastFirst);
  EXPECT_GE(share(score.first_two, score.cases), kLeastFirstTwo);
}

TEST_F(LabelledKernels, EachCauseHasItsCostAndASentenceWithoutMetricNames) {
  for (const auto& one : diagnosed_) {
    double before = 1;
    for (const auto& cause : one.bottleneck.causes) {
      EXPECT_LE(cause.at_stake_ns, one.time_ns * 1.0001) << one.label->name;
      EXPECT_EQ(cause.explanation.find("__"), std::string::npos) << cause.explanation;
      if (cause.which == BottleneckClass::at_limit) continue;
      EXPECT_LE(cause.share, before) << one.label->name << ": costliest first";
      before = cause.share;
    }
  }
}

TEST_F(LabelledKernels, TheFirstLineOfAdviceFits) {
  const auto judged = read_judged_advice(kFolder / "advice_judged.tsv");
  ASSERT_TRUE(judged) << judged.error().message;
  add_advice(diagnosed_);
  int fits = 0;
  for (const auto& one : diagnosed_) {
    const auto found = judged->find(one.label->name);
    ASSERT_NE(found, judged->end()) << one.label->name << ": nobody judged its advice";
    EXPECT_EQ(found->second.text, one.advice)
        << one.label->name << ": another line than the one that was judged";
    if (found->second.fits) ++fits;
  }
  EXPECT_GE(share(fits, static_cast<int>(diagnosed_.size())), kLeastAdvice);
}

}  // namespace
}  // namespace warpmind::diagnosis
