#include "profilers/worker/simulator_hooks.h"

#include <dlfcn.h>

namespace warpmind::profilers {
namespace {

// Exported by profilers/simulator/cudart/hooks.cpp.
using RestrictAccess = void (*)(void*, std::size_t, std::size_t);
using ForgetContent = void (*)(void*, std::size_t);
using OpposeOrder = void (*)(int);

template <class Function>
Function find_hook(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_DEFAULT, name));
}

}  // namespace

void restrict_access(void* allocation, std::size_t before, std::size_t bytes) {
  static const auto hook = find_hook<RestrictAccess>("cudasimRestrictAccess");
  if (hook != nullptr) hook(allocation, before, bytes);
}

void forget_content(void* memory, std::size_t bytes) {
  static const auto hook = find_hook<ForgetContent>("cudasimForgetContent");
  if (hook != nullptr) hook(memory, bytes);
}

bool oppose_order(bool opposite) {
  static const auto hook = find_hook<OpposeOrder>("cudasimOpposeOrder");
  if (hook == nullptr) return false;
  hook(opposite ? 1 : 0);
  return opposite;
}

}  // namespace warpmind::profilers
