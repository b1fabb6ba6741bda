#include "profilers/lab/lab_parts.h"

#include "profilers/health/lab_health.h"

#include <cmath>
#include <unistd.h>

namespace warpmind::profilers {
namespace fs = std::filesystem;

double NoiseRecord::value() const {
  return count_ == 0 ? 0 : std::sqrt(squares_ / static_cast<double>(count_));
}

Result<fs::path> find_own_program(const fs::path& configured, const std::string& name,
                                  const std::string& setting) {
  std::error_code ec;
  fs::path program = configured;
  if (program.empty()) program = fs::read_symlink("/proc/self/exe", ec).parent_path() / name;
  program = fs::absolute(program, ec);
  if (!fs::is_regular_file(program, ec) || ::access(program.c_str(), X_OK) != 0) {
    return fail(Errc::unavailable, name + " is not at " + program.string() +
                                       ": install it beside the daemon, or set " + setting);
  }
  return fs::canonical(program, ec);
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
  WARPMIND_TRY(auto worker, find_own_program(lab.worker, "warpmind-worker", "lab.worker"));
  WARPMIND_TRY(auto judge, find_own_program(lab.judge, "warpmind-judge", "lab.judge"));
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
  if (share.turn) place.use = std::make_shared<DeviceUse>(share.turn);
  auto simulator =
      find_simulator(lab.simulator, toolchain.runtime()).map([&place](const fs::path& folder) {
        RunnerPlace simulated = place;
        simulated.cuda_runtime = folder;
        simulated.device = 0;
        simulated.visible.clear();
        simulated.use.reset();
        simulated.niceness = kBackgroundNiceness;
        return simulated;
      });
  auto health = make_device_health(settings.toolchain, sandbox, place);
  return std::unique_ptr<LabParts>(new LabParts{
      settings, devices, target, sandbox, std::move(scratch), std::move(toolchain),
      std::move(judge), NoiseRecord{}, Result<RunnerPlace>(std::move(simulator)), health,
      RunnerPool(sandbox, std::move(place), health), TaskAdmissions(), DeviceProcesses()});
}

Result<fs::path> find_simulator(const fs::path& configured, const std::string& runtime) {
  std::error_code ec;
  const fs::path own = fs::read_symlink("/proc/self/exe", ec).parent_path().parent_path() / "lib";
  std::vector<fs::path> places{own / "simulator", own / "warpmind" / "simulator"};
  if (!configured.empty()) places = {fs::absolute(configured, ec)};
  for (const fs::path& place : places) {
    if (fs::is_regular_file(place / runtime, ec)) return fs::canonical(place, ec);
  }
  return fail(Errc::unavailable,
              "the simulator's " + runtime + " is not in " + places.front().string() +
                  ": build warpmind with a CUDA toolkit of that release or a newer one, or set "
                  "lab.simulator");
}

}  // namespace warpmind::profilers
