#include "agents/benchmark/arms.h"
#include "planted_bench.h"

#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace warpmind::agents::benchmark {
namespace {

/// Notes what it was asked, and knows a little of everything.
class AskedStore final : public knowledge_base::KnowledgeStore {
 public:
  Result<Advice> recall(const knowledge_base::RecallQuery& query) const override {
    bottleneck = query.bottleneck;
    previous = query.previous_technique;
    insights = query.insights;
    Advice advice;
    advice.techniques = {{"good", 1.4, 1.2, 1.6, 0.9, 3, "device", ""},
                         {"bad", 0.8, 0.7, 0.9, 0.5, 3, "device", ""}};
    advice.moves = {{{"good", 1.5, 1.3, 1.7, 0.9, 3, "device"}, "1"},
                    {{"good", 0.7, 0.6, 0.8, 0.4, 3, "device"}, "2"},
                    {{"good", 1.2, 1.1, 1.3, 0.8, 3, "device"}, "3"}};
    advice.remembered = RememberedKernel{};
    advice.episodes_seen = 2;
    if (!query.insights) return advice;
    for (const auto kind : {InsightKind::positive, InsightKind::negative, InsightKind::composite}) {
      RetrievedInsight insight;
      insight.kind = kind;
      insight.utility.mean = 0.2;
      advice.insights.push_back(insight);
    }
    return advice;
  }
  Result<Job> add_job(const JobRequest& request, UnixMillis) override {
    ++writes;
    Job job;
    job.id = JobId("j-0000000099");
    job.request = request;
    return job;
  }
  Result<void> update_job(const Job&) override { return {}; }
  Result<std::optional<Job>> find_job(const JobId&) const override { return std::nullopt; }
  Result<std::vector<Job>> unfinished_jobs() const override { return std::vector<Job>{}; }
  Result<std::vector<Job>> recent_jobs(std::int64_t) const override { return std::vector<Job>{}; }
  Result<std::vector<Job>> recent_records(std::int64_t) const override {
    return std::vector<Job>{};
  }
  Result<WriteBackReceipt> commit(const Episode&, const Job&) override {
    ++writes;
    WriteBackReceipt receipt;
    receipt.sequence = 5;
    return receipt;
  }
  Result<std::optional<Episode>> find_episode(const EpisodeId&) const override {
    return std::nullopt;
  }
  Result<void> save_draft(const Draft&) override { return {}; }
  Result<std::optional<Draft>> find_draft(const EpisodeId&) const override { return std::nullopt; }
  Result<std::vector<Exchange>> find_exchanges(const EpisodeId&, std::size_t) const override {
    return std::vector<Exchange>{};
  }
  Result<StoreStatistics> statistics() const override { return StoreStatistics{}; }

  mutable BottleneckClass bottleneck = BottleneckClass::unknown;
  mutable std::string previous;
  mutable std::optional<knowledge_base::InsightQuery> insights;
  int writes = 0;
};

class Rules : public ::testing::Test {
 protected:
  /// The advice that `arm` hears.
  Advice hear(std::string_view arm, std::vector<Situation> elsewhere = {}) {
    const Arm* found = find_arm(arm);
    EXPECT_NE(found, nullptr) << arm;
    FilteredStore store(&base_, found->rules, 7, std::move(elsewhere));
    const Task task = planted_task("alpha", "copy");
    const DeviceIdentity device;
    const std::vector<std::string> techniques{"good", "bad"};
    knowledge_base::RecallQuery query{task, BottleneckClass::low_occupancy, device, Provider::gpu,
                                      techniques};
    query.previous_technique = "before";
    query.insights = knowledge_base::InsightQuery{};
    query.insights->operator_family = "copy";
    query.insights->seed = 11;
    auto advice = store.recall(query);
    EXPECT_TRUE(advice);
    return advice ? *advice : Advice{};
  }

