#include "profilers/judge/case_deck.h"

#include <set>

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

const std::vector<Distribution> kAll{
    Distribution::normal, Distribution::uniform,  Distribution::constant, Distribution::one_hot,
    Distribution::large,  Distribution::denormal, Distribution::exact,    Distribution::wide};

TEST(CaseDeck, ThreeWorkloadsOfFiveCasesSeeEveryDistributionWhateverTheSeed) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    std::mt19937_64 seeds(seed);
    CaseDeck deck;
    for (int kernel = 0; kernel < 3; ++kernel) {
      std::set<Distribution> seen;
      for (const char* workload : {"tiny", "odd", "full"}) {
        const auto order = deck.deal(kAll, workload, 5, seeds);
        ASSERT_EQ(order.size(), 5U);
        EXPECT_EQ(order[0], Distribution::normal);
        seen.insert(order.begin(), order.end());
        (void)deck.deal(kAll, workload, 1, seeds);  // timing looks at one
      }
      EXPECT_EQ(seen.size(), kAll.size()) << "seed " << seed << ", kernel " << kernel;
    }
  }
}

TEST(CaseDeck, TheSeedDecidesTheOrder) {
  std::set<std::vector<Distribution>> orders;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::mt19937_64 seeds(seed);
    orders.insert(CaseDeck().deal(kAll, "tiny", 8, seeds));
  }
  EXPECT_GT(orders.size(), 15U);
}

TEST(CaseDeck, AWorkloadThatIsLookedAtInTwoPartsSeesTheSameDistributions) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::mt19937_64 seeds(seed);
    CaseDeck deck;
    EXPECT_THAT(deck.deal(kAll, "full", 1, seeds), ElementsAre(Distribution::normal));
    const auto rest = deck.deal(kAll, "full", 7, seeds, true);
    EXPECT_EQ(std::set<Distribution>(rest.begin(), rest.end()).size(), 7U);
    EXPECT_THAT(rest, ::testing::Not(::testing::Contains(Distribution::normal)));
  }
}

TEST(CaseDeck, ATaskWithOneDistributionTakesIt) {
  std::mt19937_64 seeds(1);
  CaseDeck deck;

  EXPECT_THAT(deck.deal({Distribution::uniform}, "tiny", 3, seeds), Each(Distribution::uniform));
  EXPECT_THAT(deck.deal(kAll, "odd", 1, seeds), ElementsAre(Distribution::normal));
  EXPECT_THAT(deck.deal(kAll, "odd", 0, seeds), ElementsAre());
}

}  // namespace
}  // namespace warpmind::profilers
