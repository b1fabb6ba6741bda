// What language models took, by day, in a real base.

#include "knowledge_base/spending.h"

#include "knowledge_base/key_codec.h"
#include "knowledge_base/knowledge_base.h"
#include "knowledge_base/maintenance/maintenance.h"
#include "knowledge_base/open_base.h"
#include "knowledge_base/record_codec.h"
#include "tests/unit/knowledge_base/store_fixture.h"

#include <thread>
#include <vector>

#include <gmock/gmock.h>

namespace warpmind::knowledge_base {
namespace {

using testing::HasSubstr;

constexpr DaySpending kOne{{100, 20, 3, 40}, 1, 500, 0, 1};

class SpendingTest : public StoreFixture {
 protected:
  [[nodiscard]] std::unique_ptr<OpenBase> open_base() const {
    return OpenBase::open(location()).value();
  }
};

TEST_F(SpendingTest, ADayWithoutRecordIsEmpty) {
  const auto base = open_base();
  const Spending spending(*base);

  EXPECT_EQ(spending.read(20'000).value(), DaySpending{});
}

TEST_F(SpendingTest, AmountsAddUpDayByDay) {
  const auto base = open_base();
  Spending spending(*base);
  ASSERT_TRUE(spending.add(20'000, kOne).has_value());
  ASSERT_TRUE(spending.add(20'000, kOne).has_value());
  ASSERT_TRUE(spending.add(20'001, kOne).has_value());

  EXPECT_EQ(spending.read(20'000).value(), (DaySpending{{200, 40, 6, 80}, 2, 1000, 0, 2}));
  EXPECT_EQ(spending.read(20'001).value(), kOne);
}

TEST_F(SpendingTest, SurvivesARestart) {
  {
    const auto base = open_base();
    ASSERT_TRUE(Spending(*base).add(20'000, kOne).has_value());
  }
  const auto base = open_base();

  EXPECT_EQ(Spending(*base).read(20'000).value(), kOne);
}

TEST_F(SpendingTest, NothingIsLostWhenManyAddAtOnce) {
  const auto base = open_base();
  Spending spending(*base);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&spending] {
      for (int n = 0; n < 5; ++n) EXPECT_TRUE(spending.add(7, kOne).has_value());
    });
  }
  threads.clear();

  EXPECT_EQ(spending.read(7)->requests, 20);
  EXPECT_EQ(spending.read(7)->micro_usd, 20 * kOne.micro_usd);
}

TEST_F(SpendingTest, IsOneChangeOfTheLogAndOneRecordADay) {
  const auto base = open_base();
  Spending spending(*base);
  const auto state = [&base] {
    return base
        ->read([](const Database& database, const std::string&) -> Result<StoreState> {
          WARPMIND_TRY(const auto bytes, database.get(Family::meta, state_key()));
          return bytes ? decode_state(*bytes) : Result<StoreState>(StoreState{});
        })
        .value();
  };
  const auto before = state();
  ASSERT_TRUE(spending.add(1, kOne).has_value());
  ASSERT_TRUE(spending.add(1, kOne).has_value());

  EXPECT_EQ(state().last_sequence, before.last_sequence + 2);
  EXPECT_EQ(state().records.at("budgets"), 1);
}

TEST_F(SpendingTest, ABaseWithSpendingIsSound) {
  {
    const auto base = open_base();
    ASSERT_TRUE(Spending(*base).add(20'000, kOne).has_value());
  }
  const auto knowledge = KnowledgeBase::open(location()).value();

  const auto report = knowledge->maintenance().verify(true);

  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->problems, 0) << testing::PrintToString(report->notes);
}

TEST_F(SpendingTest, ARebuildOfTheProjectionsLeavesItAlone) {
  {
    const auto base = open_base();
    ASSERT_TRUE(Spending(*base).add(20'000, kOne).has_value());
  }
  {
    const auto knowledge = KnowledgeBase::open(location()).value();
    ASSERT_TRUE(knowledge->maintenance().rebuild().has_value());
    EXPECT_EQ(knowledge->maintenance().verify(true)->problems, 0);
  }
  const auto base = open_base();

  EXPECT_EQ(Spending(*base).read(20'000).value(), kOne);
}

TEST(SpendingRecord, ComesBackAndRefusesWhatCannotBe) {
  EXPECT_EQ(decode_spending(encode_spending(kOne).value()).value(), kOne);
  const auto negative = decode_spending("\x01{\"micro_usd\":-5}");
  ASSERT_FALSE(negative.has_value());
  EXPECT_EQ(negative.error().code, Errc::corrupt_data);
  EXPECT_THAT(negative.error().message, HasSubstr("micro_usd"));
  EXPECT_FALSE(decode_spending("\x02{}").has_value());
  EXPECT_FALSE(decode_spending("\x01[]").has_value());
}

}  // namespace
}  // namespace warpmind::knowledge_base
