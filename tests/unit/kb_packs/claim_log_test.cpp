#include "knowledge_base/packs/claim_log.h"

#include "tests/unit/kb_packs/packs_fixture.h"

namespace warpmind::knowledge_base {
namespace {

using ClaimLogTest = PacksTest;

TEST_F(ClaimLogTest, AMarkOfTheFirstBuildIsReadForEver) {
  const std::string golden = std::string("\x01") + R"({"era":1700000000000,"upto":42})";

  EXPECT_EQ(decode_heard(golden).value(), (HeardMark{1'700'000'000'000, 42}));
  EXPECT_EQ(encode_heard({1'700'000'000'000, 42}).value(), golden);
  EXPECT_EQ(decode_heard("\x02{}").error().code, Errc::corrupt_data);
}

TEST_F(ClaimLogTest, TheSeedAndWhatWasHeardAreNoWordsOfThisBase) {
  const auto a = open("a");
  const auto b = open("b");
  ASSERT_TRUE(PackExchange(*a).load_seed());
  ClaimLog of_a(*a);
  const auto seeded = of_a.state().value();
  EXPECT_FALSE(of_a.next(seeded, 0).value().entry);
  add(*a, claim("block_size", "own words"));
  const auto part = of_a.next(of_a.state().value(), seeded.newest).value();
  ASSERT_TRUE(part.entry);

  ClaimLog of_b(*b);
  const auto heard = of_b.hear(*part.entry).value();

  EXPECT_EQ(heard.hearing, Hearing::gap)
      << "changes 1 to " << seeded.newest << " were not said yet";
  auto from_the_start = *part.entry;
  from_the_start.from = 0;
  EXPECT_EQ(of_b.hear(from_the_start).value().hearing, Hearing::applied);
  EXPECT_EQ(of_b.hear(from_the_start).value().hearing, Hearing::known);
  EXPECT_FALSE(of_b.next(of_b.state().value(), 0).value().entry);
}

TEST_F(ClaimLogTest, EntriesThatAreNotWhatTheySayChangeNothing) {
  const auto a = open("a");
  const auto b = open("b");
  add(*a, claim("block_size", "own words"));
  ClaimLog of_a(*a);
  ClaimLog of_b(*b);
  const auto good = *of_a.next(of_a.state().value(), 0).value().entry;
  const auto before = of_b.state().value().newest;
  std::vector<ClaimLogEntry> bad(6, good);
  bad[0].node = "../../etc/passwd";
  bad[1].node = of_b.state().value().node;
  bad[2].era = 0;
  bad[3].from = bad[3].upto;
  bad[4].pack.resize(bad[4].pack.size() / 2);
  bad[5].node = "0123456789abcdef";
  for (const auto& entry : bad) {
    const auto heard = of_b.hear(entry);
    ASSERT_FALSE(heard);
    EXPECT_EQ(heard.error().code, Errc::invalid_argument);
  }
  EXPECT_EQ(of_b.state().value().newest, before);
}

}  // namespace
}  // namespace warpmind::knowledge_base
