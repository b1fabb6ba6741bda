// kill -9 at random moments: nothing acknowledged is lost, nothing is torn. KILL_CYCLES: how often.

#include "knowledge_base/maintenance/rebuild.h"
#include "knowledge_base/maintenance/verify.h"
#include "tests/fakes/child_process.h"
#include "tests/unit/knowledge_base/acknowledgement.h"
#include "tests/unit/knowledge_base/store_fixture.h"

#include <algorithm>
#include <chrono>
#include <random>

#include <gmock/gmock.h>

namespace warpmind::knowledge_base {
namespace {

/// A running kb_episode_writer.
class EpisodeWriter {
 public:
  explicit EpisodeWriter(const std::string& directory)
      : process_({"kb_episode_writer", directory, "4"}) {}

  [[nodiscard]] pid_t pid() const { return process_.pid(); }
  /// The next acknowledgement; nullopt at the end of the pipe.
  std::optional<Acknowledgement> next() {
    Acknowledgement frame;
    if (!process_.read(&frame, sizeof frame)) return std::nullopt;
    EXPECT_TRUE(is_genuine(frame));
    return frame;
  }
  void kill() { process_.kill(); }
  fakes::Ending wait() { return process_.wait(); }

 private:
  fakes::ChildProcess process_;
};

class KillTest : public StoreFixture {
 protected:
  /// Lets a writer run until a random number of acknowledgements, kills it, collects the rest.
  void run_and_kill(std::vector<Acknowledgement>& acknowledged) {
    EpisodeWriter writer(directory().string());
    std::size_t wanted = 1 + random_() % 60;
    while (wanted-- > 0) {
      const auto frame = writer.next();
      ASSERT_TRUE(frame.has_value()) << "the writer ended by itself";
      acknowledged.push_back(*frame);
    }
    writer.kill();
    while (const auto frame = writer.next()) acknowledged.push_back(*frame);
  }

  void verify(const std::vector<Acknowledgement>& acknowledged, std::size_t first) {
    const auto start = std::chrono::steady_clock::now();
    const auto store = open();
    openings_.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    const auto statistics = store->statistics().value();
    EXPECT_FALSE(statistics.degraded) << statistics.note;
    for (std::size_t i = first; i < acknowledged.size(); ++i) {
      const auto number = acknowledged[i].number;
      const Episode expected = episode_for(number, task_);
      const auto found = store->find_episode(expected.id).value();
      ASSERT_TRUE(found.has_value()) << "lost: " << expected.id.str();
      EXPECT_EQ(*found, expected) << "changed: " << expected.id.str();
      EXPECT_LE(acknowledged[i].sequence, statistics.last_sequence);
    }
    // The newest jobs are those that the kill met; all of them are checked at the end.
    const auto jobs = store->recent_jobs(first == 0 ? 1'000'000 : 64).value();
    expect_nothing_is_torn(jobs);
    if (first == 0) expect_exact_counters(*store, jobs, statistics);
  }

  /// Every record, every reference; and every projection is what the truth makes of it.
  void expect_it_fits_together() {
    const auto base = OpenBase::open(location()).value();
    const auto report = base->read([this](const Database& database, const std::string&) {
      return verify_base(database, location(), VerifyDepth::files);
    });
    EXPECT_EQ(report.value().problems, 0) << report.value().notes.front();
    const auto rebuilt = rebuild_projections(*base).value();
    EXPECT_TRUE(rebuilt.identical) << testing::PrintToString(rebuilt.differences);
  }

  /// Every job is either unfinished without an episode or done with a whole one.
  static void expect_nothing_is_torn(const std::vector<Job>& jobs) {
    for (const auto& job : jobs) {
      const bool ended = job.state == JobState::done;
      ASSERT_EQ(ended, job.episode.has_value()) << job.id.str();
      ASSERT_EQ(ended, job.receipt.has_value()) << job.id.str();
    }
  }

  void expect_exact_counters(const KnowledgeStore& store, const std::vector<Job>& jobs,
                             const StoreStatistics& statistics) {
    std::int64_t episodes = 0;
    std::int64_t steps = 0;
    for (const auto& job : jobs) {
      if (!job.episode) continue;
      ++episodes;
      steps += static_cast<std::int64_t>(job.episode->steps.size());
    }
    EXPECT_EQ(statistics.records.at("jobs"), static_cast<std::int64_t>(jobs.size()));
    EXPECT_EQ(statistics.records.at("episodes"), episodes);
    EXPECT_EQ(statistics.records.at("steps"), steps);
    const std::vector<std::string> techniques{"block_size"};
    const auto advice = store
                            .recall({task_, BottleneckClass::low_occupancy, fakes::h200(),
                                     Provider::gpu, techniques})
                            .value();
    EXPECT_EQ(advice.episodes_seen, episodes);
    EXPECT_EQ(advice.techniques.at(0).observations, episodes) << "one improved step an episode";
  }

  const Task task_ = fakes::sample_task("scale");
  std::mt19937_64 random_{20261121};
  std::vector<double> openings_;  ///< seconds
};

TEST_F(KillTest, LosesNothingAcknowledgedAndTearsNothing) {
  const int wanted = fakes::number_from_environment("KILL_CYCLES", 20);
  std::vector<Acknowledgement> acknowledged;
  for (int cycle = 0; cycle < wanted; ++cycle) {
    const std::size_t before = acknowledged.size();
    run_and_kill(acknowledged);
    ASSERT_FALSE(HasFatalFailure());
    verify(acknowledged, before);
    ASSERT_FALSE(HasFailure()) << "cycle " << cycle;
  }
  verify(acknowledged, 0);
  expect_it_fits_together();
  std::sort(openings_.begin(), openings_.end());
  std::printf(
      "%d kills, %zu acknowledged episodes, 0 lost; opening after a kill p50 %.3f s, "
      "p99 %.3f s\n",
      wanted, acknowledged.size(), openings_[openings_.size() / 2],
      openings_[openings_.size() * 99 / 100]);
}

TEST_F(KillTest, ASecondProcessIsToldWhoHoldsTheBase) {
  EpisodeWriter writer(directory().string());
  ASSERT_TRUE(writer.next().has_value());

  const auto second = try_open();

  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, Errc::unavailable);
  EXPECT_THAT(second.error().message,
              testing::HasSubstr("process " + std::to_string(writer.pid())));
  writer.kill();
  EXPECT_TRUE(try_open().has_value()) << "the lock dies with its holder";
}

TEST_F(KillTest, OfManyStartsAtOnceExactlyOneWins) {
  const int starts = fakes::number_from_environment("LOCK_STARTS", 12);
  std::vector<std::unique_ptr<EpisodeWriter>> writers;
  for (int i = 0; i < starts; ++i) {
    writers.push_back(std::make_unique<EpisodeWriter>(directory().string()));
  }
  int winners = 0;
  for (auto& writer : writers) {
    // A loser says so and ends; its pipe ends with it.
    if (writer->next()) {
      ++winners;
      continue;
    }
    const auto ending = writer->wait();
    EXPECT_EQ(ending.status, 4);
    EXPECT_THAT(ending.errors, testing::HasSubstr("is in use by"));
  }
  EXPECT_EQ(winners, 1);
}

}  // namespace
}  // namespace warpmind::knowledge_base
