// What is refused before it is queued: devices, providers and models that cannot be had.
#include "daemon/handlers/job_admission.h"

#include "base/file.h"
#include "daemon/handlers/job_request.h"

#include <gmock/gmock.h>

namespace warpmind::daemon {
namespace {

using testing::HasSubstr;

protocol::TaskSubmitParams params_with(const std::string& provider, const std::string& device) {
  protocol::TaskSubmitParams params;
  params.directory = WARPMIND_SOURCE_DIR "/tasks/dot";
  params.provider = provider;
  params.device = device;
  return params;
}

MachineView machine(const std::string& mode) {
  return [mode] { return DeviceView{mode, "", "as the test wants it"}; };
}

/// The sentence of the refusal; empty when the job is taken.
std::string refusal(const protocol::TaskSubmitParams& params, const std::string& mode,
                    const config::Settings& settings = {}) {
  const auto request = job_request_of(params.directory, params, settings, machine(mode));
  if (request) return {};
  EXPECT_EQ(request.error().code, Errc::invalid_argument) << request.error().message;
  return request.error().message;
}

TEST(JobAdmission, ADeviceToPredictForIsOneOfTheTable) {
  EXPECT_EQ(refusal(params_with("sim", "h200"), "sim"), "");
  EXPECT_EQ(refusal(params_with("", "a100_80"), "sim"), "");

  const auto slip = refusal(params_with("sim", "h20"), "sim");
  EXPECT_THAT(slip, HasSubstr("there is no device 'h20' to predict for; did you mean 'h200'?"));
  EXPECT_THAT(slip, HasSubstr("a100_80"));
  EXPECT_THAT(refusal(params_with("sim", "sm_90"), "sim"), HasSubstr("no device 'sm_90'"));
  EXPECT_THAT(refusal(params_with("", "sm_90"), "sim"), HasSubstr("no device 'sm_90'"));
}

TEST(JobAdmission, ADeviceToMeasureOnMayBeAnArchitectureOrADriversName) {
  for (const char* device : {"sm_90", "h200", "NVIDIA L40S", ""}) {
    EXPECT_EQ(refusal(params_with("gpu", device), "gpu"), "") << device;
  }
  EXPECT_THAT(refusal(params_with("gpu", "h20"), "gpu"), HasSubstr("did you mean 'h200'?"));
  EXPECT_THAT(refusal(params_with("", "h20"), "gpu"), HasSubstr("'h20' to measure on"));
}

TEST(JobAdmission, AGpuIsRefusedWhereThereIsNone) {
  const auto params = params_with("gpu", "");
  EXPECT_THAT(refusal(params, "sim"), HasSubstr("there is no GPU here to measure on"));
  EXPECT_THAT(refusal(params, "static"), HasSubstr("there is no GPU here to measure on"));
  EXPECT_EQ(refusal(params, "gpu"), "");
  EXPECT_EQ(refusal(params_with("auto", ""), "sim"), "");

  config::Settings hosts;
  hosts.queue.nats = "nats://10.0.0.5:4222";
  EXPECT_EQ(refusal(params, "sim", hosts), "") << "a worker may have one";

  config::Settings predicting;
  predicting.lab.provider = "sim";
  EXPECT_EQ(refusal(params, "sim", predicting), "") << "nobody has looked for a GPU";
}

TEST(JobAdmission, TheDeviceOfTheSettingsIsLookedUpToo) {
  config::Settings settings;
  settings.lab.target = "h20";
  EXPECT_THAT(
      refusal(params_with("sim", ""), "sim", settings),
      HasSubstr("lab.target: there is no device 'h20' to predict for; did you mean 'h200'?"));
  EXPECT_EQ(refusal(params_with("sim", "h200"), "sim", settings), "") << "it is not asked for";
}

TEST(JobAdmission, ARecordingMustBeThere) {
  EXPECT_THAT(refusal(params_with("fixture", ""), "sim"), HasSubstr("lab.fixture_directory"));
  auto params = params_with("fixture", "");
  params.fixture_directory = "/nowhere/recording";
  EXPECT_THAT(refusal(params, "sim"), HasSubstr("there is no folder /nowhere/recording"));
  params.fixture_directory = WARPMIND_SOURCE_DIR "/tasks";
  EXPECT_EQ(refusal(params, "sim"), "");
}

/// A program is recorded before it is a task: minutes that end with a refusal are not spent.
TEST(JobAdmission, NeedsNoFolderToBeDecided) {
  auto params = params_with("sim", "h20");
  params.directory.clear();
  const auto refused = request_without_task(params, config::Settings{}, machine("sim"));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("did you mean 'h200'?"));
  params.device = "h200";
  EXPECT_TRUE(request_without_task(params, config::Settings{}, machine("sim")));
}

TEST(JobAdmission, ALanguageModelMustBeSetUp) {
  auto params = params_with("sim", "");
  params.proposer = "llm";
  EXPECT_THAT(refusal(params, "sim"), HasSubstr("no language model is set up: set llm.url"));

  config::Settings settings;
  settings.llm.url = "http://127.0.0.1:8000/v1";
  EXPECT_EQ(refusal(params, "sim", settings), "");

  params.model = "rules:/nowhere/rules.json";
  const auto request = job_request_of(params.directory, params, config::Settings{}, machine("sim"));
  ASSERT_FALSE(request);
  EXPECT_THAT(request.error().message, HasSubstr("/nowhere/rules.json"));
}

}  // namespace
}  // namespace warpmind::daemon
