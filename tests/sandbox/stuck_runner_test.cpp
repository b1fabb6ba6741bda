#include "profilers/health/device_health.h"
#include "profilers/process/stuck_process.h"
#include "profilers/runner_pool.h"
#include "tests/sandbox/sandbox_fixture.h"

#include <csignal>
#include <thread>

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

/// A frozen process of a version 1 freezer does not die before it is thawed: as one that waits
/// inside a driver.
class Freezer {
 public:
  Freezer() : folder_("/sys/fs/cgroup/freezer/warpmind-test-" + std::to_string(::getpid())) {
    std::error_code ec;
    usable_ = std::filesystem::create_directory(folder_, ec);
  }
  ~Freezer() {
    thaw();
    for (int i = 0; usable_ && i < 10'000 && ::rmdir(folder_.c_str()) != 0; ++i) {
      std::this_thread::yield();
    }
  }
  Freezer(const Freezer&) = delete;
  Freezer& operator=(const Freezer&) = delete;

  [[nodiscard]] bool usable() const { return usable_; }
  void add(const std::string& pid) const { put("cgroup.procs", pid); }
  void freeze() const {
    put("freezer.state", "FROZEN");
    while (read_file(folder_ / "freezer.state", 64).value_or("") != "FROZEN\n") {
      std::this_thread::yield();
    }
  }
  void thaw() const {
    if (usable_) put("freezer.state", "THAWED");
  }

 private:
  void put(const char* file, const std::string& text) const {
    std::ofstream(folder_ / file) << text << std::flush;
  }

  std::filesystem::path folder_;
  bool usable_ = false;
};

class SettableClock final : public Clock {
 public:
  [[nodiscard]] UnixMillis wall() const override { return {0}; }
  [[nodiscard]] std::chrono::steady_clock::time_point monotonic() const override { return now; }
  std::chrono::steady_clock::time_point now{};
};

/// T-DSTATE: a runner that SIGKILL does not end costs one job and one device, not the daemon.
class StuckRunnerTest : public SandboxFixture {
 protected:
  void SetUp() override {
    SandboxFixture::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    if (!freezer_.usable()) GTEST_SKIP() << "no freezer of cgroup version 1 can be made here";
    HealthHooks hooks;
    hooks.clock = clock_;
    hooks.probe = [](const std::stop_token&) -> Result<ProbeReport> {
      return ProbeReport{"", 1000, {}};
    };
    health_ = std::make_shared<DeviceHealth>(HealthSettings{}, std::move(hooks));
  }

  RunnerPlace place(const std::string& behaviour) {
    RunnerPlace made{places_.runner(behaviour), places_.path() / "scratch", {}, 0};
    made.kill_grace = milliseconds(100);
    made.on_bad_end = [this](AbnormalEnd end) { return health_->note_end(std::move(end)); };
    return made;
  }

  /// All that bubblewrap started but itself, which waits in no driver.
  void freeze_runner(pid_t bubblewrap) {
    for (const auto& line : places_.processes()) {
      const std::string pid = line.substr(0, line.find(' '));
      if (pid != std::to_string(bubblewrap)) freezer_.add(pid);
    }
    freezer_.freeze();
  }

  Freezer freezer_;
  std::shared_ptr<SettableClock> clock_ = std::make_shared<SettableClock>();
  std::shared_ptr<DeviceHealth> health_;
};

TEST_F(StuckRunnerTest, CostsTheDeviceUntilItThaws) {
  RunnerPool pool(*sandbox_, place("stand_in"), health_);
  auto stuck = WorkerSession::start(*sandbox_, place("hang"));
  ASSERT_TRUE(stuck) << stuck.error().message;
  freeze_runner(stuck->pid());

  const auto answer = stuck->run_job(RunnerJob{}, 0.05, {});

  ASSERT_TRUE(answer) << "the lab goes on";
  EXPECT_EQ(answer->outcome, Outcome::timed_out);
  ASSERT_NE(stuck->stuck(), nullptr);
  EXPECT_FALSE(stuck->stuck()->gone());
  const auto refused = pool.take({});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::unavailable);
  EXPECT_THAT(refused.error().message, HasSubstr("still waits inside the driver"));
  // The rest of the machine works: a compiler, or a runner on another device.
  EXPECT_TRUE(
      run(SandboxRole::compiler, command("limit_attacks", {"write_much"}), std::chrono::minutes(1))
          .end.success());

  freezer_.thaw();
  while (!stuck->stuck()->gone()) std::this_thread::yield();
  EXPECT_FALSE(pool.take({})) << "the minute is not over";
  clock_->now += std::chrono::seconds(60);
  EXPECT_TRUE(pool.take({}));
  EXPECT_FALSE(health_->quarantine());
}

}  // namespace
}  // namespace warpmind::profilers
