#include "profilers/judge/case_deck.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

const InputDraw kPlain{Distribution::normal};
const InputDraw kUneven{Distribution::normal, InputTrait::uneven};
const std::vector<InputDraw> kAll{
    kPlain,  {Distribution::uniform},  {Distribution::constant}, {Distribution::one_hot},
    kUneven, {Distribution::denormal}, {Distribution::exact},    {Distribution::wide}};

std::set<std::string> names(const std::vector<InputDraw>& draws) {
  std::set<std::string> all;
  for (const InputDraw& one : draws) all.insert(describe(one));
  return all;
}

TEST(CaseDeck, ThreeWorkloadsOfFiveCasesSeeEveryDistributionWhateverTheSeed) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    std::mt19937_64 seeds(seed);
    CaseDeck deck;
    for (int kernel = 0; kernel < 3; ++kernel) {
      std::set<std::string> seen;
      for (const char* workload : {"tiny", "odd", "full"}) {
        const auto order = deck.deal(kAll, workload, 5, InputChoice::dealt, seeds);
        ASSERT_EQ(order.size(), 5U);
        EXPECT_EQ(order[0], kPlain);
        seen.merge(names(order));
        (void)deck.deal(kAll, workload, 1, InputChoice::dealt, seeds);  // timing looks at one
      }
      EXPECT_EQ(seen.size(), kAll.size()) << "seed " << seed << ", kernel " << kernel;
    }
  }
}

TEST(CaseDeck, TheSeedDecidesTheOrder) {
  std::set<std::string> orders;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::mt19937_64 seeds(seed);
    std::string order;
    for (const InputDraw& one : CaseDeck().deal(kAll, "tiny", 8, InputChoice::dealt, seeds)) {
      order += describe(one) + ";";
    }
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 15U);
}

TEST(CaseDeck, AWorkloadThatIsLookedAtInTwoPartsSeesTheSameKinds) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::mt19937_64 seeds(seed);
    CaseDeck deck;
    EXPECT_THAT(deck.deal(kAll, "full", 1, InputChoice::dealt, seeds), ElementsAre(kPlain));
    const auto rest = deck.deal(kAll, "full", static_cast<std::int64_t>(kAll.size()) - 1,
                                InputChoice::continued, seeds);
    for (const InputDraw& one : kAll) {
      EXPECT_EQ(std::count(rest.begin(), rest.end(), one), one == kPlain ? 0 : 1);
    }
  }
}

TEST(CaseDeck, ATaskWithOneDistributionTakesIt) {
  std::mt19937_64 seeds(1);
  CaseDeck deck;

  const InputDraw uniform{Distribution::uniform};
  EXPECT_THAT(deck.deal({uniform}, "tiny", 3, InputChoice::dealt, seeds), Each(uniform));
  EXPECT_THAT(deck.deal(kAll, "odd", 1, InputChoice::dealt, seeds), ElementsAre(kPlain));
  EXPECT_THAT(deck.deal(kAll, "odd", 0, InputChoice::dealt, seeds), ElementsAre());
}

TEST(CaseDeck, EveryKindIsSeenAtOneWorkloadHoweverFewCasesAreAskedFor) {
  std::mt19937_64 seeds(3);
  CaseDeck deck;
  const auto order = deck.deal(kAll, "odd", 2, InputChoice::every, seeds);
  EXPECT_EQ(order.front(), kPlain);
  EXPECT_EQ(order.size(), kAll.size());
  EXPECT_EQ(names(order), names(kAll));
  EXPECT_EQ(deck.deal(kAll, "odd", 11, InputChoice::every, seeds).size(), 11U);
}

TEST(CaseDeck, ALargeWorkloadSeesUnevenRowsFirst) {
  std::mt19937_64 seeds(3);
  CaseDeck deck;
  const InputDraw uneven = deck.deal(kAll, "large", 1, InputChoice::uneven, seeds).front();
  EXPECT_EQ(uneven.trait, InputTrait::uneven);
  EXPECT_TRUE(uneven.in_pieces) << "the only case must not be 0 as a whole";
  EXPECT_EQ(deck.deal({kPlain}, "large", 2, InputChoice::uneven, seeds)[0].trait, InputTrait::none);
}

}  // namespace
}  // namespace warpmind::profilers
