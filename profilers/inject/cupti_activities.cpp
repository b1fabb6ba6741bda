#include "profilers/inject/cupti_activities.h"

#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <type_traits>
#include <vector>

namespace warpmind::profilers {
namespace {

/// Of the release whose headers this is built with: its records have the layout it expects.
const std::string kCupti = "libcupti.so." + std::to_string(CUDA_VERSION / 1000);

void* open_cupti() {
  std::vector<std::string> paths{kCupti};
  if (const char* const home = std::getenv("CUDA_HOME"); home != nullptr) {
    paths.push_back(std::string(home) + "/extras/CUPTI/lib64/" + kCupti);
    paths.push_back(std::string(home) + "/lib64/" + kCupti);
  }
  paths.push_back("/usr/local/cuda/extras/CUPTI/lib64/" + kCupti);
  paths.push_back("/usr/local/cuda/lib64/" + kCupti);
  paths.push_back("/usr/local/cuda/lib/" + kCupti);
  for (const std::string& path : paths) {
    if (void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

}  // namespace

Result<CuptiActivities> load_cupti_activities() {
  void* const library = open_cupti();  // never closed: CUPTI hooks into the driver
  if (library == nullptr) {
    return fail(Errc::unavailable,
                kCupti + " was not found; install the CUDA toolkit's CUPTI or set CUDA_HOME");
  }
  CuptiActivities out;
  const char* missing = nullptr;
  const auto load = [&](const char* name, auto& function) {
    function =
        reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
    if (function == nullptr) missing = name;
  };
  load("cuptiActivityRegisterCallbacks", out.register_callbacks);
  load("cuptiActivityEnable", out.enable);
  load("cuptiActivityFlushAll", out.flush_all);
  load("cuptiActivityGetNextRecord", out.next_record);
  load("cuptiActivityGetNumDroppedRecords", out.dropped_records);
  load("cuptiGetResultString", out.result_string);
  if (missing == nullptr) return out;
  return fail(Errc::unavailable, std::string(kCupti) + " has no " + missing);
}

}  // namespace warpmind::profilers
