#pragma once
/// \file
/// PTX modules of the process and what is in them: kernels and variables, by the host addresses
/// and handles under which the program knows them.

#include "base/result.h"
#include "profilers/simulator/memory/device_memory.h"
#include "profilers/simulator/program/program.h"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::simulator {

class KernelModule;

/// What cudaKernel_t and cudaFunction_t point to.
struct KernelHandle {
  KernelModule* module = nullptr;
  std::string name;                        ///< mangled
  std::uint32_t most_dynamic_shared = 0;   ///< by cudaFuncSetAttribute; 0 = the default limit
  int shared_carveout = -1;                ///< kept for cudaFuncGetAttributes
  bool non_portable_cluster_size = false;  ///< likewise
};

struct DeviceVariable {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

/// One fat binary or library. Compiled when something of it is first used, since a program
/// registers everything before main().
class KernelModule {
 public:
  /// `image`: what nvcc registered, which stays readable; or `ptx` when it is known already.
  explicit KernelModule(const void* image) : image_(image) {}
  explicit KernelModule(std::string ptx) : ptx_(std::move(ptx)) {}

  /// Compiles, places and initialises the variables on the first call.
  /// Errors: those of ptx_of_image(), parse_ptx() and compile_module(); the same on later calls.
  [[nodiscard]] Result<std::shared_ptr<const CompiledModule>> compiled(DeviceMemory& memory,
                                                                       int capability);
  /// Errors: not_found.
  [[nodiscard]] Result<DeviceVariable> variable(std::string_view name, DeviceMemory& memory,
                                                int capability);
  [[nodiscard]] bool is_managed(std::string_view name) const {
    return managed_.find(name) != managed_.end();
  }
  /// Before compiled(): the host can touch the variable, and finds its address at `host`.
  void add_managed(const std::string& name, void** host) { managed_[name] = host; }
  [[nodiscard]] bool has_managed() const { return !managed_.empty(); }

  /// The handle of a kernel, the same for each call; made without looking into the module.
  [[nodiscard]] KernelHandle& kernel(const std::string& name);
  /// Gives the variables' memory back. Launches under way keep the code.
  void unload(DeviceMemory& memory);

 private:
  [[nodiscard]] Result<std::shared_ptr<const CompiledModule>> compile(DeviceMemory& memory,
                                                                      int capability);
  [[nodiscard]] Result<void> initialise(const CompiledModule& module, DeviceMemory& memory);

  const void* image_ = nullptr;
  std::string ptx_;
  bool tried_ = false;
  Result<std::shared_ptr<const CompiledModule>> compiled_;
  std::vector<std::uint64_t> placed_;
  std::map<std::string, void**, std::less<>> managed_;
  std::map<std::string, std::unique_ptr<KernelHandle>, std::less<>> kernels_;
};

/// All modules. Threads: one; the runtime's lock guards it.
class KernelModules {
 public:
  KernelModule& add(std::unique_ptr<KernelModule> module);
  [[nodiscard]] KernelModule* find(const void* handle) const;
  /// Forgets a module, with its kernels and variables.
  void remove(const KernelModule* module, DeviceMemory* memory);

  /// The handle of a kernel, known from now on by its own address, too.
  KernelHandle& handle_of(KernelModule& module, const std::string& name);
  void unload_all(DeviceMemory& memory);

  void register_kernel(const void* host, KernelModule& module, const std::string& name);
  void register_variable(const void* host, KernelModule& module, const std::string& name);
  /// A texture or surface reference, which is refused by name.
  void register_refused(const void* host, std::string what) { refused_[host] = std::move(what); }

  /// By host function, cudaKernel_t or cudaFunction_t; null when unknown.
  [[nodiscard]] KernelHandle* kernel(const void* any) const;
  struct Variable {
    KernelModule* module = nullptr;
    std::string name;
  };
  [[nodiscard]] const Variable* variable(const void* host) const;
  [[nodiscard]] const std::string* refused(const void* host) const;

 private:
  std::map<const void*, std::unique_ptr<KernelModule>> modules_;
  std::map<const void*, KernelHandle*> kernels_;
  std::map<const void*, Variable> variables_;
  std::map<const void*, std::string> refused_;
};

}  // namespace warpmind::simulator
