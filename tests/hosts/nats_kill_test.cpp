#include "daemon/hosts/remote_kernel_lab.h"
#include "tests/fakes/child_process.h"
#include "tests/hosts/buses_under_test.h"
#include "tests/unit/profilers/twice_task.h"

#include <atomic>
#include <random>
#include <thread>
#include <vector>

namespace warpmind::tests {
namespace {

using namespace std::chrono_literals;
using namespace daemon::hosts;  // NOLINT(google-build-using-namespace): what is tested

const LaneName kLane{"sm_90", "nvidia-h200", "1"};
constexpr auto kLease = 1000ms;

/// Many evaluations over a real server, asked by several callers at a time.
class NatsKill : public ::testing::Test {
 protected:
  void SetUp() override {
    auto server = NatsServer::start();
    if (!server) GTEST_SKIP() << server.error().message;
    server_ = std::move(*server);
    auto buses = open_nats({server_->url(), "", {}, "asker", kLease});
    if (!buses) GTEST_SKIP() << buses.error().message;
    buses_ = std::move(*buses);
    for (int i = 0; i < 3; ++i) start_worker();
  }

  void start_worker() {
    workers_.push_back(std::make_unique<fakes::ChildProcess>(std::vector<std::string>{
        "hosts_worker", server_->url(), std::to_string(kLease.count()), "60"}));
  }

  static Kernel kernel_of(int number) {
    Kernel kernel = profilers::twice_kernel();
    kernel.source += "// time " + std::to_string(number + 1) + "\n";
    return kernel;
  }

  /// Asks all; while it does, `disturb` is called with the number of answers so far. Every answer
  /// must be that of its kernel.
  template <class Disturb>
  void ask_all(int evaluations, const Disturb& disturb) {
    RemoteLabOptions options{Provider::gpu, kLane, "", "0123456789abcdef", 60s, 50ms};
    RemoteKernelLab lab(buses_.evaluations, options);
    const Task task = profilers::twice_task();
    std::atomic<int> next = 0;
    std::atomic<int> applied = 0;
    {
      std::vector<std::jthread> callers;
      for (int caller = 0; caller < 4; ++caller) {
        callers.emplace_back([&] {
          for (int i = next++; i < evaluations; i = next++) {
            const auto verdict = lab.judge({task, kernel_of(i)}, {});
            ASSERT_TRUE(verdict) << verdict.error().message;
            ASSERT_TRUE(verdict->measurement) << verdict->reason;
            EXPECT_EQ(verdict->measurement->median_ns, (i + 1) * 1000.0);
            ++applied;
          }
        });
      }
      int seen = -1;
      while (applied < evaluations && !HasFatalFailure()) {
        if (applied == seen) {
          std::this_thread::yield();
          continue;
        }
        seen = applied;
        disturb(seen);
      }
    }
    EXPECT_EQ(applied, evaluations);
  }

  std::unique_ptr<NatsServer> server_;
  Buses buses_;
  std::vector<std::unique_ptr<fakes::ChildProcess>> workers_;
};

TEST_F(NatsKill, WorkersThatDieLoseNoEvaluationAndDoubleNone) {
  std::mt19937 random(7);
  ask_all(60, [&](int done) {
    if (done % 12 != 5) return;
    workers_.at(random() % workers_.size())->kill();
    start_worker();
  });
}

TEST_F(NatsKill, AServerThatDiesLosesNoEvaluation) {
  int killed = 0;
  ask_all(60, [&](int done) {
    if (done < 15 * (killed + 1) || killed == 3) return;
    ++killed;
    server_->kill();
    ASSERT_TRUE(server_->start_again());
  });
  EXPECT_GT(killed, 0);
}

TEST_F(NatsKill, AServerThatIsWipedLosesNoEvaluation) {
  bool wiped = false;
  ask_all(30, [&](int done) {
    if (done < 8 || wiped) return;
    wiped = true;
    server_->kill();
    server_->wipe();
    ASSERT_TRUE(server_->start_again());
  });
  EXPECT_TRUE(wiped);
}

TEST(NatsToken, TheRightTokenOpensTheServerAndAWrongOneIsSaid) {
  const auto server = NatsServer::start("s3cret-token");
  if (!server) GTEST_SKIP() << server.error().message;

  const auto known = describe_nats({(*server)->url(), "s3cret-token", {}, "test", kLease});
  const auto stranger = describe_nats({(*server)->url(), "wrong", {}, "test", kLease});

  EXPECT_TRUE(known) << known.error().message;
  ASSERT_FALSE(stranger);
  EXPECT_EQ(stranger.error().code, Errc::unavailable);
  EXPECT_EQ(stranger.error().message.find("wrong"), std::string::npos);
}

TEST(NatsAddress, ASecretInTheAddressIsRefused) {
  for (const char* url : {"nats://user:pass@host:4222", "nats://token@host"}) {
    const auto refused = open_nats({url, "", {}, "test", kLease});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::invalid_argument);
    EXPECT_NE(refused.error().message.find("queue.nats_token_file"), std::string::npos);
  }
  EXPECT_EQ(open_nats({"http://host", "", {}, "test", kLease}).error().code,
            Errc::invalid_argument);
}

}  // namespace
}  // namespace warpmind::tests
