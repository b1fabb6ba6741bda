// Nights with a clock of their own: many users, jobs and workers, deaths, late results, jumps of
// the clock and restarts, decided by a seed. NIGHT_SEEDS: how many.

#include "base/model/spent_arithmetic.h"
#include "daemon/scheduler/night_queue.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

namespace warpmind::daemon {
namespace {

using std::chrono::milliseconds;

constexpr std::int64_t kEvening = 1'795'554'000'000;  // 21:00 UTC
constexpr std::int64_t kMostStarts = 3;

/// Lanes, and how many workers each has.
struct SimulatedLane {
  LaneSkills skills;
  int workers = 1;
};
constexpr std::array<SimulatedLane, 2> kLanes{
    {{LaneSkills{true, false, false}, 2}, {LaneSkills{false, true, true}, 1}}};

/// What a durable store would hold of a job.
struct Record {
  WaitingJob job;
  JobState state = JobState::queued;
  std::int64_t starts = 0;
  int results = 0;
  std::size_t lane = 0;  ///< of the newest start
  bool poison = false;
  std::vector<JobId> after;
};

/// A result on its way: it may come after its lease was lost.
struct Work {
  JobId id;
  std::int64_t epoch = 0;
  std::int64_t ends = 0;  ///< ms
  Spent cost;
};

class World {
 public:
  explicit World(std::uint64_t seed) : random_(seed) {
    (void)moment();  // the clock is right when the daemon starts
    limits_.night.evaluations = chance(2) ? 300 : 0;
    limits_.user.seconds = chance(2) ? 4000 : 0;
    limits_.quiet_hours = chance(3) ? "01:00-02:00" : "";
    EXPECT_TRUE(queue_.set_rules(limits_));
    EXPECT_TRUE(queue_.set_rules(limits_));
    const int jobs = 10 + static_cast<int>(random_() % 20);
    for (int i = 1; i <= jobs; ++i) submit(i);
  }

