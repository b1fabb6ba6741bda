#include "knowledge_base/packs/pack_exchange.h"
#include "knowledge_base/packs/pack_reader.h"
#include "tests/unit/kb_packs/packs_fixture.h"

#include <cstdlib>
#include <random>

#include <gmock/gmock.h>

namespace warpmind::knowledge_base {
namespace {

/// What a base says, by claim: what makes its identity, and who attests it. Words are left out: a
/// base that has a claim keeps its own.
struct Said {
  InsightKind kind = InsightKind::positive;
  InsightAction action;
  InsightScope scope;
  std::string space;
  std::vector<Attestation> attestations;
  bool operator==(const Said&) const = default;
};
using Statements = std::map<std::string, Said>;

class MergeTest : public PacksTest {
 protected:
  Statements statements(const OpenBase& base, const std::string& name) {
    const auto pack = CheckedPack::check(exported(base, name)).value();
    Statements all;
    for (std::size_t i = 0; i < pack.size(); ++i) {
      auto claim = std::get<PackedClaim>(pack.record(i).value()).insight;
      all[claim.id.str()] = {claim.kind, claim.action, claim.scope, claim.space,
                             claim.attestations};
    }
    return all;
  }
  /// Merges the exported pack of `from` into `into`.
  void merge(OpenBase& into, const OpenBase& from) {
    static_cast<void>(exported(from, "merge.pack"));
    const auto merged = PackExchange(into).merge(path("merge.pack"), {});
    ASSERT_TRUE(merged.has_value()) << merged.error().message;
    EXPECT_EQ(merged->refused, 0) << (merged->notes.empty() ? "" : merged->notes.front());
  }
  void copy(const std::string& from, const std::string& to) {
    std::filesystem::copy(path(from), path(to), std::filesystem::copy_options::recursive);
  }

  /// A base with claims of a small pool, so that bases overlap; some measured, some decided upon.
  void make(const std::string& name, std::mt19937& random) {
    const auto base = open(name);
    const auto below = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
    std::int64_t number = 0;
    for (int i = 0; i < 8; ++i) {
      if (below(3) == 0) {
        learn(*base, episode(++number, "task" + std::to_string(below(3)), below(2) == 0 ? 1.3 : 0.8,
                             below(2) == 0 ? fakes::h200() : fakes::a100()));
        continue;
      }
      auto made = claim("technique_" + std::to_string(below(4)),
                        "words of " + name + " " + std::to_string(below(1000)));
      made.kind = below(3) == 0 ? InsightKind::negative : InsightKind::positive;
      if (below(2) == 0) made.space = "project:p" + std::to_string(below(2));
      made.id = id_of(made);
      const auto all = insights(*base);
      const bool known = std::any_of(all.begin(), all.end(), [&](const StoredInsight& stored) {
        return stored.insight.id == made.id;
      });
      if (!known) add(*base, made);
      decide(*base, made.id, below(5));
    }
  }
  static void decide(OpenBase& base, const InsightId& id, int choice) {
    const auto now = insight(base, id);
    if (choice == 0 && is_offered(now.state) && !now.pinned) {
      move(base, id, InsightState::retracted);
    }
    if (choice == 1 && !now.pinned) {
      ASSERT_TRUE(apply(base, {event(id, InsightOp::pin)}).has_value());
    }
  }
};

/// WARPMIND_MERGE_ROUNDS makes it longer.
TEST_F(MergeTest, IsCommutativeIdempotentAndAssociative) {
  std::mt19937 random(20261121);
  const char* const asked = std::getenv("WARPMIND_MERGE_ROUNDS");
  const int rounds = asked == nullptr ? 2 : std::atoi(asked);
  int attested = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::string r = std::to_string(round);
    for (const char* name : {"a", "b", "c"}) make(name + r, random);
    for (const char* name : {"a", "b", "c"}) {
      for (const char* copy_name : {"-1", "-2"}) copy(name + r, name + r + copy_name);
    }
    const auto a = open("a" + r);
    const auto b = open("b" + r);
    const auto c = open("c" + r);
    const auto a1 = open("a" + r + "-1");
    const auto b1 = open("b" + r + "-1");
    const auto a2 = open("a" + r + "-2");
    const auto b2 = open("b" + r + "-2");
    const auto c2 = open("c" + r + "-2");

    // merge(A, B) = merge(B, A)
    merge(*a1, *b);
    merge(*b1, *a);
    const auto ab = statements(*a1, "ab");
    EXPECT_EQ(ab, statements(*b1, "ba"));
    // merge(A, A) = A; a second merge changes nothing
    const auto before = statements(*a, "before");
    merge(*a, *a);
    EXPECT_EQ(statements(*a, "after"), before);
    merge(*a1, *b);
    EXPECT_EQ(statements(*a1, "again"), ab);
    // merge(merge(A, B), C) = merge(A, merge(B, C)) = merge(C, merge(B, A))
    merge(*a1, *c);
    const auto left = statements(*a1, "left");
    merge(*b2, *c);
    merge(*a2, *b2);
    EXPECT_EQ(statements(*a2, "right"), left);
    merge(*c2, *b1);
    EXPECT_EQ(statements(*c2, "other"), left);
    for (const auto& [id, said] : left) attested += said.attestations.empty() ? 0 : 1;
    EXPECT_GE(left.size(), before.size());
  }
  EXPECT_GE(attested, 10) << "the bases must differ in what they attest";
}

TEST_F(MergeTest, AFreshBaseDoesNotDependOnTheOrder) {
  std::mt19937 random(7);
  make("a", random);
  make("b", random);
  const auto a = open("a");
  const auto b = open("b");
  const auto one = open("one");
  const auto two = open("two");
  merge(*one, *a);
  merge(*one, *b);
  merge(*two, *b);
  merge(*two, *a);
  EXPECT_EQ(statements(*one, "1"), statements(*two, "2"));
  for (const auto& stored : insights(*one)) {
    EXPECT_EQ(stored.insight.state, insight(*two, stored.insight.id).state)
        << stored.insight.id.str();
  }
}

TEST_F(MergeTest, TheFolderOfABaseIsAsGoodAsItsPack) {
  std::mt19937 random(9);
  make("a", random);
  const auto by_pack = open("p");
  const auto by_folder = open("f");
  {
    const auto a = open("a");
    merge(*by_pack, *a);
  }
  const auto report = PackExchange(*by_folder).merge(path("a"), {});
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(statements(*by_pack, "1"), statements(*by_folder, "2"));
  for (const auto& stored : insights(*by_pack)) {
    EXPECT_EQ(stored.insight.provenance, insight(*by_folder, stored.insight.id).provenance);
  }
}

TEST_F(MergeTest, AnOpenBaseCanBeMergedAndIsNotTouched) {
  const auto a = open("a");
  add(*a, claim("unroll", "it pays"));
  const auto before = state(*a);
  const auto b = open("b");
  const auto report = PackExchange(*b).merge(path("a"), {});
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->added, 1);
  EXPECT_EQ(state(*a), before);
  add(*a, claim("restrict", "it pays too"));
}

