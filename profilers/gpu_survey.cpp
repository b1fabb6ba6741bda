#include "profilers/gpu_survey.h"

#include "base/text.h"

#include <array>
#include <cstdlib>
#include <dlfcn.h>
#include <string_view>
#include <utility>

namespace warpmind::profilers {
namespace {

// nvml.h is not part of every toolkit; these are its stable prototypes.
using Return = int;  // 0 = NVML_SUCCESS
constexpr std::size_t kText = 96;

template <class F>
bool load(void* library, const char* name, F*& function) {
  // POSIX promises that an object pointer from dlsym holds a function's address.
  function = reinterpret_cast<F*>(::dlsym(library, name));
  return function != nullptr;
}

/// NVML between its initialisation and its end. The library stays loaded: the driver keeps threads.
class Nvml {
 public:
  /// False: `why` says what is missing.
  bool open(const std::string& path, std::string& why) {
    void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      why = "there is no " + path + ": no NVIDIA driver is installed here";
      return false;
    }
    const bool complete =
        load(library, "nvmlInit_v2", init_) && load(library, "nvmlShutdown", shutdown_) &&
        load(library, "nvmlDeviceGetCount_v2", count_) &&
        load(library, "nvmlDeviceGetHandleByIndex_v2", handle_) &&
        load(library, "nvmlDeviceGetUUID", uuid_) && load(library, "nvmlDeviceGetName", name_);
    // Of drivers that know slices.
    (void)load(library, "nvmlDeviceGetMigMode", mig_mode_);
    (void)load(library, "nvmlDeviceGetMaxMigDeviceCount", mig_count_);
    (void)load(library, "nvmlDeviceGetMigDeviceHandleByIndex", mig_handle_);
    is_open_ = complete && init_() == 0;
    if (!is_open_) why = path + (complete ? " finds no driver that runs" : " is too old");
    return is_open_;
  }
  Nvml() = default;
  ~Nvml() {
    if (is_open_) (void)shutdown_();
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  [[nodiscard]] unsigned count() const {
    unsigned devices = 0;
    return count_(&devices) == 0 ? devices : 0;
  }
  [[nodiscard]] void* at(unsigned index) const {
    void* device = nullptr;
    return handle_(index, &device) == 0 ? device : nullptr;
  }
  [[nodiscard]] SurveyedGpu described(void* device) const {
    return {text(uuid_, device), text(name_, device)};
  }
  [[nodiscard]] bool is_split(void* device) const {
    unsigned current = 0;
    unsigned pending = 0;
    return mig_mode_ != nullptr && mig_mode_(device, &current, &pending) == 0 && current == 1;
  }
  [[nodiscard]] std::vector<void*> slices(void* device) const {
    std::vector<void*> found;
    unsigned most = 0;
    if (mig_count_ == nullptr || mig_handle_ == nullptr) return found;
    if (mig_count_(device, &most) != 0) return found;
    for (unsigned i = 0; i < most; ++i) {
      void* slice = nullptr;
      if (mig_handle_(device, i, &slice) == 0) found.push_back(slice);
    }
    return found;
  }

 private:
  using TextOf = Return (*)(void*, char*, unsigned);
  static std::string text(TextOf function, void* device) {
    std::array<char, kText> buffer{};
    if (function(device, buffer.data(), buffer.size() - 1) != 0) return {};
    return buffer.data();
  }

  Return (*init_)() = nullptr;
  Return (*shutdown_)() = nullptr;
  Return (*count_)(unsigned*) = nullptr;
  Return (*handle_)(unsigned, void**) = nullptr;
  Return (*uuid_)(void*, char*, unsigned) = nullptr;
  Return (*name_)(void*, char*, unsigned) = nullptr;
  Return (*mig_mode_)(void*, unsigned*, unsigned*) = nullptr;
  Return (*mig_count_)(void*, unsigned*) = nullptr;
  Return (*mig_handle_)(void*, unsigned, void**) = nullptr;
  bool is_open_ = false;
};

/// What NVML shows, GPU by GPU.
struct Machine {
  std::vector<SurveyedGpu> whole;   ///< by index
  std::vector<SurveyedGpu> usable;  ///< slices in the place of GPUs that are split
};

Machine machine_of(const Nvml& nvml) {
  Machine machine;
  for (unsigned i = 0; i < nvml.count(); ++i) {
    void* const device = nvml.at(i);
    // The number counts for CUDA_VISIBLE_DEVICES, whatever is known of the device.
    machine.whole.push_back(device == nullptr ? SurveyedGpu{} : nvml.described(device));
    if (device == nullptr) continue;
    if (!nvml.is_split(device)) {
      machine.usable.push_back(machine.whole.back());
      continue;
    }
    for (void* const slice : nvml.slices(device)) machine.usable.push_back(nvml.described(slice));
  }
  std::erase_if(machine.usable, [](const SurveyedGpu& gpu) { return gpu.device.empty(); });
  return machine;
}

/// What one word of CUDA_VISIBLE_DEVICES names.
std::optional<SurveyedGpu> named(const Machine& machine, std::string_view word) {
  if (const auto index = parse_number<unsigned>(word)) {
    if (*index >= machine.whole.size()) return std::nullopt;
    // The number stays: in which order it counts is CUDA's affair (CUDA_DEVICE_ORDER).
    return SurveyedGpu{std::string(word), machine.whole[*index].name};
  }
  if (!word.starts_with("GPU-") && !word.starts_with("MIG-")) return std::nullopt;
  for (const auto& gpu : machine.usable) {
    if (gpu.device.starts_with(word)) return gpu;
  }
  return std::nullopt;
}

std::vector<SurveyedGpu> shown(const Machine& machine, std::string_view visible) {
  std::vector<SurveyedGpu> gpus;
  while (!visible.empty()) {
    const std::size_t comma = visible.find(',');
    const auto gpu = named(machine, trim_text(visible.substr(0, comma), " "));
    if (!gpu) break;
    gpus.push_back(*gpu);
    visible = comma == std::string_view::npos ? std::string_view() : visible.substr(comma + 1);
  }
  return gpus;
}

}  // namespace

std::optional<std::string> visible_devices() {
  const char* const value = std::getenv("CUDA_VISIBLE_DEVICES");
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

GpuSurvey survey_gpus(const std::optional<std::string>& visible, const std::string& library) {
  Nvml nvml;
  GpuSurvey survey;
  if (!nvml.open(library, survey.note)) return survey;
  Machine machine = machine_of(nvml);
  survey.gpus = visible ? shown(machine, *visible) : std::move(machine.usable);
  if (!survey.gpus.empty()) return survey;
  survey.note = visible ? "CUDA_VISIBLE_DEVICES=" + visible->substr(0, 64) + " shows no GPU"
                        : std::string("NVML shows no GPU");
  return survey;
}

}  // namespace warpmind::profilers