  AskedStore base_;
};

TEST_F(Rules, WithoutMemoryNothingIsHeard) {
  EXPECT_EQ(hear("none"), Advice{});
  EXPECT_FALSE(base_.insights) << "nor asked";
}

TEST_F(Rules, TheProductHearsAllButItsOwnKernel) {
  const Advice advice = hear("pretrained-growing");

  EXPECT_EQ(advice.techniques.size(), 2U);
  EXPECT_EQ(advice.insights.size(), 3U);
  EXPECT_FALSE(advice.remembered);
  EXPECT_EQ(base_.bottleneck, BottleneckClass::low_occupancy);
  EXPECT_EQ(base_.previous, "before");
  EXPECT_EQ(base_.insights->operator_family, "copy");
  EXPECT_NE(base_.insights->seed, 11U) << "copies of one base draw differently";
}

TEST_F(Rules, OnlySameAgainRemembersTheKernel) {
  for (const auto& arm : all_arms()) {
    EXPECT_EQ(hear(arm.name).remembered.has_value(), arm.name == "same-again") << arm.name;
  }
}

TEST_F(Rules, EachAblationLacksItsPart) {
  EXPECT_TRUE(hear("no-reflection").insights.empty());
  EXPECT_EQ(hear("no-reflection").techniques.size(), 2U);
  EXPECT_TRUE(hear("no-stats").techniques.empty());
  EXPECT_TRUE(hear("no-stats").moves.empty());
  EXPECT_EQ(hear("no-stats").insights.size(), 3U);
  EXPECT_TRUE(hear("docs-only").techniques.empty());
  const Advice without_order = hear("graph-off");
  EXPECT_EQ(base_.previous, "");
  EXPECT_EQ(without_order.insights.size(), 2U);
  const Advice without_failures = hear("no-negatives");
  EXPECT_EQ(without_failures.insights.size(), 2U);
  EXPECT_EQ(without_failures.techniques[0].observations, 3);
  EXPECT_EQ(without_failures.techniques[1].observations, 0) << "a loss is as good as unknown";
  EXPECT_EQ(without_failures.techniques[1].feasibility, 1);
  ASSERT_EQ(without_failures.moves.size(), 2U);
  EXPECT_EQ(without_failures.moves[0].feasibility, 1);
  EXPECT_EQ(without_failures.moves[1].parameters, "3");
}

TEST_F(Rules, GrowStartsWithoutTheSeed) {
  static_cast<void>(hear("grow"));
  EXPECT_EQ(base_.insights->least_trust, Trust::t1);
  static_cast<void>(hear("pretrained-frozen"));
  EXPECT_EQ(base_.insights->least_trust, Trust::t0);
}

TEST_F(Rules, PlaceboAsksAboutOtherFamilies) {
  Situation other;
  other.bottleneck = BottleneckClass::register_spills;
  other.query.operator_family = "gemm";
  other.query.dtypes = {Dtype::f64};
  other.query.text = "gemm words";

  const Advice advice = hear("placebo", {other});

  EXPECT_EQ(base_.bottleneck, BottleneckClass::register_spills);
  EXPECT_EQ(base_.insights->operator_family, "gemm");
  EXPECT_EQ(base_.insights->dtypes, std::vector<Dtype>{Dtype::f64});
  EXPECT_EQ(base_.insights->text, "gemm words");
  EXPECT_EQ(advice.techniques.size(), 2U) << "as much advice as otherwise";
  EXPECT_EQ(advice.insights.size(), 3U);
}

TEST_F(Rules, PlaceboHearsOfEachMoveWhatIsTrueOfAnother) {
  const auto known = hear("pretrained-growing").moves;

  const auto mixed = hear("placebo").moves;

  ASSERT_EQ(mixed.size(), known.size());
  std::multiset<double> gains;
  std::multiset<double> mixed_gains;
  for (std::size_t i = 0; i < known.size(); ++i) {
    EXPECT_EQ(mixed[i].parameters, known[i].parameters);
    gains.insert(known[i].predicted_gain);
    mixed_gains.insert(mixed[i].predicted_gain);
  }
  EXPECT_NE(mixed, known);
  EXPECT_EQ(mixed_gains, gains) << "the amount of advice stays";
}

TEST_F(Rules, ReadOnlyArmsWriteNothing) {
  FilteredStore frozen(&base_, find_arm("pretrained-frozen")->rules, 1);
  const auto first = frozen.add_job({}, {});
  const auto second = frozen.add_job({}, {});

  ASSERT_TRUE(first && second);
  EXPECT_NE(first->id, second->id);
  EXPECT_EQ(frozen.commit({}, *first)->sequence, 0);
  EXPECT_EQ(base_.writes, 0);

  FilteredStore growing(&base_, find_arm(kProduct)->rules, 1);
  EXPECT_EQ(growing.add_job({}, {})->id, JobId("j-0000000099"));
  EXPECT_EQ(growing.commit({}, {})->sequence, 5);
  EXPECT_EQ(base_.writes, 2);
}

TEST(Arms, AreThoseOfThePlan) {
  std::set<std::string_view> names;
  for (const auto& arm : all_arms()) names.insert(arm.name);

  EXPECT_EQ(names.size(), all_arms().size());
  EXPECT_EQ(all_arms().front().name, kControl);
  for (const auto& planned : planned_comparisons()) {
    EXPECT_TRUE(names.contains(planned.arm)) << planned.arm;
    EXPECT_TRUE(names.contains(planned.against)) << planned.against;
  }
  EXPECT_EQ(find_arm("nobody"), nullptr);
}

}  // namespace
}  // namespace warpmind::agents::benchmark
