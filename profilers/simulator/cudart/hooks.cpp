#include "profilers/simulator/cudart/hooks.h"

#include "profilers/simulator/cudart/runtime.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

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

extern "C" __attribute__((visibility("default"))) void cudasimSampleBlocks(
    std::uint64_t seed, std::uint64_t instructions) {
  settle();
  Runtime* const runtime = warpmind::simulator::process().runtime.get();
  if (runtime == nullptr) return;
  const std::lock_guard lock(runtime->mutex);
  runtime->sampling = {seed, instructions};
}

extern "C" __attribute__((visibility("default"))) void cudasimOpposeOrder(int opposite) {
  settle();
  Runtime* const runtime = warpmind::simulator::process().runtime.get();
  if (runtime == nullptr) return;
  const std::lock_guard lock(runtime->mutex);
  runtime->opposite_order = opposite != 0;
}

extern "C" __attribute__((visibility("default"))) void cudasimSealReports(const char* key) {
  settle();
  Runtime* const runtime = warpmind::simulator::process().runtime.get();
  if (runtime == nullptr) return;
  const std::lock_guard lock(runtime->mutex);
  runtime->report.seal_with(key);
}

extern "C" __attribute__((visibility("default"))) void cudasimReportSeal(const char* key,
                                                                         char* seal) {
  settle();
  *seal = 0;
  Runtime* const runtime = warpmind::simulator::process().runtime.get();
  if (runtime == nullptr) return;
  const std::lock_guard lock(runtime->mutex);
  const std::string value = runtime->report.seal(key);
  std::memcpy(seal, value.c_str(), value.size() + 1);
}

extern "C" __attribute__((visibility("default"))) std::uint64_t cudasimThreadNanoseconds() {
  return warpmind::simulator::RuntimeTime::spent();
}
// NOLINTEND(readability-identifier-naming)
