#include "daemon/handlers/job_admission.h"

#include "agents/llm/scripted/scripted_model.h"
#include "base/job_names.h"
#include "base/text.h"
#include "config/device_table.h"
#include "config/nearest_name.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::daemon {
namespace {

constexpr std::size_t kLongestName = 64;
constexpr std::size_t kLongestPath = 256;

/// "sm_90", or a driver's name such as "NVIDIA L40S", which needs no row in the table.
bool may_be_a_gpu(std::string_view name) {
  return name.starts_with("sm_") || name.find(' ') != std::string_view::npos;
}

/// Whether the job's times will be predicted. Provider "auto" takes a worker's GPU, too.
bool is_predicted(const JobRequest& request, const config::Settings& settings,
                  const MachineView& machine) {
  if (request.provider == Provider::sim) return true;
  return request.provider_automatic && settings.queue.nats.empty() &&
         machine().mode != name_of(Provider::gpu);
}

Result<void> check_device(const JobRequest& request, const config::Settings& settings,
                          const MachineView& machine) {
  if (request.provider == Provider::fixture) return {};
  const auto& devices = config::device_table();
  const bool by_setting = request.device.empty();
  if (by_setting && request.provider != Provider::sim && devices.find(settings.lab.target)) {
    return {};
  }
  const bool predicted = by_setting || is_predicted(request, settings, machine);
  const std::string& wanted = by_setting ? settings.lab.target : request.device;
  std::vector<std::string_view> keys;
  for (const auto& row : devices.all()) {
    if (predicted && row.timing == TimingModel{}) continue;
    if (row.key == wanted) return {};
    keys.push_back(row.key);
  }
  if (!predicted && may_be_a_gpu(wanted)) return {};
  const std::string name = wanted.substr(0, kLongestName);
  const std::string all = join_text(keys, ", ");
  const auto near = config::nearest_name(name, keys);
  return fail(Errc::invalid_argument,
              std::string(by_setting ? "lab.target: " : "") + "there is no device '" + name + "'" +
                  (predicted ? " to predict for" : " to measure on") +
                  (near.empty() ? std::string() : "; did you mean '" + std::string(near) + "'?") +
                  " known: " + all);
}

Result<void> check_gpu(const protocol::JobOptions& options, const config::Settings& settings,
                       const MachineView& machine) {
  if (options.provider != name_of(Provider::gpu) || !settings.queue.nats.empty()) return {};
  // With another lab.provider nobody has looked for a GPU.
  const std::string& provider = settings.lab.provider;
  if (provider != "auto" && provider != name_of(Provider::gpu)) return {};
  const DeviceView here = machine();
  if (here.mode == name_of(Provider::gpu)) return {};
  return fail(Errc::invalid_argument,
              "there is no GPU here to measure on: `warpmind doctor` says why. Leave --provider "
              "gpu out to have times predicted, or start a worker on a machine with a GPU "
              "(queue.nats, docs/hosts.md)");
}

Result<void> check_fixture(const JobRequest& request) {
  if (request.provider != Provider::fixture) return {};
  std::error_code ec;
  const std::string& folder = request.fixture_directory;
  if (std::filesystem::is_directory(folder, ec)) return {};
  return fail(Errc::invalid_argument,
              "the provider fixture replays a recording: " +
                  (folder.empty() ? "name its folder with --fixtures DIR or lab.fixture_directory"
                                  : "there is no folder " + folder.substr(0, kLongestPath)));
}

Result<void> check_model(const JobRequest& request, const config::Settings& settings) {
  if (request.proposer != kModelProposer) return {};
  if (agents::llm::is_scripted(request.model)) {
    WARPMIND_CHECK(agents::llm::make_scripted_model(request.model));
    return {};
  }
  if (!settings.llm.url.empty()) return {};
  return fail(Errc::invalid_argument,
              "no language model is set up: set llm.url and llm.model (docs/llm.md), or name a "
              "script with --model rules:FILE");
}

}  // namespace

Result<void> check_admission(const protocol::JobOptions& options, const JobRequest& request,
                             const config::Settings& settings, const MachineView& machine) {
  WARPMIND_CHECK(check_device(request, settings, machine));
  WARPMIND_CHECK(check_gpu(options, settings, machine));
  WARPMIND_CHECK(check_fixture(request));
  return check_model(request, settings);
}

}  // namespace warpmind::daemon
