#include "agents/first_advice.h"

#include "knowledge_base/packs/seed.h"
#include "tests/unit/agents/planted_task.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::agents {
namespace {

using testing::HasSubstr;
using testing::Not;

class FirstAdviceTest : public testing::Test {
 protected:
  void limited_by(BottleneckClass which, const std::string& decider = "") {
    bottleneck_.primary = which;
    bottleneck_.deciders = {{decider, 1, 0.0, "x"}};
  }
  [[nodiscard]] ProposalContext context() const {
    return {task_, task_.kernel, bottleneck_, advice_, device_};
  }
  [[nodiscard]] std::string said() const { return advise_first(context()).text; }

  Task task_ = planted_task();
  Bottleneck bottleneck_;
  Advice advice_;
  DeviceSpec device_;
};

TEST_F(FirstAdviceTest, NothingIsAnAnswer) {
  EXPECT_THAT(said(), HasSubstr("Nothing is known that fits this kernel"));
  limited_by(BottleneckClass::at_limit);
  EXPECT_THAT(said(), HasSubstr("Nothing to do: it is at the limit"));
}

TEST_F(FirstAdviceTest, FitsTheCause) {
  limited_by(BottleneckClass::launch_overhead);
  EXPECT_THAT(said(), HasSubstr("one launch"));
  limited_by(BottleneckClass::thread_divergence);
  EXPECT_THAT(said(), HasSubstr("refill lanes"));
}

TEST_F(FirstAdviceTest, IsNotGivenForWhatTheKernelDoesNotDo) {
  limited_by(BottleneckClass::shared_bank_conflicts);
  EXPECT_THAT(said(), HasSubstr("Nothing is known")) << "it has no shared memory";
  limited_by(BottleneckClass::low_parallelism);
  EXPECT_THAT(said(), Not(HasSubstr("Split k"))) << "it is no contraction";

  task_.contract.tolerance = ToleranceClass::contraction;
  EXPECT_THAT(said(), HasSubstr("Split k over blocks"));
}

TEST_F(FirstAdviceTest, NamesACardThatNamesTheCause) {
  const auto seed = knowledge_base::embedded_seed();
  ASSERT_TRUE(seed);
  task_.kernel.source =
      "__global__ void k(float* a) { __shared__ float t[8]; for (int i = 0; i < 8; ++i) { "
      "__syncthreads(); switch (i) { default: t[i] = a[i / 3 + i % 3]; } } a[0] = t[1]; }";
  for (int i = 0; i < static_cast<int>(BottleneckClass::unknown); ++i) {
    limited_by(static_cast<BottleneckClass>(i));
    const auto advice = advise_first(context());
    EXPECT_EQ(advice.against, bottleneck_.primary);
    if (advice.technique.empty()) continue;
    const auto card =
        std::find_if(seed->techniques.begin(), seed->techniques.end(),
                     [&](const Technique& one) { return one.name == advice.technique; });
    EXPECT_NE(card, seed->techniques.end()) << advice.technique;
  }
  for (const auto which : {BottleneckClass::wave_tail, BottleneckClass::load_imbalance}) {
    limited_by(which);
    const auto advice = advise_first(context());
    const auto card =
        std::find_if(seed->techniques.begin(), seed->techniques.end(),
                     [&](const Technique& one) { return one.name == advice.technique; });
    ASSERT_NE(card, seed->techniques.end()) << name_of(which);
    EXPECT_THAT(card->bottlenecks, testing::Contains(which));
  }
}

TEST_F(FirstAdviceTest, DependsOnWhatDecides) {
  limited_by(BottleneckClass::compute_throughput, "warpmind__fp64_pipe_pct");
  EXPECT_THAT(said(), HasSubstr("No double precision"));
  limited_by(BottleneckClass::compute_throughput, "warpmind__special_pipe_pct");
  EXPECT_THAT(said(), HasSubstr("__expf"));
}

TEST_F(FirstAdviceTest, TechniquesThatDoNotApplyAreTakenOut) {
  limited_by(BottleneckClass::memory_latency);
  const auto known = [](const char* technique, const char* scope) {
    TechniqueAdvice one;
    one.technique = technique;
    one.scope = scope;
    one.observations = 3;
    return one;
  };
  Advice advice;
  advice.techniques = {known("tiled_transpose", "device"), known("unroll", "technique"),
                       known("flash_attention", "technique"), known("cache_hints", "family")};

  keep_what_fits(context(), advice);

  std::vector<std::string> left;
  for (const auto& one : advice.techniques) left.push_back(one.technique);
  EXPECT_THAT(left, testing::ElementsAre("unroll", "cache_hints"));
  EXPECT_FALSE(advice.first.empty());
}

}  // namespace
}  // namespace warpmind::agents
