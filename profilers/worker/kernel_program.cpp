#include "profilers/worker/kernel_program.h"

#include "profilers/worker/cubin_plan.h"
#include "profilers/worker/host_entry_plan.h"

#include <string>
#include <utility>

namespace warpmind::profilers {

Result<std::unique_ptr<LoadedBinary>> LoadedBinary::load(const Program& program) {
  switch (program.tier) {
    case Tier::a: return load_cubin(program);
    case Tier::b: return load_shared_object(program);
    case Tier::c: break;
  }
  return fail(Errc::invalid_argument,
              "the runner runs kernels of tier a and b, not whole programs");
}

Result<std::unique_ptr<BoundPlan>> BoundPlan::bind(LoadedBinary& binary, const Program& program,
                                                   const Addresses& addresses) {
  std::vector<Zeroed> zeroed;
  for (const ScratchSpec& spec : program.scratch) {
    if (!spec.zeroed) continue;
    const auto found = addresses.find(spec.name);
    if (found == addresses.end()) {
      return fail(Errc::invalid_argument, "scratch " + spec.name + " has no memory");
    }
    zeroed.push_back({found->second, static_cast<std::size_t>(spec.bytes), spec.name});
  }
  auto plan = program.tier == Tier::a ? bind_cubin(binary, program, addresses)
                                      : bind_host_entry(binary, program, addresses);
  if (plan) (*plan)->zeroed_ = std::move(zeroed);
  return plan;
}

Result<void> BoundPlan::zero_scratch(cudaStream_t stream) const {
  for (const Zeroed& scratch : zeroed_) {
    WARPMIND_CHECK(cuda_check(cudaMemsetAsync(scratch.memory, 0, scratch.bytes, stream),
                              "zeroing scratch " + scratch.name));
  }
  return {};
}

}  // namespace warpmind::profilers
