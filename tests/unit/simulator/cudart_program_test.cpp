/// Programs that nvcc built, unmodified, with the simulator's runtime in LD_LIBRARY_PATH.
#include "profilers/simulator/profile/launch_record_codec.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::simulator {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Outcome {
  int status = -1;
  std::string text;  ///< both streams
};

class CudartProgram : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::string(WARPMIND_CUDA_CASES).empty()) {
      GTEST_SKIP() << "built with sanitizers, or without nvcc: no CUDA program to run";
    }
  }
  /// `environment`: "NAME=value NAME=value".
  static Outcome run(const std::string& name, const std::string& environment = "") {
    const std::string command = "env LD_LIBRARY_PATH=" WARPMIND_CUDART_FOLDER " " + environment +
                                " timeout 60 " WARPMIND_CUDA_CASES " " + name + " 2>&1";
    Outcome outcome;
    FILE* const pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return outcome;
    std::array<char, 4096> part{};
    for (std::size_t got = 0; (got = std::fread(part.data(), 1, part.size(), pipe)) > 0;) {
      outcome.text.append(part.data(), got);
    }
    const int status = pclose(pipe);
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
    return outcome;
  }
};

class CudartCase : public CudartProgram, public ::testing::WithParamInterface<const char*> {};

TEST_P(CudartCase, Holds) {
  const Outcome outcome = run(GetParam());
  EXPECT_EQ(outcome.status, 0) << outcome.text;
}
INSTANTIATE_TEST_SUITE_P(All, CudartCase,
                         ::testing::Values("vector_add", "streams_and_events", "symbols", "managed",
                                           "gate", "bad_configuration", "illegal_address",
                                           "misaligned", "assertion", "planes", "library", "device",
                                           "endless_recursion", "recursion", "clocks",
                                           "host_pointer", "out_of_memory", "blocks_side_by_side"),
                         [](const auto& one) { return std::string(one.param); });

TEST_F(CudartProgram, PrintsWhatThreadsPrint) {
  const Outcome outcome = run("print");
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("thread 0 of 2 says hello  1.50 z% -5000000000 ff\n"
                                      "thread 1 of 2 says hello  1.50 z% -5000000000 ff\n"));
}

TEST_F(CudartProgram, EndlessLoopTimesOut) {
  const Outcome outcome = run("endless", "CUDASIM_STEPS=100000");
  EXPECT_EQ(outcome.status, 0) << outcome.text;
}

TEST_F(CudartProgram, BillionThreadsEndAtTheStepLimit) {
  const Outcome outcome = run("billion_threads", "CUDASIM_STEPS=100000");
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("100000 basic blocks"));
}

TEST_F(CudartProgram, BadInputSaysHowToGoOn) {
  EXPECT_THAT(run("endless_recursion").text, HasSubstr("is the recursion endless?"));
  EXPECT_THAT(run("host_pointer").text, HasSubstr("memory of cudaMalloc"));
  EXPECT_THAT(run("out_of_memory").text, HasSubstr("1099511627776"));
  const std::string text = run("blocks_side_by_side").text;
  EXPECT_THAT(text, HasSubstr("split the kernel at its grid barriers"));
  EXPECT_THAT(text, HasSubstr("launch without a cluster"));
}

TEST_F(CudartProgram, SaysOnceWhatIsRefused) {
  const Outcome outcome = run("refused");
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_EQ(outcome.text, "[cudasim] cudaGraphCreate is not supported by the simulator\n");
}

TEST_F(CudartProgram, FaultSaysWhatHappened) {
  EXPECT_THAT(run("illegal_address").text, HasSubstr("was stopped: "));
  EXPECT_THAT(run("assertion").text, HasSubstr("value == 42"));
}

TEST_F(CudartProgram, DeviceIsChosenByEnvironment) {
  EXPECT_THAT(run("device").text, HasSubstr("NVIDIA H200"));
  EXPECT_THAT(run("vector_add", "CUDASIM_DEVICE=b200").text, Not(HasSubstr("cannot")));
  const Outcome unknown = run("vector_add", "CUDASIM_DEVICE=h300");
  EXPECT_EQ(unknown.status, 1);
  EXPECT_THAT(unknown.text, HasSubstr("CUDASIM_DEVICE=h300 is no row of the device table"));
}

TEST_F(CudartProgram, OlderDeviceRefusesNewerCode) {
  const Outcome outcome = run("vector_add", "CUDASIM_DEVICE=v100");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.text, HasSubstr("compute_90, which the simulated device"));
}

TEST_F(CudartProgram, UnknownSettingEndsTheFirstCall) {
  const Outcome outcome = run("vector_add", "CUDASIM_ORDER=random");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.text, HasSubstr("CUDASIM_ORDER=random is not understood"));
  EXPECT_THAT(outcome.text, HasSubstr("initialization error"));
}

TEST_F(CudartProgram, ReportsEachLaunch) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("warpmind_cudart_report_" + std::to_string(::getpid()));
  std::filesystem::remove(file);
  const Outcome outcome = run("vector_add", "CUDASIM_PROFILE=on CUDASIM_REPORT=" + file.string());
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  std::ifstream stream(file);
  std::string line;
  ASSERT_TRUE(std::getline(stream, line));
  const auto report = decode_launch_report(line);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->launch.kernel, HasSubstr("add"));
  EXPECT_EQ(report->launch.blocks, 8U);
  EXPECT_EQ(report->launch.blocks_run, 8U);
  EXPECT_TRUE(report->finished);
  EXPECT_TRUE(report->wave.has_value());
  EXPECT_GT(report->predicted_ns, 0);
  EXPECT_FALSE(std::getline(stream, line)) << "one launch, one line";
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace warpmind::simulator
