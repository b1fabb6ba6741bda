#include "profilers/worker/nvml.h"

#include <array>
#include <dlfcn.h>
#include <utility>

namespace warpmind::profilers {
namespace {

// nvml.h is not part of every toolkit; these are its stable prototypes and constants.
using Return = int;  // 0 = NVML_SUCCESS
constexpr Return kInsufficientSize = 7;
constexpr unsigned kClockSm = 1;
constexpr unsigned long long kPowerCap = 0x04;
constexpr std::array<std::pair<unsigned long long, const char*>, 4> kVoidingReasons{
    {{0x08, "hw_slowdown"}, {0x20, "sw_thermal"}, {0x40, "hw_thermal"}, {0x80, "hw_power_brake"}}};

/// nvmlProcessInfo_t of the functions whose names end in _v3.
struct ProcessInfo {
  unsigned pid = 0;
  unsigned long long used_bytes = 0;
  unsigned gpu_instance = 0;
  unsigned compute_instance = 0;
};

template <class F>
bool load(void* library, const char* name, F*& function) {
  // POSIX promises that an object pointer from dlsym holds a function's address.
  function = reinterpret_cast<F*>(::dlsym(library, name));
  return function != nullptr;
}

}  // namespace

struct Nvml::Functions {
  void* library = nullptr;
  Return (*init)() = nullptr;
  Return (*shutdown)() = nullptr;
  Return (*handle_by_uuid)(const char*, void**) = nullptr;
  Return (*driver_version)(char*, unsigned) = nullptr;
  Return (*clock)(void*, unsigned, unsigned*) = nullptr;
  Return (*reasons)(void*, unsigned long long*) = nullptr;
  Return (*max_clock)(void*, unsigned, unsigned*) = nullptr;      // may be missing
  Return (*processes)(void*, unsigned*, ProcessInfo*) = nullptr;  // may be missing
};

std::unique_ptr<Nvml> Nvml::open(const std::string& uuid) {
  // Never closed: the driver keeps threads in it, and the runner lives for seconds.
  void* const library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  auto functions = std::make_unique<Functions>();
  functions->library = library;
  const bool complete =
      load(library, "nvmlInit_v2", functions->init) &&
      load(library, "nvmlShutdown", functions->shutdown) &&
      load(library, "nvmlDeviceGetHandleByUUID", functions->handle_by_uuid) &&
      load(library, "nvmlSystemGetDriverVersion", functions->driver_version) &&
      load(library, "nvmlDeviceGetClockInfo", functions->clock) &&
      (load(library, "nvmlDeviceGetCurrentClocksEventReasons", functions->reasons) ||
       load(library, "nvmlDeviceGetCurrentClocksThrottleReasons", functions->reasons));
  if (!complete || functions->init() != 0) return nullptr;
  (void)load(library, "nvmlDeviceGetMaxClockInfo", functions->max_clock);
  (void)load(library, "nvmlDeviceGetComputeRunningProcesses_v3", functions->processes);
  void* device = nullptr;
  if (functions->handle_by_uuid(uuid.c_str(), &device) != 0) {
    (void)functions->shutdown();
    return nullptr;
  }
  return std::unique_ptr<Nvml>(new Nvml(std::move(functions), device));
}

Nvml::Nvml(std::unique_ptr<Functions> functions, void* device)
    : functions_(std::move(functions)), device_(device) {}

Nvml::~Nvml() { (void)functions_->shutdown(); }

std::string Nvml::driver_version() const {
  std::array<char, 96> text{};
  if (functions_->driver_version(text.data(), text.size()) != 0) return {};
  return text.data();
}

std::optional<double> Nvml::sm_clock_mhz() const {
  unsigned mhz = 0;
  if (functions_->clock(device_, kClockSm, &mhz) != 0) return std::nullopt;
  return mhz;
}

std::optional<double> Nvml::max_sm_clock_mhz() const {
  unsigned mhz = 0;
  if (functions_->max_clock == nullptr || functions_->max_clock(device_, kClockSm, &mhz) != 0) {
    return std::nullopt;
  }
  return mhz;
}

Nvml::Throttle Nvml::throttle() const {
  Throttle found;
  unsigned long long mask = 0;
  if (functions_->reasons(device_, &mask) != 0) return found;
  found.power_capped = (mask & kPowerCap) != 0;
  for (const auto& [bit, name] : kVoidingReasons) {
    if ((mask & bit) == 0) continue;
    if (!found.voiding.empty()) found.voiding += ", ";
    found.voiding += name;
  }
  return found;
}

std::vector<std::int64_t> Nvml::compute_processes() const {
  if (functions_->processes == nullptr) return {};
  std::vector<ProcessInfo> infos(64);
  auto count = static_cast<unsigned>(infos.size());
  Return code = functions_->processes(device_, &count, infos.data());
  if (code == kInsufficientSize) {
    infos.resize(count + 16UL);  // some may start meanwhile
    count = static_cast<unsigned>(infos.size());
    code = functions_->processes(device_, &count, infos.data());
  }
  std::vector<std::int64_t> pids;
  for (unsigned i = 0; code == 0 && i < count && i < infos.size(); ++i) {
    pids.push_back(infos[i].pid);
  }
  return pids;
}

}  // namespace warpmind::profilers
