// Spaces of lists, their snapshots, and searching while commits go on.

#include "knowledge_base/retrieval/embedding_records.h"
#include "knowledge_base/retrieval/snapshot_file.h"
#include "knowledge_base/retrieval/snapshots.h"
#include "knowledge_base/retrieval/stable_hash.h"
#include "knowledge_base/retrieval/vector_space.h"
#include "tests/unit/kb_retrieval/retrieval_fixture.h"

#include <atomic>
#include <fstream>
#include <set>
#include <thread>

namespace warpmind::knowledge_base {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr std::uint64_t kSeed = 5;

/// Small enough for a test to make lists and snapshots.
constexpr RetrievalOptions kSmall{.index_files = true, .most_exact = 300, .least_saved = 400};

std::vector<Insight> generated(std::int64_t from, std::int64_t count) {
  std::vector<Insight> insights;
  for (std::int64_t i = from; i < from + count; ++i) {
    insights.push_back(fakes::generated_insight(i, kSeed));
    insights.back().state = InsightState::confirmed;
  }
  return insights;
}

class LargeSpaceTest : public RetrievalFixture {
 protected:
  void SetUp() override {
    open(kSmall);
    put(generated(0, 600));
    retrieval_->settle();
  }
  [[nodiscard]] std::filesystem::path snapshot() const {
    return location().index() / "text.snapshot";
  }
  [[nodiscard]] std::string bytes() const { return read_file(snapshot(), 1U << 28U).value(); }
  void replace(const std::string& content) const {
    std::ofstream(snapshot(), std::ios::binary | std::ios::trunc) << content;
  }
  /// The ten first by text alone, of several questions.
  [[nodiscard]] std::vector<std::vector<InsightId>> nearest() const {
    std::vector<std::vector<InsightId>> all;
    for (std::int64_t i = 0; i < 600; i += 60) {
      const auto query = fakes::known_item_query(i, kSeed, fakes::Noise::typos);
      auto ids = retrieval_->rank(query, {0, 1, 0, 0}).value();
      ids.resize(std::min<std::size_t>(ids.size(), 10));
      all.push_back(std::move(ids));
    }
    return all;
  }
  /// Opens the base and expects its index to be made again, as good as before.
  void expect_made_again(const std::vector<std::vector<InsightId>>& answers) {
    open(kSmall);
    retrieval_->settle();
    EXPECT_FALSE(retrieval_->figures().from_snapshot);
    EXPECT_EQ(nearest(), answers);
  }
};

TEST_F(LargeSpaceTest, KnownItemsAreFoundThroughLists) {
  for (std::int64_t i = 0; i < 600; i += 30) {
    const auto query = fakes::known_item_query(i, kSeed, fakes::Noise::none);
    const auto ids = retrieval_->rank(query, {0, 1, 0, 0}).value();
    const auto wanted = fakes::generated_insight(i, kSeed).id;
    EXPECT_THAT(std::vector<InsightId>(ids.begin(), ids.begin() + 10), Contains(wanted)) << i;
  }
}

TEST_F(LargeSpaceTest, SnapshotsAreUsedAndFollowedUp) {
  put(generated(600, 50));
  const auto answers = nearest();
  open(kSmall);
  EXPECT_TRUE(retrieval_->figures().from_snapshot);
  EXPECT_EQ(nearest(), answers);
  const auto query = fakes::known_item_query(630, kSeed, fakes::Noise::none);
  EXPECT_THAT(retrieval_->rank(query, {0, 1, 0, 0}).value(),
              Contains(fakes::generated_insight(630, kSeed).id));
}

TEST_F(LargeSpaceTest, ASnapshotIsNotNeeded) {
  const auto answers = nearest();
  std::filesystem::remove_all(location().index());
  expect_made_again(answers);
}

TEST_F(LargeSpaceTest, DamagedSnapshotsAreNeverBelieved) {
  const std::string good = bytes();
  std::uint64_t state = 7;
  const auto next = [&state] { return state = mix_bits(state + 1); };
  for (int round = 0; round < 200; ++round) {
    std::string bad = good;
    if (round % 4 == 0) {
      bad.resize(next() % good.size());
    } else {
      // Every second flip hits the headers: ours and that of FAISS.
      const std::size_t at = next() % (round % 2 == 0 ? good.size() : 1024);
      bad[at] = static_cast<char>(bad[at] ^ static_cast<char>(1U << (next() % 8)));
    }
    replace(bad);
    const auto file = SnapshotFile::open(snapshot());
    ASSERT_FALSE(file.has_value()) << "round " << round;
    EXPECT_EQ(file.error().code, Errc::corrupt_data);
  }
  replace(good);
  EXPECT_TRUE(SnapshotFile::open(snapshot()).has_value());
}

TEST_F(LargeSpaceTest, ADamagedSnapshotIsMadeAgain) {
  const auto answers = nearest();
  std::string bad = bytes();
  bad[bad.size() / 2] = static_cast<char>(bad[bad.size() / 2] ^ 16);
  replace(bad);
  expect_made_again(answers);
}

/// A whole file, but of something else.
struct ForeignCase {
  std::string what;
  std::function<void(SnapshotHeader&)> change;
};

TEST_F(LargeSpaceTest, ASnapshotOfSomethingElseIsMadeAgain) {
  const auto answers = nearest();
  const std::vector<ForeignCase> cases{
      {"dimension", [](auto& header) { header.dimension = 128; }},
      {"embedder", [](auto& header) { header.embedder = "text-0"; }},
      {"space", [](auto& header) { header.space = "code"; }},
      {"library", [](auto& header) { header.library = 10800; }},
      {"base", [](auto& header) { header.base = "0123456789abcdef"; }},
      {"newer", [](auto& header) { header.last_sequence += 100; }},
      {"history", [](auto& header) { header.chain[3] ^= 1U; }},
      {"count", [](auto& header) { header.count -= 1; }},
  };
  for (const auto& [what, change] : cases) {
    SCOPED_TRACE(what);
    {
      const auto file = SnapshotFile::open(snapshot());
      ASSERT_TRUE(file.has_value());
      auto header = file->header();
      change(header);
      const std::string payload(file->payload());
      ASSERT_TRUE(write_snapshot(snapshot(), header, [&](const WritePiece& write) {
                    return write(payload);
                  }).has_value());
    }
    close();
    expect_made_again(answers);
  }
}

TEST_F(LargeSpaceTest, ARebuildMakesSnapshotsStale) {
  const auto answers = nearest();
  ASSERT_TRUE(base_
                  ->write(100,
                          [](ChangeSet& change) -> Result<void> {
                            change.put(Family::meta, "\x01note", "rebuilt");
                            change.describe("rebuild", {});
                            return {};
                          })
                  .has_value());
  expect_made_again(answers);
}

TEST_F(LargeSpaceTest, RareFiltersAreFollowedIntoFarLists) {
  auto query = fakes::known_item_query(17, kSeed, fakes::Noise::none);
  query.techniques = fakes::generated_insight(599, kSeed).action.techniques;
  std::set<InsightId> expected;
  for (const auto& one : generated(0, 600)) {
    if (one.action.techniques == query.techniques) expected.insert(one.id);
  }
  const auto ids = retrieval_->rank(query, {0, 1, 0, 0}).value();
  EXPECT_GE(ids.size(), std::min<std::size_t>(expected.size(), 10));
  for (const auto& id : ids) EXPECT_TRUE(expected.contains(id));
}

TEST_F(LargeSpaceTest, SearchesGoOnWhileWritersCommit) {
  constexpr int kReaders = 16;
  constexpr int kWriters = 2;
  constexpr int kRounds = 10;
  std::atomic<bool> stop{false};
  std::atomic<int> searches{0};
  std::atomic<int> wrong{0};
  std::vector<std::thread> readers;
  for (int reader = 0; reader < kReaders; ++reader) {
    readers.emplace_back([&, reader] {
      for (std::int64_t i = reader; !stop || searches < kReaders; i += 7) {
        const auto query = fakes::known_item_query(i % 600, kSeed, fakes::Noise::none);
        const auto answer = retrieval_->search(query);
        const auto wanted = fakes::generated_insight(i % 600, kSeed).id;
        const bool is_right =
            answer && std::any_of(answer->insights.begin(), answer->insights.end(),
                                  [&](const auto& one) { return one.id == wanted; });
        wrong += is_right ? 0 : 1;
        ++searches;
      }
    });
  }
  std::vector<std::thread> writers;
  std::atomic<int> missed{0};
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&, writer] {
      for (int round = 0; round < kRounds; ++round) {
        const std::int64_t number = 10'000 + writer * 1000 + round;
        auto one = generated(number, 1);
        const auto id = one.front().id;
        if (!fakes::put_insights(*base_, std::move(one))) ++missed;
        // Its own writer finds it at once.
        const auto ids =
            retrieval_->rank(fakes::known_item_query(number, kSeed, fakes::Noise::none));
        const auto end = ids->begin() + std::min<std::ptrdiff_t>(10, std::ssize(*ids));
        if (std::find(ids->begin(), end, id) == end) ++missed;
      }
    });
  }
  for (auto& writer : writers) writer.join();
  stop = true;
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(missed, 0);
  EXPECT_GE(searches, kReaders);
}

TEST_F(LargeSpaceTest, IndexAndBaseHoldTheSameDocuments) {
  put(generated(100, 3));  // again: nothing changes
  auto changed = generated(200, 5);
  for (auto& one : changed) one.mechanism += " reworded";
  put(changed);
  const auto check = [this](const Database& database, const std::string&) -> Result<void> {
    WARPMIND_TRY(const auto catalogue, read_catalogue(database));
    EXPECT_EQ(catalogue.alive(), 600);
    for (const Space space : kSpaces) {
      WARPMIND_TRY(const auto rows, read_vectors(database, space, 0, 10'000));
      std::vector<std::int64_t> expected;
      for (std::int64_t document = 1; document <= catalogue.last_document(); ++document) {
        if (has_vector(catalogue.at(document), space)) expected.push_back(document);
      }
      EXPECT_EQ(rows.documents, expected);
    }
    return {};
  };
  EXPECT_TRUE(base_->read(check).has_value());
  EXPECT_EQ(retrieval_->figures().dead, 5);
}

}  // namespace
}  // namespace warpmind::knowledge_base