  /// Lives until nothing more can happen. Returns what was decided, in order.
  std::string live() {
    for (int turn = 0; turn < 3000 && !settled(); ++turn) {
      now_ += static_cast<std::int64_t>(random_() % 60'000);
      if (chance(200)) jump_ = jump_ != 0 ? 0 : (chance(2) ? 3'600'000 : -3'600'000);
      if (jump_ != 0 && now_ - jumped_ > 300'000) jump_ = 0;
      if (jump_ == 0) jumped_ = now_;
      if (chance(100)) restart();
      finish_work();
      tick();
      claim();
    }
    check_the_end();
    return trace_;
  }

 private:
  bool chance(std::uint64_t one_in) { return random_() % one_in == 0; }

  static JobId id(int number) {
    const std::string digits = std::to_string(number);
    return JobId("j-" + std::string(10 - digits.size(), '0') + digits);
  }

  void submit(int number) {
    Record record;
    record.job.id = id(number);
    auto& terms = record.job.terms;
    terms.user = chance(2) ? "ada" : "bob";
    terms.background = !chance(8);
    terms.priority = static_cast<std::int64_t>(random_() % 3);
    if (chance(5)) terms.not_before = UnixMillis{kEvening + 3'600'000};
    if (chance(10)) terms.deadline = UnixMillis{kEvening + 4 * 3'600'000};
    if (number > 1 && chance(5))
      record.after.push_back(
          id(1 + static_cast<int>(random_() % static_cast<std::uint64_t>(number - 1))));
    record.job.unfinished.insert(record.after.begin(), record.after.end());
    record.job.provider = chance(3) ? Provider::sim : Provider::gpu;
    record.job.budget = {static_cast<std::int64_t>(1 + random_() % 20), 600, 0, 0, 0};
    record.poison = chance(15);
    queue_.put(record.job);
    records_[record.job.id] = std::move(record);
  }

  Moment moment() {
    const auto steady = std::chrono::steady_clock::time_point(milliseconds(now_));
    Moment moment = moment_at(steady, wall_.at(steady, {now_ + jump_}));
    // The true hour, in UTC whatever the zone of this machine.
    moment.minute = static_cast<int>(moment.wall.value / 60'000 % (24 * 60));
    moment.night = moment.wall.value < kEvening + 15 * 3'600'000 ? "first" : "second";
    return moment;
  }

  void note(const std::string& what, const JobId& job) { trace_ += what + job.str() + ';'; }

  void end(Record& record, JobState state) {
    record.state = state;
    queue_.ended(record.job.id, state);
    note(std::string(name_of(state)), record.job.id);
  }

  /// A start that came to nothing: again, or never.
  void fail_start(Record& record, std::int64_t epoch) {
    record.job.epoch = epoch;
    if (record.starts >= kMostStarts) return end(record, JobState::failed);
    record.state = JobState::queued;
    put(record);
  }

  void put(const Record& record) {
    WaitingJob waiting = record.job;
    waiting.unfinished.clear();
    for (const auto& other : record.after) {
      if (records_.at(other).state != JobState::done) waiting.unfinished.insert(other);
    }
    queue_.put(std::move(waiting));
    for (const auto& other : record.after) {
      const auto state = records_.at(other).state;
      if (state == JobState::failed || state == JobState::cancelled) queue_.ended(other, state);
    }
  }

  void claim() {
    for (std::size_t lane = 0; lane < kLanes.size(); ++lane) {
      while (busy_[lane] < kLanes[lane].workers && claim_on(lane)) {
      }
    }
  }

  bool claim_on(std::size_t lane) {
    const Moment now = moment();
    const auto lease = queue_.claim(now, Claimable::every_job, kLanes[lane].skills);
    if (!lease) return false;
    Record& record = records_.at(lease->id);
    note("claim ", lease->id);
    check_claim(record, *lease, now);
    EXPECT_TRUE(kLanes[lane].skills.take(record.job.provider));
    record.state = JobState::running;
    record.lane = lane;
    record.job.epoch = lease->epoch;
    if (!lease->night.empty()) record.job.terms.night = lease->night;
    ++record.starts;
    ++busy_[lane];
    // Two in ten die, a poisoned job kills always; some come back when they are given up.
    const bool dies = record.poison || random_() % 10 < 2;
    const bool late = chance(12);
    Work work{lease->id, lease->epoch, now_ + 60'000, {}};
    const std::int64_t rest = lease->granted.evaluations - record.job.kept.evaluations;
    EXPECT_GE(rest, 0);
    if (rest > 0) {
      work.cost.evaluations = 1 + static_cast<std::int64_t>(random_() % 20) % rest;
    }
    work.cost.seconds = std::max(0.0, std::min(60.0, lease->granted.seconds));
    if (late) work.ends += 2 * milliseconds(kLeaseTime).count();
    if (dies) {
      work.ends = INT64_MAX;
      // The steps until then are kept and charged: the next start goes on from them.
      record.job.spent.evaluations += work.cost.evaluations;
      record.job.kept.evaluations += work.cost.evaluations;
    }
    work_.push_back(work);
    return true;
  }

  void check_claim(const Record& record, const Lease& lease, const Moment& now) {
    const auto& terms = record.job.terms;
    EXPECT_EQ(record.state, JobState::queued);
    EXPECT_EQ(lease.epoch, record.job.epoch + 1);
    for (const auto& other : record.after) EXPECT_EQ(records_.at(other).state, JobState::done);
    if (terms.not_before) {
      EXPECT_GE(now_ + 60'000, terms.not_before->value);
    }
    if (!terms.background) return;
    if (!limits_.quiet_hours.empty()) {
      EXPECT_NE(now_ / 3'600'000 % 24, 1) << "quiet hours";
    }
    if (limits_.night.evaluations > 0) {
      EXPECT_LE(queue_.spent(now.night).evaluations, limits_.night.evaluations);
    }
    if (limits_.user.seconds > 0) {
      EXPECT_LE(queue_.spent(now.night, terms.user).seconds, limits_.user.seconds + 1e-9);
    }
  }

  /// Results that are due; the store takes those of the newest lease of a running job.
  void finish_work() {
    for (auto work = work_.begin(); work != work_.end();) {
      if (work->ends > now_) {
        ++work;
        continue;
      }
      Record& record = records_.at(work->id);
      const bool mine = queue_.settle(work->id, work->epoch, work->cost);
      const bool fenced = record.state == JobState::running && record.job.epoch == work->epoch;
      EXPECT_EQ(mine, fenced) << "the queue and the store agree on who holds " << work->id.str();
      if (fenced) {
        ++record.results;
        record.job.spent.evaluations += work->cost.evaluations;
        --busy_[record.lane];
        EXPECT_LE(record.job.spent.evaluations, record.job.budget.evaluations)
            << work->id.str() << ": all its starts together";
        end(record, JobState::done);
      }
      work = work_.erase(work);
    }
  }

  void tick() {
    for (const auto& passing : queue_.tick(moment())) {
      Record& record = records_.at(passing.id);
      if (passing.kind == Passing::Kind::lease_lost) {
        --busy_[record.lane];
        Spent kept = record.job.spent;
        kept -= passing.before;
        if (!passing.night.empty()) queue_.charge(passing.night, record.job.terms.user, kept);
        note("lost ", passing.id);
        fail_start(record, passing.epoch + 1);
      } else {
        end(record, JobState::failed);
      }
    }
  }

  /// The daemon dies: its queue is made again from the records, its workers' results come late.
  void restart() {
    trace_ += "restart;";
    std::map<std::string, Spent> ledger;
    const std::string night = moment().night;
    queue_ = NightQueue();
    busy_ = {};
    ASSERT_TRUE(queue_.set_rules(limits_));
    for (auto& [id, record] : records_) {
      if (record.job.terms.night == night) {
        queue_.charge(night, record.job.terms.user, record.job.spent);
      }
      if (record.state == JobState::running) {
        fail_start(record, record.job.epoch);
      } else if (record.state == JobState::queued) {
        put(record);
      }
    }
  }

  [[nodiscard]] bool settled() const {
    return std::all_of(records_.begin(), records_.end(), [](const auto& entry) {
      return entry.second.state == JobState::done || entry.second.state == JobState::failed;
    });
  }

  void check_the_end() {
    for (const auto& [id, record] : records_) {
      EXPECT_LE(record.results, 1) << id.str();
      EXPECT_EQ(record.results == 1, record.state == JobState::done) << id.str();
      EXPECT_LE(record.starts, kMostStarts) << id.str();
      EXPECT_FALSE(record.poison && record.state == JobState::done) << id.str();
      const bool ended = record.state == JobState::done || record.state == JobState::failed;
      EXPECT_TRUE(ended) << id.str() << " is stuck: " << queue_.why(id, moment());
    }
  }

  std::mt19937_64 random_;
  knowledge_base::QueueRules limits_;
  NightQueue queue_;
  SteadyWall wall_;
  std::map<JobId, Record> records_;
  std::vector<Work> work_;
  std::int64_t now_ = kEvening;
  std::int64_t jump_ = 0;
  std::int64_t jumped_ = kEvening;
  std::array<int, kLanes.size()> busy_{};
  std::string trace_;
};

TEST(NightSimulation, EveryNightEndsWithEachResultOnceAndWithinItsRules) {
  const char* const wanted = std::getenv("NIGHT_SEEDS");  // NOLINT(concurrency-mt-unsafe)
  const int seeds = wanted == nullptr ? 1000 : std::atoi(wanted);
  std::size_t decisions = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    const std::string trace = World(static_cast<std::uint64_t>(seed)).live();
    decisions += static_cast<std::size_t>(std::count(trace.begin(), trace.end(), ';'));
    if (seed % 10 == 0) {
      EXPECT_EQ(World(static_cast<std::uint64_t>(seed)).live(), trace) << "the same decisions";
    }
    ASSERT_FALSE(HasFailure()) << "seed " << seed << ": " << trace;
  }
  std::printf("%d nights, %zu decisions\n", seeds, decisions);
}

}  // namespace
}  // namespace warpmind::daemon