TEST_F(MergeTest, AFolderThatIsNoBaseIsRefused) {
  const auto b = open("b");
  std::filesystem::create_directories(path("empty"));
  const auto report = PackExchange(*b).merge(path("empty"), {});
  ASSERT_FALSE(report.has_value());
  EXPECT_THAT(report.error().message, testing::HasSubstr("is no folder of a knowledge base"));
  const auto unsigned_one = PackExchange(*b).merge(path("b"), {.require_signature = true});
  ASSERT_FALSE(unsigned_one.has_value());
  EXPECT_THAT(unsigned_one.error().message, testing::HasSubstr("carries no signature"));
}

TEST_F(MergeTest, CardsOfPacksDoNotDependOnTheOrderAndOwnOnesStay) {
  const auto put = [&](OpenBase& base, const std::string& how, const std::string& source) {
    Technique card;
    card.name = "tricky";
    card.title = "Tricky";
    card.category = "control";
    card.when = card.when_not = card.risks = "now and then";
    card.how = how;
    card.source = source;
    ASSERT_TRUE(base.write(1000,
                           [&](ChangeSet& change) -> Result<void> {
                             WARPMIND_TRY(auto bytes, encode_technique(card));
                             change.add(Family::techniques, technique_key(card.name),
                                        std::move(bytes));
                             return {};
                           })
                    .has_value());
  };
  const auto a = open("a");
  const auto b = open("b");
  put(*a, "this way", "user");
  put(*b, "that way", "user");
  const auto one = open("one");
  const auto two = open("two");
  merge(*one, *a);
  merge(*one, *b);
  merge(*two, *b);
  merge(*two, *a);
  EXPECT_EQ(technique(*one, "tricky")->how, technique(*two, "tricky")->how);
  EXPECT_THAT(technique(*one, "tricky")->source, testing::StartsWith("pack:"));
  merge(*a, *b);
  EXPECT_EQ(technique(*a, "tricky")->how, "this way");
}

}  // namespace
}  // namespace warpmind::knowledge_base
