/// \file
/// kill -9 of the real daemon at random moments under load: nothing that it acknowledged is lost,
/// and every next start needs no repair by hand. Cycles: KILL_CYCLES (default 20).
/// Seed: KILL_SEED (printed).

#include "agents/episode_loop.h"
#include "agents/replay_proposer.h"
#include "base/codec/json_guard.h"
#include "base/guarded.h"
#include "config/device_table.h"
#include "config/task_file.h"
#include "profilers/lab_recording.h"
#include "profilers/recording_kernel_lab.h"
#include "tests/fakes/memory_knowledge_store.h"
#include "tests/fakes/scripted_kernel_lab.h"
#include "tests/transcript/daemon_process.h"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <thread>

#include <gtest/gtest.h>

namespace warpmind::tests {
namespace {

constexpr int kClients = 3;
constexpr int kMostAcknowledgements = 30;  // before a kill

std::int64_t environment_number(const char* name, std::int64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoll(text);
}

/// What the daemon promised, over all its lives.
struct Promises {
  std::set<std::string> jobs;                  ///< answered by task.submit
  std::map<std::string, std::string> results;  ///< answered by task.result, state done
};

/// The "result" of a reply, or null when the daemon died before it came.
nlohmann::json result_of(const std::string& reply) {
  const auto parsed = codec::parse_json(reply);
  if (!parsed || !parsed->contains("result")) return nullptr;
  return (*parsed)["result"];
}

class DaemonKill : public testing::Test {
 protected:
  DaemonKill() {
    options_.program = std::string(WARPMIND_BINARY_DIR) + "/warpmindd";
    options_.environment = {"WARPMIND_DAEMON_ALLOW_ROOT=true"};
    record_fixture();
  }

  /// The task's own kernel is right and takes 100 us; every candidate is answered as "blocked".
  void record_fixture() {
    const auto task = config::load_task(task_directory_).value().task;
    fakes::ScriptedKernelLab lab([](const Kernel&) { return 100.0; });
    const profilers::JudgeOrder order{task, task.kernel};
    const auto directory = home_.path() / "fixtures";
    ASSERT_TRUE(make_private_directory(directory).has_value());
    ASSERT_TRUE(profilers::write_recording(profilers::verdict_file(directory, task.kernel),
                                           lab.judge(order, {}).value())
                    .has_value());
    ASSERT_TRUE(profilers::write_recording(profilers::device_file(directory), lab.device().value())
                    .has_value());
    submission_ = codec::dump_json({{"directory", task_directory_},
                                    {"provider", "fixture"},
                                    {"fixture_directory", directory.string()},
                                    {"evaluations", 2}});
  }

  /// Submits one job; "" when the daemon is gone.
  std::string submit(WireClient& client) {
    const auto submitted = result_of(client.call("task.submit", submission_));
    if (submitted.is_null()) return "";
    const auto job = submitted["job_id"].get<std::string>();
    promises_.with([&](Promises& promises) { promises.jobs.insert(job); });
    return job;
  }

  /// Asks until the job has ended; false when the daemon is gone.
  bool await_result(WireClient& client, const std::string& job) {
    while (true) {
      const auto found = result_of(client.call("task.result", R"({"job_id":")" + job + "\"}"));
      if (!found.is_object()) return false;
      const auto state = found["job"]["state"].get<std::string>();
      if (state == "queued" || state == "running") continue;
      promises_.with(
          [&](Promises& promises) { promises.results[job] = codec::dump_json(found["job"]); });
      return true;
    }
  }

  /// One client: job after job, so that commits and submissions are under way all the time.
  void load(const std::filesystem::path& socket, std::atomic<int>& acknowledged) {
    auto client = WireClient::connect(socket);
    if (!client) return;
    while (true) {
      const auto job = submit(*client);
      if (job.empty()) return;
      ++acknowledged;
      acknowledged.notify_all();
      if (!await_result(*client, job)) return;
      ++acknowledged;
      acknowledged.notify_all();
    }
  }

  void run_and_kill(int target) {
    const DaemonProcess daemon(home_.path(), options_);
    std::atomic<int> acknowledged = 0;
    std::vector<std::jthread> clients;
    for (int i = 0; i < kClients; ++i) {
      clients.emplace_back([&] { load(daemon.socket(), acknowledged); });
    }
    for (int seen = 0; seen < target; seen = acknowledged.load()) acknowledged.wait(seen);
    daemon.signal(SIGKILL);
  }

