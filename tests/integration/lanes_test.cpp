/// \file
/// The real daemon on a machine with several GPUs, which a stand-in for NVML shows: its lanes, and
/// jobs beside each other. What is run are recordings, so that nothing needs a GPU.

#include "base/codec/json_guard.h"
#include "config/task_file.h"
#include "profilers/lab_recording.h"
#include "tests/fakes/scripted_kernel_lab.h"
#include "tests/transcript/daemon_process.h"

#include <csignal>

#include <gtest/gtest.h>

namespace warpmind::tests {
namespace {

nlohmann::json result_of(const std::string& reply) {
  const auto parsed = codec::parse_json(reply);
  if (!parsed || !parsed->contains("result")) return nullptr;
  return (*parsed)["result"];
}

class DaemonLanes : public testing::Test {
 protected:
  void start(const std::vector<std::string>& environment) {
    DaemonProcess::Options options;
    options.program = std::string(WARPMIND_BINARY_DIR) + "/warpmindd";
    options.environment = {"WARPMIND_DAEMON_ALLOW_ROOT=true",
                           "LD_LIBRARY_PATH=" + std::string(WARPMIND_FAKE_NVML_FOLDER),
                           "FAKE_NVML=GPU-a1|NVIDIA H200;GPU-b2|NVIDIA H200"};
    options.environment.insert(options.environment.end(), environment.begin(), environment.end());
    daemon_ = std::make_unique<DaemonProcess>(home_.path(), options);
    client_ = std::make_unique<WireClient>(WireClient::greeted(daemon_->socket()));
  }
  void TearDown() override {
    daemon_->signal(SIGTERM);
    EXPECT_EQ(daemon_->wait(), 0);
  }
  nlohmann::json call(const char* method, const nlohmann::json& params = nlohmann::json::object()) {
    return result_of(client_->call(method, codec::dump_json(params)));
  }
  /// "gpu 0 GPU-a1 NVIDIA H200", one a lane.
  std::vector<std::string> lanes() {
    std::vector<std::string> lanes;
    const auto list = call("queue.list");
    for (const auto& lane : list["lanes"]) {
      lanes.push_back(lane["name"].get<std::string>() + ' ' + lane["device"].get<std::string>() +
                      ' ' + lane["model"].get<std::string>());
    }
    return lanes;
  }

  ScratchDirectory home_ = DaemonProcess::make_home();
  std::unique_ptr<DaemonProcess> daemon_;
  std::unique_ptr<WireClient> client_;
};

TEST_F(DaemonLanes, EachGpuHasTwoAndTheSimulatorOne) {
  start({});
  EXPECT_EQ(lanes(), (std::vector<std::string>{
                         "gpu 0 GPU-a1 NVIDIA H200", "gpu 1 GPU-b2 NVIDIA H200",
                         "gpu 0 (2) GPU-a1 NVIDIA H200", "gpu 1 (2) GPU-b2 NVIDIA H200", "sim  "}));
  const auto status = call("status");
  ASSERT_EQ(status["lanes"].size(), 5U);
  EXPECT_EQ(status["lanes"][0], "gpu 0 (NVIDIA H200): no job, busy 0 %");
}

TEST_F(DaemonLanes, OnlyGpusThatCudaWouldShow) {
  start({"CUDA_VISIBLE_DEVICES=GPU-b2", "WARPMIND_QUEUE_JOBS_PER_GPU=1"});
  EXPECT_EQ(lanes(), (std::vector<std::string>{"gpu 0 GPU-b2 NVIDIA H200", "sim  "}));
}

TEST_F(DaemonLanes, OneLaneWhereThatIsWanted) {
  start({"WARPMIND_QUEUE_LANES=one"});
  EXPECT_EQ(lanes(), (std::vector<std::string>{"lane 0  "}));
}

TEST_F(DaemonLanes, ARecordingIsReplayedBesideTheGpus) {
  const auto directory = std::string(WARPMIND_SOURCE_DIR) + "/tasks/transpose";
  const auto task = config::load_task(directory).value().task;
  fakes::ScriptedKernelLab lab([](const Kernel&) { return 100.0; });
  const auto fixtures = home_.path() / "fixtures";
  ASSERT_TRUE(make_private_directory(fixtures).has_value());
  const profilers::JudgeOrder order{task, task.kernel};
  ASSERT_TRUE(profilers::write_recording(profilers::verdict_file(fixtures, task.kernel),
                                         lab.judge(order, {}).value())
                  .has_value());
  ASSERT_TRUE(profilers::write_recording(profilers::device_file(fixtures), lab.device().value())
                  .has_value());
  start({});

  const auto added = call("queue.add", {{"directory", directory},
                                        {"provider", "fixture"},
                                        {"fixture_directory", fixtures.string()},
                                        {"evaluations", 1}});
  ASSERT_TRUE(added.is_object());
  const nlohmann::json job{{"job_id", added["job_id"]}};
  nlohmann::json found;
  do {
    found = call("task.result", job)["job"];
  } while (found["state"] == "queued" || found["state"] == "running");

  EXPECT_EQ(found["state"], "done");
  EXPECT_EQ(found["history"].back()["holder"], "sim");
}

}  // namespace
}  // namespace warpmind::tests
