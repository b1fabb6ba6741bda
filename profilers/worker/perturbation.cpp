#include "profilers/worker/perturbation.h"

#include "profilers/worker/cuda_handles.h"

#include <algorithm>
#include <utility>

namespace warpmind::profilers {

Result<std::vector<std::byte>> Perturbation::read(const std::string& name, std::int64_t bytes) {
  const auto found = addresses_.find(name);
  if (found == addresses_.end()) {
    return fail(Errc::invalid_argument, name + " has no memory");
  }
  std::vector<std::byte> content(static_cast<std::size_t>(std::max<std::int64_t>(bytes, 0)));
  WARPMIND_CHECK(
      cuda_check(cudaMemcpy(content.data(), found->second, content.size(), cudaMemcpyDeviceToHost),
                 "reading " + name));
  return content;
}

Result<void> Perturbation::write(const std::string& name, const std::vector<std::byte>& bytes) {
  return cuda_check(
      cudaMemcpy(addresses_.find(name)->second, bytes.data(), bytes.size(), cudaMemcpyHostToDevice),
      "writing " + name);
}

Result<void> Perturbation::move_inputs(const PerturbedRun& how) {
  std::uint64_t seed = how.seed;
  for (const BufferSpec& spec : case_.buffers) {
    seed += 0x9E3779B97F4A7C15U;
    if (spec.input_file.empty() || spec.dtype != how.dtype) continue;
    WARPMIND_TRY(auto content, read(spec.name, spec.bytes));
    perturb(content, spec.dtype, seed, case_.integers);
    WARPMIND_CHECK(write(spec.name, content));
  }
  return {};
}

Result<void> Perturbation::move_handed_on(const PerturbedRun& how, std::size_t number,
                                          std::map<std::string, std::vector<std::byte>>& known) {
  const auto handed = handed_on(case_, number);
  if (handed.empty()) return {};
  WARPMIND_CHECK(cuda_check(cudaDeviceSynchronize(), "running the plan"));
  std::uint64_t seed = how.seed + number;
  for (const HandedOn& one : handed) {
    seed += 0x9E3779B97F4A7C15U;
    WARPMIND_TRY(auto content, read(one.name, one.bytes));
    perturb(content, one.dtype, seed, case_.integers, known[one.name]);
    WARPMIND_CHECK(write(one.name, content));
    known[one.name] = std::move(content);
  }
  return {};
}

Result<void> Perturbation::run_perturbed(const BoundPlan& plan, const PerturbedRun& how,
                                         cudaStream_t stream) {
  WARPMIND_CHECK(cuda_check(cudaDeviceSynchronize(), "preparing the buffers"));
  if (how.part == PerturbedPart::inputs) WARPMIND_CHECK(move_inputs(how));
  if (how.part != PerturbedPart::between) return plan.enqueue_on(stream);
  // What no launch changes was rounded by nobody.
  std::map<std::string, std::vector<std::byte>> known;
  for (std::size_t i = 0; i < case_.candidate.launches.size(); ++i) {
    for (const HandedOn& one : handed_on(case_, i)) {
      if (known.count(one.name) != 0) continue;
      WARPMIND_TRY(known[one.name], read(one.name, one.bytes));
    }
  }
  WARPMIND_CHECK(plan.zero_scratch(stream));
  return plan.launch_in_steps(
      stream, [&](std::size_t number) { return move_handed_on(how, number, known); });
}

}  // namespace warpmind::profilers
