#pragma once
/// \file
/// Which kernel a launch means: nvcc's code registers a name for each host function before main().

#include <map>
#include <mutex>
#include <string>

namespace warpmind::profilers {

/// Threads: any.
class KernelNames {
 public:
  void register_function(const void* host, const char* name) {
    const std::lock_guard lock(mutex_);
    names_[host] = name == nullptr ? "" : name;
  }
  /// A cudaKernel_t stands for `host`, too.
  void register_handle(const void* handle, const void* host) {
    const std::lock_guard lock(mutex_);
    hosts_[handle] = host;
  }
  /// The host function behind a handle; `any` itself when it is none.
  [[nodiscard]] const void* host_of(const void* any) const {
    const std::lock_guard lock(mutex_);
    const auto at = hosts_.find(any);
    return at == hosts_.end() ? any : at->second;
  }
  /// Empty when unknown.
  [[nodiscard]] std::string name_of(const void* any) const {
    const void* const host = host_of(any);
    const std::lock_guard lock(mutex_);
    const auto at = names_.find(host);
    return at == names_.end() ? std::string() : at->second;
  }

 private:
  mutable std::mutex mutex_;
  std::map<const void*, std::string> names_;
  std::map<const void*, const void*> hosts_;
};

}  // namespace warpmind::profilers
