/// What the runtime offers beyond CUDA's: hints of a caller who draws red zones of his own and
/// poisons memory. profilers/worker/simulator_hooks.cpp looks the names up.

#include "profilers/simulator/cudart/runtime.h"

#include <cstddef>

using warpmind::simulator::DeviceMemory;
using warpmind::simulator::Runtime;

namespace {

/// Work that is queued may still write there.
void settle() { (void)cudaDeviceSynchronize(); }

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): named as the runtime's own functions are
extern "C" __attribute__((visibility("default"))) void cudasimRestrictAccess(void* allocation,
                                                                             std::size_t before,
                                                                             std::size_t bytes) {
  settle();
  Runtime* const runtime = warpmind::simulator::process().runtime.get();
  if (runtime == nullptr) return;
  const std::lock_guard lock(runtime->mutex);
  (void)runtime->memory.restrict(reinterpret_cast<std::uint64_t>(allocation), before, bytes);
}

extern "C" __attribute__((visibility("default"))) void cudasimForgetContent(void* memory,
                                                                            std::size_t bytes) {
  settle();
  Runtime* const runtime = warpmind::simulator::process().runtime.get();
  if (runtime == nullptr) return;
  const std::lock_guard lock(runtime->mutex);
  const auto address = reinterpret_cast<std::uint64_t>(memory);
  if (runtime->memory.find(address) != nullptr) runtime->memory.mark_unwritten(address, bytes);
}

extern "C" __attribute__((visibility("default"))) void cudasimOpposeOrder(int opposite) {
  settle();
  Runtime* const runtime = warpmind::simulator::process().runtime.get();
  if (runtime == nullptr) return;
  const std::lock_guard lock(runtime->mutex);
  runtime->opposite_order = opposite != 0;
}
// NOLINTEND(readability-identifier-naming)
