/// \file
/// kill -9 of the real daemon at random moments under load: nothing that it acknowledged is lost,
/// and every next start needs no repair by hand. Cycles: KILL_CYCLES (default 20).
/// Seed: KILL_SEED (printed).

#include "base/codec/json_guard.h"
#include "base/guarded.h"
#include "config/task_file.h"
#include "profilers/lab_recording.h"
#include "tests/fakes/scripted_kernel_lab.h"
#include "tests/transcript/daemon_process.h"

#include <atomic>
#include <csignal>
#include <cstdlib>
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

}  // namespace
}  // namespace warpmind::tests
