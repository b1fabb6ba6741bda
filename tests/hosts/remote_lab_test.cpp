#include "config/device_table.h"
#include "config/settings.h"
#include "daemon/hosts/evaluation_server.h"
#include "daemon/hosts/hosts.h"
#include "daemon/hosts/remote_kernel_lab.h"
#include "tests/fakes/scripted_kernel_lab.h"
#include "tests/hosts/buses_under_test.h"
#include "tests/unit/profilers/twice_task.h"

#include <atomic>
#include <condition_variable>
#include <thread>

#include <gmock/gmock.h>

namespace warpmind::tests {
namespace {

using namespace std::chrono_literals;
using namespace daemon::hosts;  // NOLINT(google-build-using-namespace): what is tested
using profilers::twice_kernel;
using ::testing::HasSubstr;

const LaneName kLane{"sm_90", "nvidia-h200", "1"};
constexpr auto kLong = 30s;

/// A scripted lab that can be held up, and that says how often it was asked.
class GatedLab final : public profilers::KernelLab {
 public:
  GatedLab()
      : inner_([](const Kernel& kernel) -> std::optional<double> {
          if (kernel.source.find("kind_wrong") != std::string::npos) return std::nullopt;
          return kernel.source.find("kind_fast") != std::string::npos ? 50.0 : 100.0;
        }) {}

  [[nodiscard]] Provider provider() const override { return Provider::gpu; }
  [[nodiscard]] Result<DeviceIdentity> device() override {
    if (is_lost) return fail(Errc::unavailable, "the device is lost");
    return inner_.device();
  }
  [[nodiscard]] Result<Verdict> judge(const profilers::JudgeOrder& order,
                                      std::stop_token stop) override {
    ++asked;
    if (!refuse.empty()) return fail(Errc::invalid_argument, refuse);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, stop, [this] { return !closed_; });
    if (stop.stop_requested()) return fail(Errc::cancelled, "stopped");
    return inner_.judge(order, stop);
  }
  [[nodiscard]] Result<Comparison> compare(const profilers::JudgeOrder& order,
                                           std::stop_token stop) override {
    ++asked;
    return inner_.compare(order, std::move(stop));
  }

  void close() {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
  }
  void open() {
    const std::scoped_lock lock(mutex_);
    closed_ = false;
    changed_.notify_all();
  }

  std::atomic<int> asked = 0;
  std::atomic<bool> is_lost = false;
  std::string refuse;

 private:
  fakes::ScriptedKernelLab inner_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool closed_ = false;
};

/// A worker of this process.
class Worker {
 public:
  Worker(EvaluationBus& bus, std::shared_ptr<GatedLab> lab, const std::string& name)
      : server_(
            bus, [lab](const std::string&) { return std::shared_ptr<profilers::KernelLab>(lab); },
            options(name)),
        thread_([this](const std::stop_token& stop) { server_.serve_orders(stop); }) {}

  [[nodiscard]] ServedCounts counts() const { return server_.counts(); }

 private:
  static EvaluationServerOptions options(const std::string& name) {
    EvaluationServerOptions made;
    made.lane = kLane;
    made.stamp = {name, "host-of-" + name, "0.1"};
    made.device = fakes::ScriptedKernelLab(nullptr).device().value();
    made.lease = kTestLease;
    made.unhealthy_pause = 50ms;
    made.patience = 50ms;
    return made;
  }

