#include "profilers/environment_probe.h"

#include "base/file.h"
#include "config/installation.h"
#include "config/toolkit_search.h"
#include "profilers/lab/lab_parts.h"
#include "profilers/lab/scratch_root.h"
#include "profilers/process/child_process.h"
#include "profilers/runner_pool.h"
#include "profilers/sandbox/sandbox.h"
#include "profilers/toolchain/compilers.h"
#include "profilers/toolchain/kernel_toolchain.h"

#include <array>
#include <chrono>
#include <cmath>
#include <dlfcn.h>
#include <memory>
#include <optional>
#include <stop_token>

namespace warpmind::profilers {
namespace fs = std::filesystem;
namespace {

constexpr double kMib = 1024.0 * 1024.0;
/// Inputs of six cases of a workload of some 100 MiB.
constexpr double kWantedScratchMib = 1024;
/// One kernel's intermediate files, or the inputs of the smallest workloads.
constexpr double kLeastMib = 64;
/// What the base writes when it is opened, above its reserve.
constexpr double kFirstWriteMib = 8;

using Findings = std::vector<Finding>;

/// Errors read "what is wrong: how to fix it".
Finding missing(std::string name, const Error& error) {
  const std::size_t colon = error.message.rfind(": ");
  if (colon == std::string::npos) {
    return {std::move(name), FindingState::missing, error.message, ""};
  }
  return {std::move(name), FindingState::missing, error.message.substr(0, colon),
          error.message.substr(colon + 2)};
}

std::string named(const config::Toolkit& toolkit) {
  return config::text_of(toolkit.version) + " at " + toolkit.root.string() + " (" + toolkit.place +
         ")";
}

/// The toolkit that is taken, the others, and what of that may surprise.
Finding describe_nvcc(const CudaCompiler& nvcc, const std::vector<config::Toolkit>& toolkits) {
  const config::Toolkit& taken = nvcc.toolkit;
  Finding finding{"nvcc", FindingState::ok,
                  nvcc.program.string() + " " + nvcc.release + " (" + taken.place + ")", ""};
  const auto warn = [&finding](std::string remedy) {
    finding.state = FindingState::warning;
    if (finding.remedy.empty()) finding.remedy = std::move(remedy);
  };
  const std::string lacks = config::lacks(taken.version);
  if (!lacks.empty()) finding.detail += ", " + lacks;
  bool is_behind = false;  // of the taken one: it would have been taken next
  for (const auto& other : toolkits) {
    if (other.nvcc == taken.nvcc) {
      is_behind = true;
      continue;
    }
    if (!other.usable()) {
      finding.detail += "; passed over: " + other.root.string() + " (" + other.place + ")";
      if (!is_behind) warn(other.problem);
      continue;
    }
    finding.detail += "; also there: " + named(other);
    const bool is_named = other.place == "$CUDA_HOME" || other.place == "$CUDA_PATH";
    if (is_named && other.version != taken.version) {
      warn("two toolkits are meant: set " + other.place + " to " + taken.root.string() +
           ", or toolchain.nvcc to " + other.nvcc.string());
    }
  }
  if (nvcc.release != config::text_of(taken.version)) {
    finding.detail += "; its headers are of " + config::text_of(taken.version);
    warn("install nvcc and " + taken.headers.string() + " from one release");
  }
  return finding;
}

void add_compilers(const config::ToolchainSettings& settings, Findings& findings) {
  const auto nvcc = find_nvcc(settings);
  findings.push_back(
      nvcc ? describe_nvcc(*nvcc, config::find_toolkits(config::toolkit_search(settings)))
           : missing("nvcc", nvcc.error()));
  const auto host = find_host_compiler(settings, nvcc ? nvcc->toolkit.newest_gcc : 0);
  findings.push_back(host ? Finding{"host compiler", FindingState::ok,
                                    host->program.string() + " " + host->release, ""}
                          : missing("host compiler", host.error()));
}

/// Runs a real command inside, and shows that what must not be visible is not.
Finding try_sandbox(const Sandbox& sandbox, const fs::path& scratch) {
  Finding finding{"sandboxed trial", FindingState::ok,
                  "a command runs; nothing of /etc or the "
                  "home is visible, no network",
                  ""};
  const std::string script =
      "test ! -e /etc/passwd && test ! -e \"$1\" && test ! -e /sys/class && "
      "test $(ls -d /proc/[0-9]* | wc -l) -lt 8";
  SandboxedCommand command;
  command.command = {"/bin/sh", "-c", script, "sh", scratch.string()};
  command.job_directory = scratch;
  auto order = sandbox.wrap(SandboxRole::compiler, std::move(command));
  if (!order) return missing("sandboxed trial", order.error());
  RunLimits limits;
  limits.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  const auto run = run_process(std::move(*order), limits, {});
  if (!run) return missing("sandboxed trial", run.error());
  if (!run->end.success()) {
    finding.state = FindingState::missing;
    finding.detail = "the trial command " + describe(run->end) + " " +
                     run->diagnostics.substr(0, run->diagnostics.find('\n'));
    finding.remedy = "report this with the output of `bwrap --version`";
  }
  return finding;
}

Finding describe_layers(const SandboxLayers& layers) {
  const std::string missing = layers.missing();
  if (missing.empty()) return {"sandbox layers", FindingState::ok, layers.standing(), ""};
  return {"sandbox layers", FindingState::warning, layers.standing() + "; without " + missing,
          "see docs/sandbox.md: each layer, what it stops, and what it needs"};
}

std::unique_ptr<Sandbox> add_sandbox(const config::LabSettings& settings, const fs::path& scratch,
                                     Findings& findings) {
  auto sandbox = Sandbox::create(settings);
  if (!sandbox) {
    const bool installed = sandbox.error().message.find("bwrap") == std::string::npos ||
                           sandbox.error().message.find("does not start") != std::string::npos;
    findings.push_back(missing(installed ? "user namespaces" : "bubblewrap", sandbox.error()));
    return nullptr;
  }
  if (!sandbox->enabled()) {
    findings.push_back({"bubblewrap", FindingState::warning,
                        "switched off: candidates run unprotected",
                        "set lab.unsafe_no_sandbox = false"});
  } else {
    findings.push_back({"bubblewrap", FindingState::ok, sandbox->description(), ""});
    findings.push_back({"user namespaces", FindingState::ok, "available", ""});
    findings.push_back(describe_layers(sandbox->layers()));
    if (!scratch.empty()) findings.push_back(try_sandbox(*sandbox, scratch));
  }
  return std::make_unique<Sandbox>(std::move(*sandbox));
}

std::optional<fs::path> add_program(const fs::path& configured, const std::string& name,
                                    const std::string& setting, Findings& findings) {
  auto program = config::find_own_program(configured, name, setting);
  if (!program) {
    findings.push_back(missing(name, program.error()));
    return std::nullopt;
  }
  findings.push_back({name, FindingState::ok, program->string(), ""});
  return std::move(*program);
}

void add_device(const Result<DeviceIdentity>& device, const config::DeviceTable& devices,
                Findings& findings) {
  if (!device) {
    findings.push_back(
        {"GPU", FindingState::missing, device.error().message,
         "install the NVIDIA driver and check `nvidia-smi`; without a GPU results are checked and "
         "times predicted in the simulator, nothing is measured"});
    return;
  }
  const bool known = devices.match(*device).has_value();
  findings.push_back(
      {"GPU", known ? FindingState::ok : FindingState::warning,
       device->name + ", " + architecture_of(device->compute_major, device->compute_minor) +
           ", driver " + device->driver + ", runtime " + device->runtime +
           (known ? "" : "; not in the device table"),
       known ? "" : "add a file to config/devices: without it there is no roofline"});
}

void add_simulator(const config::Settings& settings, const config::DeviceTable& devices,
                   Findings& findings) {
  const auto search = config::toolkit_search(settings.toolchain);
  const auto toolkit = config::choose_toolkit(config::find_toolkits(search), search);
  const auto folder =
      config::find_simulator(settings.lab, toolkit ? toolkit->runtime : "libcudart.so.13");
  if (!folder) {
    findings.push_back(missing("simulator", folder.error()));
    return;
  }
  std::string keys;
  for (const DeviceSpec& spec : devices.all()) {
    if (spec.timing != TimingModel{}) keys += (keys.empty() ? "" : ", ") + spec.key;
  }
  findings.push_back(
      {"simulator", FindingState::ok, folder->string() + ", predicts for " + keys, ""});
}

void add_counter_permission(Findings& findings) {
  const auto text = read_file("/proc/driver/nvidia/params", 64UL * 1024);
  if (!text) {
    findings.push_back({"counter permission", FindingState::warning,
                        "no NVIDIA driver is loaded, so nothing can be said", "see GPU"});
    return;
  }
  const bool admin_only = text->find("RmProfilingAdminOnly: 1") != std::string::npos;
  findings.push_back({"counter permission", admin_only ? FindingState::warning : FindingState::ok,
                      admin_only ? "hardware counters are for root only: profiles stop at tier T1"
                                 : "every user may read hardware counters",
                      admin_only
                          ? "put `options nvidia NVreg_RestrictProfilingToAdminUsers=0` into "
                            "/etc/modprobe.d/nvidia.conf and reboot"
                          : ""});
}

void add_nvml(Findings& findings) {
  void* const library = ::dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL);
  const bool found = library != nullptr;
  if (found) ::dlclose(library);
  findings.push_back({"NVML", found ? FindingState::ok : FindingState::warning,
                      found ? "libnvidia-ml.so.1"
                            : "libnvidia-ml.so.1 is not found: clocks and "
                              "throttling stay unknown",
                      found ? "" : "install the driver's libraries (libnvidia-ml1)"});
}

std::string megabytes(double bytes) { return std::to_string(std::llround(bytes / kMib)) + " MiB"; }

/// A folder that is written to. `least`: nothing works with less; `wanted`: enough for all.
struct SpaceNeed {
  std::string name;
  fs::path directory;
  double least_mib = 0;
  double wanted_mib = 0;
  std::string setting;
};

void add_space(const SpaceNeed& need, Findings& findings) {
  const auto made = make_private_directory(need.directory);
  std::error_code ec;
  const auto space = fs::space(need.directory, ec);
  if (!made || ec) {
    findings.push_back({need.name, FindingState::missing,
                        made ? need.directory.string() + ": " + ec.message() : made.error().message,
                        "make it writable, or set " + need.setting});
    return;
  }
  const auto bytes = static_cast<double>(space.available);
  const double free = bytes / kMib;
  const auto state = free < need.least_mib    ? FindingState::missing
                     : free < need.wanted_mib ? FindingState::warning
                                              : FindingState::ok;
  const std::string where = megabytes(bytes) + " free at " + need.directory.string();
  if (state == FindingState::ok) {
    findings.push_back({need.name, state, where, ""});
    return;
  }
  findings.push_back({need.name, state,
                      (state == FindingState::missing ? "disk nearly full: " : "") + where +
                          ", and " + megabytes(need.wanted_mib * kMib) + " are wanted",
                      "free some space, or set " + need.setting + " to another disk"});
}

}  // namespace

