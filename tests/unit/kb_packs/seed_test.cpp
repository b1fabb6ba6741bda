#include "knowledge_base/packs/seed.h"

#include "agents/builtin/skills/skill_library.h"
#include "agents/builtin/technique.h"
#include "config/device_table.h"
#include "knowledge_base/insights/validation.h"
#include "knowledge_base/packs/foreign_claims.h"
#include "knowledge_base/packs/seed_load.h"
#include "tests/unit/kb_packs/packs_fixture.h"

#include <set>

#include <gmock/gmock.h>

namespace warpmind::knowledge_base {
namespace {

using testing::HasSubstr;

const Seed& seed() {
  static const Seed loaded = embedded_seed().value();
  return loaded;
}

TEST(SeedTest, HoldsCardsClaimsAndFacts) {
  EXPECT_GE(seed().techniques.size(), 40U);
  EXPECT_GE(seed().insights.size(), seed().techniques.size() + 8);
  EXPECT_GE(seed().facts.size(), 300U);
}

TEST(SeedTest, PassesTheRulesForClaimsAndCards) {
  for (const auto& technique : seed().techniques) {
    const auto checked = check_technique(technique);
    EXPECT_TRUE(checked.has_value()) << technique.name << ": " << checked.error().message;
    EXPECT_FALSE(technique.generations.empty()) << technique.name;
  }
  for (const auto& insight : seed().insights) {
    const auto checked = check_claim(insight);
    EXPECT_TRUE(checked.has_value()) << insight.claim << ": " << checked.error().message;
    Insight normal = insight;
    normalise(normal);
    EXPECT_EQ(normal, insight);
    EXPECT_EQ(insight.id, id_of(insight));
  }
}

TEST(SeedTest, HasACardForEveryBuiltInTechnique) {
  std::set<std::string> names;
  for (const auto& technique : seed().techniques) names.insert(technique.name);
  // What a skill is for stands in the skill.
  const agents::builtin::SkillLibrary no_skills;
  for (const auto& technique : agents::builtin::techniques_with(no_skills)) {
    EXPECT_TRUE(names.contains(std::string(technique.name))) << technique.name;
  }
}

TEST(SeedTest, HasAClaimForEveryCard) {
  std::set<std::string> named;
  for (const auto& insight : seed().insights) named.insert(insight.action.techniques.front());
  for (const auto& technique : seed().techniques) {
    EXPECT_TRUE(named.contains(technique.name)) << technique.name;
  }
}

TEST(SeedTest, HasACardForEveryCause) {
  std::set<BottleneckClass> cured;
  for (const auto& technique : seed().techniques) {
    cured.insert(technique.bottlenecks.begin(), technique.bottlenecks.end());
  }
  for (int i = 0; i < static_cast<int>(BottleneckClass::at_limit); ++i) {
    const auto which = static_cast<BottleneckClass>(i);
    EXPECT_TRUE(cured.contains(which)) << name_of(which);
  }
}

TEST(SeedTest, AliasesNameOneCardEach) {
  std::map<std::string, std::string> owners;
  for (const auto& technique : seed().techniques) {
    for (const auto& alias : technique.aliases) {
      const auto [at, is_new] = owners.emplace(alias, technique.name);
      EXPECT_TRUE(is_new || at->second == technique.name)
          << alias << ": " << at->second << ", " << technique.name;
    }
  }
  for (const auto& technique : seed().techniques) {
    const auto owner = owners.find(technique.name);
    EXPECT_TRUE(owner == owners.end() || owner->second == technique.name) << technique.name;
  }
}

TEST(SeedTest, FactsAgreeWithTheDeviceTable) {
  std::map<std::pair<std::string, std::string>, double> facts;
  for (const auto& fact : seed().facts) facts[{fact.subject, fact.name}] = fact.value;
  const auto table = config::DeviceTable::load().value();
  int compared = 0;
  for (const auto& device : table.all()) {
    const std::string subject =
        "sm_" + std::to_string(device.compute_major) + std::to_string(device.compute_minor);
    const auto expect = [&](const char* name, double value) {
      const auto found = facts.find({subject, name});
      if (found == facts.end()) return;
      EXPECT_EQ(found->second, value) << device.name << " " << name;
      ++compared;
    };
    expect("threads_per_sm", device.threads_per_sm);
    expect("blocks_per_sm", device.blocks_per_sm);
    expect("warps_per_sm", device.warps_per_sm);
    expect("registers_per_sm", device.registers_per_sm);
    expect("shared_bytes_per_sm", device.shared_kib_per_sm * 1024);
    expect("shared_bytes_per_block_optin", device.shared_kib_per_block * 1024);
    if (device.timing.l1_kib > 0) expect("l1_and_shared_bytes_per_sm", device.timing.l1_kib * 1024);
    if (device.timing.fp32_lanes > 0) {
      expect("fp32_results_per_clock_per_sm", device.timing.fp32_lanes);
    }
    if (device.timing.fp64_lanes > 0) {
      expect("fp64_results_per_clock_per_sm", device.timing.fp64_lanes);
    }
  }
  EXPECT_GE(compared, 60);
}

TEST(SeedTest, EveryFactHasItsSource) {
  for (const auto& fact : seed().facts) {
    EXPECT_FALSE(fact.source.empty()) << fact.subject << " " << fact.name;
    EXPECT_FALSE(fact.unit.empty()) << fact.subject << " " << fact.name;
  }
}

TEST(SeedTest, RefusesMistakesWithTheirPlace) {
  const auto refused = [](std::string_view text) {
    const EmbeddedFile file{"x.toml", text};
    const auto parsed = parse_seed(std::span(&file, 1), 1);
    EXPECT_FALSE(parsed.has_value());
    return parsed ? "" : parsed.error().message;
  };
  EXPECT_THAT(refused("[[fact]]\nname = 1"), HasSubstr("x.toml:2"));
  EXPECT_THAT(refused("[[insight]]\nclaim = \"x\"\n"), HasSubstr("needs technique"));
  EXPECT_THAT(refused("[[insight]]\ntechnique = \"none\"\nclaim = \"x\"\n"), HasSubstr("no card"));
  EXPECT_THAT(refused("[[fact]]\nname=\"a\"\nunit=\"b\"\nsource=\"c\"\n[fact.values]\nsm_90=1\n"
                      "[[fact]]\nname=\"a\"\nunit=\"b\"\nsource=\"c\"\n[fact.values]\nsm_90=2\n"),
              HasSubstr("two facts sm_90 a"));
}

/// A seed of one card and two claims, as an older build had it.
Seed small_seed(std::int64_t version, const std::string& words) {
  Seed made;
  made.version = version;
  Technique card;
  card.name = "unroll";
  card.title = "Unrolled loops";
  card.category = "control";
  card.when = words;
  card.when_not = "never";
  card.how = "by hand";
  card.risks = "none";
  card.source = "seed " + std::to_string(version);
  made.techniques = {card};
  for (const char* technique : {"unroll", "restrict"}) {
    Insight insight;
    insight.action.techniques = {technique};
    insight.claim = std::string(technique) + " " + words;
    insight.mechanism = "it is so";
    insight.provenance.source = std::string(kSeedSource);
    insight.provenance.licence = "Apache-2.0";
    insight.id = id_of(insight);
    made.insights.push_back(insight);
  }
  made.facts = {{"sm_90", "warp_size", 32, "threads", "a document"}};
  return made;
}

class SeedLoadTest : public PacksTest {};

TEST_F(SeedLoadTest, IsOneChangeAndThenNone) {
  const auto base = open("base");
  const auto loaded = PackExchange(*base).load_seed();
  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  EXPECT_EQ(loaded->added, static_cast<std::int64_t>(seed().techniques.size() +
                                                     seed().insights.size() + seed().facts.size()));
  const auto after = state(*base);
  EXPECT_EQ(after.last_sequence, 1);
  EXPECT_EQ(after.seed_version, kSeedVersion);
  for (const auto& stored : insights(*base)) {
    EXPECT_EQ(stored.insight.state, InsightState::proposed);
    EXPECT_EQ(stored.insight.trust, Trust::t0);
    EXPECT_EQ(stored.insight.provenance.source, kSeedSource);
  }
  const auto again = PackExchange(*base).load_seed();
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->added, 0);
  EXPECT_EQ(state(*base), after);
}

TEST_F(SeedLoadTest, AnUpgradeTakesTheNewWords) {
  const auto base = open("base");
  const Seed old = small_seed(1, "pays sometimes");
  ASSERT_TRUE(load_seed(*base, old).has_value());
  const auto report = load_seed(*base, small_seed(2, "pays often"));
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->added, 3);      // the card and the words of both claims
  EXPECT_EQ(report->unchanged, 1);  // the fact
  EXPECT_EQ(technique(*base, "unroll")->when, "pays often");
  const auto now = insight(*base, old.insights.front().id);
  EXPECT_EQ(now.claim, "unroll pays often");
  EXPECT_EQ(now.state, InsightState::proposed);
  EXPECT_EQ(now.trust, Trust::t0);
  EXPECT_EQ(state(*base).seed_version, 2);
}