  /// Every promise holds on a fresh daemon.
  void verify() {
    DaemonProcess daemon(home_.path(), options_);
    auto client = WireClient::greeted(daemon.socket());
    const auto stats = result_of(client.call("kb.stats"));
    ASSERT_TRUE(stats.is_object());
    EXPECT_FALSE(stats["degraded"].get<bool>()) << stats["note"];
    promises_.with([&](const Promises& promises) {
      for (const auto& job : promises.jobs) {
        const auto status = result_of(client.call("task.status", R"({"job_id":")" + job + "\"}"));
        EXPECT_FALSE(status.is_null()) << job << " was acknowledged and is gone";
      }
      for (const auto& [job, text] : promises.results) {
        const auto found = result_of(client.call("task.result", R"({"job_id":")" + job + "\"}"));
        ASSERT_TRUE(found.is_object()) << job;
        EXPECT_EQ(codec::dump_json(found["job"]), text) << job << " changed after it had ended";
      }
    });
    daemon.signal(SIGTERM);
    EXPECT_EQ(daemon.wait(), 0);
  }

  /// Queues `jobs` jobs on a base in `home` and lets them run, with SIGKILL at `kills` moments in
  /// between. Returns what the night's report says of each job.
  std::vector<std::string> night(const std::filesystem::path& home, int jobs, int kills) {
    auto daemon = std::make_unique<DaemonProcess>(home, options_);
    auto client = std::make_unique<WireClient>(WireClient::greeted(daemon->socket()));
    for (int i = 0; i < jobs; ++i) {
      EXPECT_TRUE(result_of(client->call("queue.add", submission_)).is_object());
    }
    std::int64_t waiting = jobs;
    for (int killed = 0; waiting > 0;) {
      const auto list = result_of(client->call("queue.list"));
      if (!list.is_object()) break;
      const std::int64_t left =
          list["waiting"].get<std::int64_t>() + list["running"].get<std::int64_t>();
      const bool due = killed < kills && left <= jobs - (killed + 1) * jobs / (kills + 1);
      waiting = left;
      if (!due) continue;
      daemon->signal(SIGKILL);
      EXPECT_EQ(daemon->wait(), 128 + SIGKILL);
      daemon = std::make_unique<DaemonProcess>(home, options_);
      client = std::make_unique<WireClient>(WireClient::greeted(daemon->socket()));
      ++killed;
    }
    const auto report = result_of(client->call("queue.report"));
    std::vector<std::string> lines;
    for (const auto& job : report["jobs"]) {
      lines.push_back(job["job_id"].get<std::string>() + ' ' + job["state"].get<std::string>() +
                      ' ' + job["outcome"].get<std::string>() + ' ' +
                      job["spent"]["evaluations"].dump() + ' ' + job["summary"].get<std::string>());
    }
    daemon->signal(SIGTERM);
    EXPECT_EQ(daemon->wait(), 0);
    return lines;
  }

  /// Candidates that a replay proposes, with a recorded verdict for each in the order of a greedy
  /// search: some faster, some slower, some wrong. Returns the submission.
  std::string record_search(int candidates) {
    const auto loaded = config::load_task(task_directory_).value().task;
    const auto directory = home_.path() / "search";
    std::string lines;
    for (int i = 1; i <= candidates; ++i) {
      lines += codec::dump_json({{"technique", "t" + std::to_string(i % 4)},
                                 {"parameters", "n=" + std::to_string(i)},
                                 {"kernel", {{"build_flags", {"-DN=" + std::to_string(i)}}}}}) +
               '\n';
    }
    const auto file = home_.path() / "candidates.jsonl";
    EXPECT_TRUE(write_file_atomic(file, lines).has_value());
    auto scripted = std::make_unique<fakes::ScriptedKernelLab>(
        [](const Kernel& kernel) -> std::optional<double> {
          const int n = kernel.build_flags.empty() ? 0 : std::stoi(kernel.build_flags[0].substr(4));
          if (n % 5 == 4) return std::nullopt;
          return n % 3 == 1 ? 100.0 - n : 100.0 + n;
        });
    auto lab = profilers::RecordingKernelLab::create(std::move(scripted), directory).value();
    const auto devices = config::DeviceTable::load().value();
    const SystemClock clock;
    fakes::MemoryKnowledgeStore store;
    auto proposer = agents::ReplayProposer::open(file, loaded).value();
    Job job;
    job.id = JobId("j-0000000001");
    job.request.task = loaded;
    job.request.policy = "greedy";
    job.request.budget = {candidates, 600};
    EXPECT_TRUE(lab->device().has_value());
    const auto episode =
        agents::EpisodeLoop({*lab, store, proposer, devices, clock}).run_episode(job, {});
    EXPECT_EQ(std::ssize(episode->steps), candidates + 1);
    return codec::dump_json({{"directory", task_directory_},
                             {"provider", "fixture"},
                             {"fixture_directory", directory.string()},
                             {"proposer", "replay"},
                             {"replay_file", file.string()},
                             {"policy", "greedy"},
                             {"seconds", 600},
                             {"evaluations", candidates}});
  }

  /// What became of the only job: everything but times.
  static nlohmann::json lasting(nlohmann::json job) {
    for (const char* name : {"started", "finished"}) job["episode"].erase(name);
    return {{"episode", job["episode"]}, {"evaluations", job["spent"]["evaluations"]}};
  }

  /// Runs one job; the daemon is killed whenever the job has reached the next of `steps`.
  nlohmann::json search(const std::filesystem::path& home, const std::string& submission,
                        const std::vector<int>& steps) {
    auto daemon = std::make_unique<DaemonProcess>(home, options_);
    auto client = std::make_unique<WireClient>(WireClient::greeted(daemon->socket()));
    const auto added = result_of(client->call("queue.add", submission));
    EXPECT_TRUE(added.is_object());
    const std::string job = R"({"job_id":")" + added["job_id"].get<std::string>() + "\"}";
    auto next = steps.begin();
    for (;;) {
      const auto status = result_of(client->call("task.status", job));
      if (!status.is_object()) return nullptr;
      const auto state = status["state"].get<std::string>();
      if (state != "queued" && state != "running") break;
      if (next == steps.end() || status["step"].get<int>() < *next) continue;
      ++next;
      daemon->signal(SIGKILL);
      EXPECT_EQ(daemon->wait(), 128 + SIGKILL);
      daemon = std::make_unique<DaemonProcess>(home, options_);
      client = std::make_unique<WireClient>(WireClient::greeted(daemon->socket()));
    }
    auto found = result_of(client->call("task.result", job))["job"];
    daemon->signal(SIGTERM);
    EXPECT_EQ(daemon->wait(), 0);
    return found;
  }

  /// How often the log tells of each step, and of episodes that went on.
  std::map<std::string, int> steps_in_log(const std::filesystem::path& home) {
    std::map<std::string, int> seen;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(home)) {
      if (entry.path().filename() != "warpmindd.log") continue;
      std::ifstream lines(entry.path());
      for (std::string line; std::getline(lines, line);) {
        const auto entry_of_log = nlohmann::json::parse(line, nullptr, false);
        if (!entry_of_log.is_object()) continue;  // cut by a kill
        const std::string message = entry_of_log.value("message", "");
        if (message.find("an episode was interrupted") != std::string::npos) ++seen["interrupted"];
        if (message != "step" || !entry_of_log.contains("step")) continue;
        ++seen["step " + entry_of_log["step"].dump()];
      }
    }
    return seen;
  }

  ScratchDirectory home_ = DaemonProcess::make_home();
  std::string task_directory_ = std::string(WARPMIND_SOURCE_DIR) + "/tasks/transpose";
  std::string submission_;
  DaemonProcess::Options options_;
  Guarded<Promises> promises_;
};

