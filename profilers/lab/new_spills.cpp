#include "profilers/lab/new_spills.h"

#include <algorithm>

namespace warpmind::profilers {
namespace {

std::int64_t spilled_bytes(const KernelResources& kernel) {
  return kernel.spill_store_bytes + kernel.spill_load_bytes;
}

/// The kernel that spills most; nullptr when the build holds none.
const KernelResources* worst_kernel(const BuildReport& build) {
  const auto worst = std::max_element(build.kernels.begin(), build.kernels.end(),
                                      [](const KernelResources& a, const KernelResources& b) {
                                        return spilled_bytes(a) < spilled_bytes(b);
                                      });
  return worst == build.kernels.end() ? nullptr : &*worst;
}

}  // namespace

bool spills(const BuildReport& build) {
  const KernelResources* const worst = worst_kernel(build);
  return worst != nullptr && spilled_bytes(*worst) > 0;
}

std::optional<std::string> describe_new_spills(const BuildReport& candidate,
                                               const BuildReport& edited) {
  if (!spills(candidate) || spills(edited)) return std::nullopt;
  const KernelResources& worst = *worst_kernel(candidate);
  return "new register spills: '" + worst.kernel + "' stores " +
         std::to_string(worst.spill_store_bytes) + " and loads " +
         std::to_string(worst.spill_load_bytes) + " bytes with " + std::to_string(worst.registers) +
         " registers, where the kernel it was made from spills none (lab.spill_gate)";
}

}  // namespace warpmind::profilers
