#include "profilers/lab/lab_parts.h"

#include "config/installation.h"
#include "config/toolkit_search.h"
#include "profilers/baseline/libraries.h"
#include "profilers/health/lab_health.h"

#include <cmath>

namespace warpmind::profilers {
namespace fs = std::filesystem;

double NoiseRecord::value() const {
  return count_ == 0 ? 0 : std::sqrt(squares_ / static_cast<double>(count_));
}

Result<std::unique_ptr<Sandbox>> make_sandbox(const config::Settings& settings) {
  WARPMIND_TRY(auto created, Sandbox::create(settings.lab));
  return std::make_unique<Sandbox>(std::move(created));
}

namespace {

Result<void> check_target(const config::Toolkit& toolkit, const DeviceSpec& target) {
  if (config::builds_for(toolkit.version, target.compute_major, target.compute_minor)) return {};
  return fail(Errc::unavailable,
              "CUDA " + config::text_of(toolkit.version) + " at " + toolkit.root.string() +
                  " has " + config::lacks(toolkit.version) + ", and " + target.name + " is " +
                  architecture_of(target.compute_major, target.compute_minor) +
                  ": install a toolkit that builds for it beside this one and set toolchain.nvcc "
                  "to its nvcc");
}

}  // namespace

Result<std::unique_ptr<LabParts>> make_lab_parts(const config::Settings& settings,
                                                 const config::DeviceTable& devices,
                                                 const DeviceSpec& target, const Sandbox& sandbox,
                                                 const LabShare& share) {
  const config::LabSettings& lab = settings.lab;
  WARPMIND_TRY(auto worker, config::find_own_program(lab.worker, "warpmind-worker", "lab.worker"));
  WARPMIND_TRY(auto judge, config::find_own_program(lab.judge, "warpmind-judge", "lab.judge"));
  WARPMIND_TRY(auto toolchain, KernelToolchain::create(settings.toolchain, sandbox));
  WARPMIND_CHECK(check_target(toolchain.toolkit(), target));
  toolchain.share(share.builds);
  WARPMIND_TRY(auto scratch, ScratchRoot::create(lab.scratch_directory));
  RunnerPlace place{std::move(worker),
                    scratch.path(),
                    lab.cuda_runtime,
                    lab.device,
                    toolchain.libraries(),
                    {},
                    {}};
  place.visible = share.device;
  const LibraryPlaces libraries(toolchain.toolkit(),
                                config::toolkit_search(settings.toolchain).environment);
  if (share.turn) place.use = std::make_shared<DeviceUse>(share.turn);
  auto simulator =
      config::find_simulator(lab, toolchain.runtime()).map([&place](const fs::path& folder) {
        RunnerPlace simulated = place;
        simulated.cuda_runtime = folder;
        simulated.device = 0;
        simulated.visible.clear();
        simulated.use.reset();
        simulated.niceness = kBackgroundNiceness;
        return simulated;
      });
  place.library_folders = libraries.library_folders();  // the simulator loads none of them
  auto health = make_device_health(settings.toolchain, sandbox, place);
  return std::unique_ptr<LabParts>(new LabParts{
      settings, devices, target, sandbox, std::move(scratch), std::move(toolchain),
      std::move(judge), NoiseRecord{}, Result<RunnerPlace>(std::move(simulator)), health,
      RunnerPool(sandbox, std::move(place), health), TaskAdmissions(), DeviceProcesses()});
}

}  // namespace warpmind::profilers
