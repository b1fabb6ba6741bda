#include "profilers/simulator/cudart/kernel_modules.h"

#include "profilers/simulator/cudart/fatbin.h"
#include "profilers/simulator/program/compiler.h"
#include "profilers/simulator/ptx/parser.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace warpmind::simulator {

Result<std::shared_ptr<const CompiledModule>> KernelModule::compiled(DeviceMemory& memory,
                                                                     int capability) {
  if (!tried_) {
    compiled_ = compile(memory, capability);
    if (!compiled_) unload(memory);
    tried_ = true;
  }
  return compiled_;
}

Result<std::shared_ptr<const CompiledModule>> KernelModule::compile(DeviceMemory& memory,
                                                                    int capability) {
  if (ptx_.empty()) {
    WARPMIND_TRY(ptx_, ptx_of_image(image_, capability));
  }
  WARPMIND_TRY(ptx::Module syntax, ptx::parse_ptx(ptx_));
  const auto place = [&](const ptx::Variable& variable) -> std::uint64_t {
    const std::uint64_t bytes = std::max<std::uint64_t>(variable.bytes, 1);
    const std::uint64_t address =
        is_managed(variable.name) ? memory.allocate_visible(bytes) : memory.allocate(bytes);
    if (address != 0) placed_.push_back(address);
    return address;
  };
  WARPMIND_TRY(std::unique_ptr<CompiledModule> module, compile_module(std::move(syntax), place));
  WARPMIND_CHECK(initialise(*module, memory));
  return std::shared_ptr<const CompiledModule>(std::move(module));
}

Result<void> KernelModule::initialise(const CompiledModule& module, DeviceMemory& memory) {
  for (const auto& [name, placed] : module.variables) {
    if (placed.address == 0 || !memory.contains(placed.address)) continue;
    WARPMIND_TRY(const std::vector<std::uint8_t> bytes, initial_bytes(module, placed));
    if (!bytes.empty()) std::memcpy(memory.host(placed.address), bytes.data(), bytes.size());
    memory.mark_written(placed.address, placed.variable.bytes);
    const auto managed = managed_.find(name);
    if (managed != managed_.end()) {
      *managed->second =
          reinterpret_cast<void*>(placed.address);  // NOLINT(performance-no-int-to-ptr)
    }
  }
  return {};
}

Result<DeviceVariable> KernelModule::variable(std::string_view name, DeviceMemory& memory,
                                              int capability) {
  WARPMIND_TRY(const auto module, compiled(memory, capability));
  const auto at = module->variables.find(name);
  if (at == module->variables.end() || !memory.contains(at->second.address)) {
    return fail(Errc::not_found, "the module has no variable " + std::string(name));
  }
  return DeviceVariable{at->second.address, at->second.variable.bytes};
}

KernelHandle& KernelModule::kernel(const std::string& name) {
  auto& handle = kernels_[name];
  if (handle == nullptr) {
    handle = std::make_unique<KernelHandle>();
    handle->module = this;
    handle->name = name;
  }
  return *handle;
}

void KernelModule::unload(DeviceMemory& memory) {
  tried_ = false;
  for (const std::uint64_t address : std::exchange(placed_, {})) memory.release(address);
}

KernelModule& KernelModules::add(std::unique_ptr<KernelModule> module) {
  KernelModule& added = *module;
  modules_[&added] = std::move(module);
  return added;
}

KernelModule* KernelModules::find(const void* handle) const {
  const auto at = modules_.find(handle);
  return at == modules_.end() ? nullptr : at->second.get();
}

void KernelModules::remove(const KernelModule* module, DeviceMemory* memory) {
  const auto at = modules_.find(module);
  if (at == modules_.end()) return;
  std::erase_if(kernels_, [&](const auto& entry) { return entry.second->module == module; });
  std::erase_if(variables_, [&](const auto& entry) { return entry.second.module == module; });
  if (memory != nullptr) at->second->unload(*memory);
  modules_.erase(at);
}

void KernelModules::unload_all(DeviceMemory& memory) {
  for (const auto& [handle, module] : modules_) module->unload(memory);
}

void KernelModules::register_kernel(const void* host, KernelModule& module,
                                    const std::string& name) {
  kernels_[host] = &handle_of(module, name);
}

KernelHandle& KernelModules::handle_of(KernelModule& module, const std::string& name) {
  KernelHandle& handle = module.kernel(name);
  kernels_[&handle] = &handle;
  return handle;
}

void KernelModules::register_variable(const void* host, KernelModule& module,
                                      const std::string& name) {
  variables_[host] = {&module, name};
}

KernelHandle* KernelModules::kernel(const void* any) const {
  const auto at = kernels_.find(any);
  return at == kernels_.end() ? nullptr : at->second;
}

const KernelModules::Variable* KernelModules::variable(const void* host) const {
  const auto at = variables_.find(host);
  return at == variables_.end() ? nullptr : &at->second;
}

const std::string* KernelModules::refused(const void* host) const {
  const auto at = refused_.find(host);
  return at == refused_.end() ? nullptr : &at->second;
}

}  // namespace warpmind::simulator