  EvaluationServer server_;
  std::jthread thread_;
};

template <class F>
bool becomes_true(const F& condition) {
  const auto end = std::chrono::steady_clock::now() + kLong;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

class RemoteLab : public BothEngines {
 protected:
  [[nodiscard]] std::unique_ptr<RemoteKernelLab> lab(std::chrono::milliseconds patience = kLong) {
    RemoteLabOptions options;
    options.lane = kLane;
    options.asker = "0123456789abcdef";
    options.patience = patience;
    options.look = 20ms;
    return std::make_unique<RemoteKernelLab>(under_test_.buses.evaluations, options);
  }

  Task task_ = profilers::twice_task();
  std::shared_ptr<GatedLab> there_ = std::make_shared<GatedLab>();
};
INSTANTIATE_TEST_SUITE_P(Engines, RemoteLab, kEngines, name_of_engine);

TEST_P(RemoteLab, AnswersAsTheLabOnTheOtherHostWouldAndNamesThatHost) {
  const Worker worker(evaluations(), there_, "w1");
  const auto remote = lab();
  const Kernel fast = twice_kernel("fast");
  const Kernel wrong = twice_kernel("wrong");
  GatedLab here;

  for (const Kernel* kernel : std::initializer_list<const Kernel*>{&task_.kernel, &fast, &wrong}) {
    const Kernel* incumbent = kernel == &task_.kernel ? nullptr : &task_.kernel;
    const profilers::JudgeOrder order{task_, *kernel, incumbent};
    auto expected = here.judge(order, {}).value();
    if (expected.measurement) expected.measurement->host = "host-of-w1";

    const auto verdict = remote->judge(order, {});

    ASSERT_TRUE(verdict) << verdict.error().message;
    EXPECT_EQ(*verdict, expected);
  }
  EXPECT_EQ(remote->compare({task_, fast, &task_.kernel}, {}).value().ratio, 2.0);
  EXPECT_EQ(remote->device().value(), here.device().value());
  EXPECT_EQ(there_->asked, 4);
}

TEST_P(RemoteLab, AJobGetsTheWorkersOfTheDeviceThatItNames) {
  const auto devices = config::DeviceTable::load().value();
  const auto announce = [&](const std::string& worker, const std::string& key) {
    const DeviceSpec row = devices.find(key).value();
    DeviceIdentity device;
    device.name = row.name;
    device.compute_major = row.compute_major;
    device.compute_minor = row.compute_minor;
    const WorkerNotice notice{worker, "host", lane_of(Provider::gpu, device), device};
    ASSERT_TRUE(evaluations().announce(worker, encode(notice)));
  };
  announce("w1", "a100_80");
  announce("w2", "h200");
  announce("w3", "h200");
  const config::Settings settings;
  Hosts hosts(settings, under_test_.buses, "0123456789abcdef");
  const auto device_of = [&](const std::string& name) {
    JobRequest request;
    request.provider = Provider::gpu;
    request.device = name;
    const auto lab = hosts.lab_for(request, devices);
    return lab == nullptr ? std::string("none") : lab->device().value().name;
  };

  EXPECT_EQ(device_of("sm_80"), devices.find("a100_80")->name);
  EXPECT_EQ(device_of("a100_80"), devices.find("a100_80")->name);
  EXPECT_EQ(device_of("h200"), devices.find("h200")->name);
  EXPECT_EQ(device_of(""), devices.find("h200")->name) << "where most workers are";
  EXPECT_EQ(device_of("sm_100"), "none");
}

TEST_P(RemoteLab, WhatTheWorkerCannotJudgeIsARefusalWithItsReason) {
  there_->refuse = "the task's reference does not build";
  const Worker worker(evaluations(), there_, "w1");

  const auto verdict = lab()->judge({task_, task_.kernel}, {});

  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error(), (Error{Errc::invalid_argument, there_->refuse}));
}

TEST_P(RemoteLab, ASecondQuestionIsANewMeasurementTheSameOneIsNot) {
  const Worker worker(evaluations(), there_, "w1");
  const auto first = lab();
  ASSERT_TRUE(first->judge({task_, task_.kernel}, {}));
  ASSERT_TRUE(first->judge({task_, task_.kernel}, {}));
  EXPECT_EQ(there_->asked, 2);

  // A daemon that was killed asks what it asked before, and gets what was found out.
  const auto after_a_crash = lab();
  ASSERT_TRUE(after_a_crash->judge({task_, task_.kernel}, {}));
  EXPECT_EQ(there_->asked, 2);
}

TEST_P(RemoteLab, ALongSourceTravelsToo) {
  const Worker worker(evaluations(), there_, "w1");
  Kernel kernel = twice_kernel("fast");
  kernel.source += "// " + std::string(2'000'000, 'x');

  const auto verdict = lab()->judge({task_, kernel, &task_.kernel}, {});

  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_EQ(verdict->outcome, Outcome::improved);
}

TEST_P(RemoteLab, AStoppedQuestionLeavesTheQueue) {
  const auto remote = lab();
  std::stop_source stop;
  Result<Verdict> verdict = fail(Errc::timeout, "not asked yet");
  std::jthread asking([&] { verdict = remote->judge({task_, task_.kernel}, stop.get_token()); });
  std::unique_ptr<Delivery> taken;
  ASSERT_TRUE(becomes_true([&] {
    taken = evaluations().take(kLane, 50ms).value();
    return taken != nullptr;
  }));

  stop.request_stop();
  asking.join();

  EXPECT_EQ(verdict.error().code, Errc::cancelled);
  EXPECT_FALSE(evaluations().is_pending(kLane, taken->order_id()).value());
}

TEST_P(RemoteLab, WithoutAWorkerItGivesUpAndTheSameQuestionIsTakenUpLater) {
  const auto verdict = lab(300ms)->judge({task_, task_.kernel}, {});
  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().code, Errc::unavailable);
  EXPECT_THAT(verdict.error().message, HasSubstr("sm_90/nvidia-h200"));