TEST_F(SeedLoadTest, AnUpgradeLeavesWhatAUserChanged) {
  const auto base = open("base");
  const Seed old = small_seed(1, "pays sometimes");
  ASSERT_TRUE(load_seed(*base, old).has_value());
  auto edit = event(old.insights.front().id, InsightOp::amend);
  edit.amendment.emplace();
  edit.amendment->claim = "unroll pays here";
  ASSERT_TRUE(apply(*base, {edit}).has_value());
  move(*base, old.insights.back().id, InsightState::retracted);
  Technique mine = *technique(*base, "unroll");
  mine.how = "my way";
  mine.edited = true;
  ASSERT_TRUE(base->write(1000,
                          [&](ChangeSet& change) -> Result<void> {
                            WARPMIND_TRY(auto bytes, encode_technique(mine));
                            change.put(Family::techniques, technique_key("unroll"),
                                       std::move(bytes));
                            change.describe("techniques", {"unroll"});
                            return {};
                          })
                  .has_value());
  const auto report = load_seed(*base, small_seed(2, "pays often"));
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->added, 0);
  EXPECT_EQ(technique(*base, "unroll")->how, "my way");
  EXPECT_EQ(insight(*base, old.insights.front().id).claim, "unroll pays here");
  EXPECT_EQ(insight(*base, old.insights.back().id).state, InsightState::retracted);
  EXPECT_EQ(state(*base).seed_version, 2);
}

TEST_F(SeedLoadTest, AClaimThatTheSeedDropsIsDeprecatedAndComesBack) {
  const auto base = open("base");
  Seed old = small_seed(1, "pays sometimes");
  ASSERT_TRUE(load_seed(*base, old).has_value());
  Seed newer = old;
  newer.version = 2;
  const InsightId dropped = newer.insights.back().id;
  newer.insights.pop_back();
  ASSERT_TRUE(load_seed(*base, newer).has_value());
  EXPECT_EQ(insight(*base, dropped).state, InsightState::deprecated);
  old.version = 3;
  ASSERT_TRUE(load_seed(*base, old).has_value());
  EXPECT_EQ(insight(*base, dropped).state, InsightState::proposed);
}

TEST_F(SeedLoadTest, AnOlderSeedChangesNothing) {
  const auto base = open("base");
  ASSERT_TRUE(load_seed(*base, small_seed(5, "pays often")).has_value());
  const auto before = state(*base);
  ASSERT_TRUE(load_seed(*base, small_seed(4, "pays sometimes")).has_value());
  EXPECT_EQ(state(*base), before);
}

}  // namespace
}  // namespace warpmind::knowledge_base
