#include "knowledge_base/recall.h"

#include "knowledge_base/evidence.h"
#include "tests/fakes/sample_episodes.h"

#include <cmath>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::knowledge_base {
namespace {

using testing::HasSubstr;

/// Statistics as a base would hold them, filled with single tries.
class Statistics {
 public:
  void tried(const std::string& from, const std::string& to, double gain,
             const DeviceIdentity& device = fakes::h200(), const std::string& state = "",
             Provider provider = Provider::gpu) {
    Evidence evidence;
    evidence.scope = {provider, to, BottleneckClass::memory_latency, device};
    evidence.confirmed_log_gain = std::log(gain);
    evidence.feasible = true;
    evidence.toolchain = {"13.0", device.driver};
    for (const auto& key : chain_of(evidence.scope)) add(posteriors_[key], evidence);
    EdgeKey key{{provider, from, to, "", "", ""}, EdgeLevel::edge};
    add(edges_[key], evidence);
    for (const auto& cluster : {std::string("memory_latency"), state}) {
      if (cluster.empty()) continue;
      key = {{provider, from, to, cluster, "", ""}, EdgeLevel::cluster};
      add(edges_[key], evidence);
      key.level = EdgeLevel::family;
      key.family = architecture_of(device.compute_major, device.compute_minor);
      add(edges_[key], evidence);
      key = {{provider, from, to, cluster, "", device.name}, EdgeLevel::device};
      add(edges_[key], evidence);
    }
  }

  struct Situation {
    std::string previous = {};
    DeviceIdentity device = fakes::h200();
    std::string state = {};
    std::string toolkit = {};
    Provider provider = Provider::gpu;
  };

  [[nodiscard]] TechniqueAdvice ask(const std::string& technique, const Situation& at,
                                    bool with_order = true) const {
    const std::vector<std::string> techniques{technique};
    RecallQuery query{task_, BottleneckClass::memory_latency, at.device, at.provider, techniques};
    query.previous_technique = at.previous;
    query.toolkit = at.toolkit;
    TransitionSource order;
    if (with_order) {
      order.counts = [this](const EdgeKey& key) -> Result<PosteriorCounts> {
        const auto found = edges_.find(key);
        return found == edges_.end() ? PosteriorCounts{} : found->second;
      };
    }
    order.cluster = at.state;
    const auto lookup = [this](const PosteriorKey& key) -> Result<PosteriorCounts> {
      const auto found = posteriors_.find(key);
      return found == posteriors_.end() ? PosteriorCounts{} : found->second;
    };
    return rank_techniques(query, lookup, order).value().front();
  }

 private:
  Task task_ = fakes::sample_task("scale");
  std::map<PosteriorKey, PosteriorCounts> posteriors_;
  std::map<EdgeKey, PosteriorCounts> edges_;
};

double width(const TechniqueAdvice& advice) { return std::log(advice.gain_high / advice.gain_low); }

Statistics order_matters() {
  Statistics statistics;
  for (int i = 0; i < 5; ++i) {
    statistics.tried("a", "b", 1.6);
    statistics.tried("", "b", 0.7);
  }
  return statistics;
}

TEST(RankTechniques, KnowsWhatATechniqueIsWorthAfterAnother) {
  const Statistics statistics = order_matters();

  const auto after_a = statistics.ask("b", {.previous = "a"});
  const auto first = statistics.ask("b", {});
  const auto anywhere = statistics.ask("b", {}, false);

  EXPECT_GT(after_a.predicted_gain, 1.2);
  EXPECT_GT(after_a.gain_high, 1.5);
  EXPECT_LT(first.predicted_gain, 0.9);
  EXPECT_NEAR(anywhere.predicted_gain, 1.05, 0.06) << "without order the two cancel";
  EXPECT_THAT(after_a.why, HasSubstr("1.60x mean gain, 5 measurements right after a at "
                                     "memory_latency on NVIDIA H200"));
  EXPECT_EQ(after_a.observations, 5);
  EXPECT_EQ(after_a.scope, "device");
  EXPECT_EQ(first.observations, 10) << "no previous technique may also mean that it is not known";
}

TEST(RankTechniques, ATransitionNobodyTriedIsLessCertain) {
  const Statistics statistics = order_matters();

  const auto known = statistics.ask("b", {}, false);
  const auto fresh = statistics.ask("b", {.previous = "c"});

  EXPECT_NEAR(fresh.predicted_gain, known.predicted_gain, 1e-9);
  EXPECT_GT(width(fresh), width(known));
  EXPECT_EQ(fresh.observations, 10);
}

TEST(RankTechniques, ANewDeviceLearnsTheOrderFromItsFamily) {
  const Statistics statistics = order_matters();

  const auto here = statistics.ask("b", {.previous = "a"});
  const auto sibling = statistics.ask("b", {.previous = "a", .device = fakes::h100()});
  const auto stranger = statistics.ask("b", {.previous = "a", .device = fakes::a100()});

  EXPECT_NEAR(sibling.predicted_gain, here.predicted_gain, 1e-9);
  EXPECT_GT(width(sibling), width(here));
  EXPECT_EQ(sibling.scope, "family");
  EXPECT_NEAR(stranger.predicted_gain, here.predicted_gain, 1e-9);
  EXPECT_GT(width(stranger), width(here));
  EXPECT_EQ(stranger.scope, "technique");
}

TEST(RankTechniques, TheStateAtHandIsNarrowerThanItsClass) {
  Statistics statistics;
  for (int i = 0; i < 5; ++i) {
    statistics.tried("a", "b", 1.1);
    statistics.tried("a", "b", 2, fakes::h200(), "memory_latency/3");
  }

  const auto in_class = statistics.ask("b", {.previous = "a"});
  const auto in_state = statistics.ask("b", {.previous = "a", .state = "memory_latency/3"});
  const auto elsewhere = statistics.ask("b", {.previous = "a", .state = "memory_latency/4"});

  EXPECT_GT(in_state.predicted_gain, in_class.predicted_gain);
  EXPECT_EQ(elsewhere, in_class) << "a state that saw nothing adds nothing";
}

TEST(RankTechniques, EvidenceOfOneProviderNeverChangesAnothersEstimate) {
  Statistics statistics;
  statistics.tried("a", "b", 1.2);
  const auto before = statistics.ask("b", {.previous = "a"});

  for (int i = 0; i < 20; ++i) {
    statistics.tried("a", "b", 9, fakes::h200(), "", Provider::sim);
    statistics.tried("a", "b", 9, fakes::h200(), "", Provider::fixture);
  }

  EXPECT_EQ(statistics.ask("b", {.previous = "a"}), before);
  EXPECT_GT(statistics.ask("b", {.previous = "a", .provider = Provider::sim}).predicted_gain, 5);
}

TEST(RankTechniques, ANewToolkitWidens) {
  const Statistics statistics = order_matters();

  const auto same = statistics.ask("b", {.previous = "a", .toolkit = "13.0"});
  const auto next = statistics.ask("b", {.previous = "a", .toolkit = "13.2"});
  const auto unknown = statistics.ask("b", {.previous = "a"});

  EXPECT_EQ(unknown, same);
  EXPECT_EQ(next.predicted_gain, same.predicted_gain);
  EXPECT_NEAR(width(next) / width(same), std::sqrt(1.3), 1e-9);
}

}  // namespace
}  // namespace warpmind::knowledge_base