  const Worker worker(evaluations(), there_, "w1");
  EXPECT_TRUE(lab()->judge({task_, task_.kernel}, {}));
  EXPECT_EQ(there_->asked, 1);
}

TEST_P(RemoteLab, ADeviceThatIsLostGivesTheOrderToAnother) {
  auto lost = std::make_shared<GatedLab>();
  lost->is_lost = true;
  const Worker sick(evaluations(), lost, "sick");
  std::jthread asking([&] {
    const auto verdict = lab()->judge({task_, task_.kernel}, {});
    EXPECT_TRUE(verdict && verdict->measurement->host == "host-of-well");
  });
  ASSERT_TRUE(becomes_true([&] { return sick.counts().given_back > 0; }));

  const Worker well(evaluations(), there_, "well");
  asking.join();

  EXPECT_EQ(there_->asked, 1);
  EXPECT_EQ(sick.counts().judged, 0);
}

TEST_P(RemoteLab, AStoppedWorkerGivesItsOrderBack) {
  auto slow = std::make_shared<GatedLab>();
  slow->close();
  auto leaving = std::make_unique<Worker>(evaluations(), slow, "leaving");
  std::jthread asking([&] {
    const auto verdict = lab()->judge({task_, task_.kernel}, {});
    EXPECT_TRUE(verdict && verdict->measurement->host == "host-of-staying");
  });
  ASSERT_TRUE(becomes_true([&] { return slow->asked > 0; }));

  leaving.reset();
  const Worker staying(evaluations(), there_, "staying");
  asking.join();

  EXPECT_EQ(there_->asked, 1);
}

TEST_P(RemoteLab, APoisonedOrderIsBlockedWithTheNamesOfItsVictims) {
  // Three workers began and died: all that is left of them is that they began.
  const auto remote = lab();
  Result<Verdict> verdict = fail(Errc::timeout, "not asked yet");
  std::jthread asking([&] { verdict = remote->judge({task_, task_.kernel}, {}); });
  std::unique_ptr<Delivery> taken;
  ASSERT_TRUE(becomes_true([&] {
    taken = evaluations().take(kLane, 50ms).value();
    return taken != nullptr;
  }));
  for (const char* victim : {"w1", "w2", "w3"}) {
    ASSERT_TRUE(evaluations().note_start(taken->order_id(), victim));
  }
  ASSERT_TRUE(taken->later(1ms));

  const Worker careful(evaluations(), there_, "w4");
  asking.join();

  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_EQ(verdict->outcome, Outcome::blocked);
  EXPECT_THAT(verdict->reason, HasSubstr("w1, w2, w3"));
  EXPECT_EQ(there_->asked, 0);
  EXPECT_EQ(careful.counts().given_up, 1);
}