std::vector<Finding> probe_environment(const config::Settings& settings,
                                       const config::DeviceTable& devices) {
  Findings findings;
  add_compilers(settings.toolchain, findings);
  auto scratch = ScratchRoot::create(settings.lab.scratch_directory);
  const auto sandbox = add_sandbox(settings.lab, scratch ? scratch->path() : fs::path(), findings);
  const auto worker = add_program(settings.lab.worker, "warpmind-worker", "lab.worker", findings);
  const auto judge = add_program(settings.lab.judge, "warpmind-judge", "lab.judge", findings);
  // The runtime that the worker loads is in the toolkit.
  std::optional<RunnerPlace> place;
  if (sandbox && worker && scratch) {
    const auto toolchain = KernelToolchain::create(settings.toolchain, *sandbox);
    if (toolchain) {
      place = RunnerPlace{*worker, scratch->path(), settings.lab.cuda_runtime, settings.lab.device};
      place->toolkit_libraries = toolchain->libraries();
    }
  }
  if (place) {
    RunnerPool pool(*sandbox, std::move(*place));
    add_device(pool.device({}), devices, findings);
  } else {
    findings.push_back({"GPU", FindingState::missing,
                        "not asked: no compilers, sandbox, worker or scratch",
                        "fix the findings above"});
  }
  add_simulator(settings, devices, findings);
  add_counter_permission(findings);
  add_nvml(findings);
  if (scratch) {
    add_space(
        {"scratch space", scratch->path(), kLeastMib, kWantedScratchMib, "lab.scratch_directory"},
        findings);
  } else {
    findings.push_back(missing("scratch space", scratch.error()));
  }
  add_space({"build cache", settings.toolchain.cache_directory, kLeastMib,
             static_cast<double>(settings.toolchain.cache_mib), "toolchain.cache_directory"},
            findings);
  const auto reserve = static_cast<double>(settings.knowledge.reserve_mib);
  add_space({"state directory", settings.daemon.state_directory, reserve + kFirstWriteMib,
             reserve * 2, "daemon.state_directory"},
            findings);
  return findings;
}

}  // namespace warpmind::profilers