TEST_F(DaemonKill, NothingAcknowledgedIsLost) {
  const auto cycles = environment_number("KILL_CYCLES", 20);
  const auto seed = environment_number("KILL_SEED", std::random_device{}());
  std::printf("%lld cycles, KILL_SEED=%lld\n", static_cast<long long>(cycles),
              static_cast<long long>(seed));
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  std::uniform_int_distribution<int> target(1, kMostAcknowledgements);

  for (std::int64_t cycle = 0; cycle < cycles; ++cycle) {
    run_and_kill(target(random));
    if (cycle % 10 == 9) verify();
  }
  verify();

  promises_.with([](const Promises& promises) {
    std::printf("%zu jobs and %zu results acknowledged, 0 lost\n", promises.jobs.size(),
                promises.results.size());
    EXPECT_GT(promises.jobs.size(), 0U);
    EXPECT_GT(promises.results.size(), 0U);
  });
}

TEST_F(DaemonKill, ANightThatIsKilledFiveTimesEndsAsOneThatIsNot) {
  constexpr int kJobs = 30;
  const ScratchDirectory calm = DaemonProcess::make_home();

  const auto disturbed = night(home_.path(), kJobs, 5);

  EXPECT_EQ(disturbed.size(), static_cast<std::size_t>(kJobs));
  EXPECT_EQ(disturbed, night(calm.path(), kJobs, 0));
}

TEST_F(DaemonKill, AnEpisodeThatIsKilledGoesOnAtItsStep) {
  constexpr int kCandidates = 24;
  const std::string submission = record_search(kCandidates);
  const auto seed = environment_number("KILL_SEED", std::random_device{}());
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  std::vector<int> kills;
  for (int step = 1; kills.size() < 2; step += 8) {
    kills.push_back(step + static_cast<int>(random() % 7));
  }
  const ScratchDirectory disturbed_home = DaemonProcess::make_home();
  const ScratchDirectory calm_home = DaemonProcess::make_home();

  const auto calm = search(calm_home.path(), submission, {});
  const auto disturbed = search(disturbed_home.path(), submission, kills);

  ASSERT_TRUE(calm.is_object() && disturbed.is_object());
  EXPECT_EQ(calm["episode"]["steps"].size(), static_cast<std::size_t>(kCandidates + 1));
  EXPECT_EQ(lasting(disturbed), lasting(calm)) << "KILL_SEED=" << seed;
  auto seen = steps_in_log(disturbed_home.path());
  const int interrupted = std::exchange(seen["interrupted"], 0);
  EXPECT_GE(interrupted, 1) << "KILL_SEED=" << seed;
  seen.erase("interrupted");
  // A kill between the store and the log hides a line.
  EXPECT_GE(seen.size() + kills.size(), static_cast<std::size_t>(kCandidates + 1));
  for (const auto& [step, times] : seen) EXPECT_EQ(times, 1) << step << " was judged again";
  std::printf("killed at steps %d and %d, %d starts went on, each of %zu steps judged once\n",
              kills[0], kills[1], interrupted, seen.size());
}

}  // namespace
}  // namespace warpmind::tests
