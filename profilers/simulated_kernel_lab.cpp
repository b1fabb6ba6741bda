#include "profilers/simulated_kernel_lab.h"

#include "profilers/lab/lab_parts.h"
#include "profilers/lab/simulated_judging.h"

#include <utility>

namespace warpmind::profilers {
namespace {

constexpr double kGib = 1024.0 * 1024 * 1024;
constexpr double kMib = 1024.0 * 1024;

std::string known_devices(const config::DeviceTable& devices) {
  std::string names;
  for (const DeviceSpec& spec : devices.all()) {
    if (spec.timing == TimingModel{}) continue;
    names += (names.empty() ? "" : ", ") + spec.key;
  }
  return names;
}

}  // namespace

struct SimulatedLabState {
  PredictionCache predictions;
};

SimulatedKernelLab::SimulatedKernelLab(std::unique_ptr<Sandbox> sandbox,
                                       std::unique_ptr<LabParts> parts)
    : sandbox_(std::move(sandbox)),
      parts_(std::move(parts)),
      state_(std::make_unique<SimulatedLabState>()) {}
SimulatedKernelLab::~SimulatedKernelLab() = default;

Result<std::unique_ptr<SimulatedKernelLab>> SimulatedKernelLab::create(
    const config::Settings& settings, const config::DeviceTable& devices, const std::string& device,
    const LabShare& share) {
  const std::string key = device.empty() ? settings.lab.target : device;
  const auto target = devices.find(key);
  if (!target || target->timing == TimingModel{}) {
    return fail(Errc::invalid_argument, "no device '" + key.substr(0, 64) +
                                            "' to predict for; there are " +
                                            known_devices(devices));
  }
  WARPMIND_TRY(std::unique_ptr<Sandbox> sandbox, make_sandbox(settings));
  WARPMIND_TRY(auto parts, make_lab_parts(settings, devices, *target, *sandbox, share));
  if (!parts->simulator) return fail(parts->simulator.error());
  return std::unique_ptr<SimulatedKernelLab>(
      new SimulatedKernelLab(std::move(sandbox), std::move(parts)));
}

Result<DeviceIdentity> SimulatedKernelLab::device() {
  const DeviceSpec& target = parts_->target;
  DeviceIdentity identity;
  identity.name = target.name;
  identity.compute_major = target.compute_major;
  identity.compute_minor = target.compute_minor;
  identity.sm_count = target.sm_count;
  identity.memory_bytes = static_cast<std::int64_t>(target.memory_gib * kGib);
  identity.l2_bytes = static_cast<std::int64_t>(target.l2_mib * kMib);
  identity.driver = std::string("simulator ") + kSimulatorVersion;
  identity.runtime = parts_->toolchain.release();
  return identity;
}

Result<Verdict> SimulatedKernelLab::judge(const JudgeOrder& order, std::stop_token stop) {
  WARPMIND_TRY(auto identity, device());
  return SimulatedJudging(*parts_, order, std::move(identity), state_->predictions, std::move(stop))
      .judge();
}

Result<std::string> SimulatedKernelLab::machine_code(const JudgeOrder& order,
                                                     std::stop_token stop) {
  WARPMIND_TRY(auto identity, device());
  return SimulatedJudging(*parts_, order, std::move(identity), state_->predictions, std::move(stop))
      .digest_candidate();
}

Result<Comparison> SimulatedKernelLab::compare(const JudgeOrder& order, std::stop_token stop) {
  WARPMIND_TRY(auto identity, device());
  return SimulatedJudging(*parts_, order, std::move(identity), state_->predictions, std::move(stop))
      .compare();
}

}  // namespace warpmind::profilers