TEST_P(RemoteLab, GarbageIsThrownAwayAndTheNextOrderIsServed) {
  const std::string id(64, 'a');
  ASSERT_TRUE(evaluations().post(kLane, id, "={\"no\":\"order\"}"));
  ASSERT_TRUE(evaluations().post(kLane, std::string(64, 'b'), "neither mark nor JSON"));
  ASSERT_TRUE(evaluations().post(kLane, std::string(64, 'c'), "@" + std::string(64, 'd')));
  const Worker worker(evaluations(), there_, "w1");

  ASSERT_TRUE(lab()->judge({task_, task_.kernel}, {}));

  EXPECT_TRUE(becomes_true([&] { return worker.counts().discarded == 3; }));
  EXPECT_EQ(worker.counts().judged, 1);
  EXPECT_EQ(evaluations().find_result(id).value(), std::nullopt);
}

TEST_P(RemoteLab, OfTwoWorkersOnOneOrderOneResultIsApplied) {
  auto slow = std::make_shared<GatedLab>();
  slow->close();
  const Worker first(evaluations(), slow, "first");
  const auto remote = lab();
  Result<Verdict> verdict = fail(Errc::timeout, "not asked yet");
  std::jthread asking([&] { verdict = remote->judge({task_, task_.kernel}, {}); });
  ASSERT_TRUE(becomes_true([&] { return slow->asked > 0; }));
  // Somebody else answers meanwhile, as after a lease that ran out.
  EvaluationOrder order;
  order.lane = kLane;
  order.asker = "0123456789abcdef";
  order.task = task_;
  order.kernel = task_.kernel;
  const std::string id = id_of_order(encode(order));
  EvaluationResult early{
      id, {"second", "host-of-second", "0.1"}, GatedLab().judge({task_, task_.kernel}, {}).value()};
  ASSERT_TRUE(
      evaluations().put_result(id, pack_body(evaluations(), encode(early)).value()).value());
  asking.join();

  slow->open();
  ASSERT_TRUE(becomes_true([&] { return first.counts().judged == 1; }));

  EXPECT_EQ(verdict->measurement->host, "host-of-second");
  const auto kept =
      unpack_body(evaluations(), evaluations().find_result(id).value().value()).value();
  EXPECT_EQ(decode_result(kept)->stamp.worker, "second");
  ASSERT_TRUE(becomes_true([&] { return !evaluations().is_pending(kLane, id).value(); }));
}

TEST(RemoteLabOnACutLink, NothingIsLostAndNothingJudgedTwice) {
  auto bus = std::make_shared<fakes::MemoryEvaluationBus>(kTestLease);
  auto there = std::make_shared<GatedLab>();
  there->close();
  const Task task = profilers::twice_task();
  const Worker worker(*bus, there, "w1");
  RemoteLabOptions options{Provider::gpu, kLane, "", "0123456789abcdef", kLong, 20ms};
  RemoteKernelLab remote(bus, options);
  Result<Verdict> verdict = fail(Errc::timeout, "not asked yet");
  std::jthread asking([&] { verdict = remote.judge({task, task.kernel}, {}); });
  ASSERT_TRUE(becomes_true([&] { return there->asked > 0; }));

  bus->cut(true);
  there->open();  // the worker finishes while nobody can be told
  ASSERT_TRUE(becomes_true([&] { return worker.counts().judged == 1; }));
  bus->cut(false);
  asking.join();

  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_EQ(there->asked, 1);
}

TEST(RemoteLabOnAWipedServer, TheOrderIsPostedAgain) {
  auto bus = std::make_shared<fakes::MemoryEvaluationBus>(kTestLease);
  const Task task = profilers::twice_task();
  RemoteLabOptions options{Provider::gpu, kLane, "", "0123456789abcdef", kLong, 20ms};
  RemoteKernelLab remote(bus, options);
  Result<Verdict> verdict = fail(Errc::timeout, "not asked yet");
  std::jthread asking([&] { verdict = remote.judge({task, task.kernel}, {}); });
  ASSERT_TRUE(becomes_true([&] { return bus->take(kLane, 50ms).value() != nullptr; }));

  bus->wipe();
  auto there = std::make_shared<GatedLab>();
  const Worker worker(*bus, there, "w1");
  asking.join();

  EXPECT_TRUE(verdict) << verdict.error().message;
}

}  // namespace
}  // namespace warpmind::tests
