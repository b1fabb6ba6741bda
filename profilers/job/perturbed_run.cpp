#include "profilers/job/perturbed_run.h"

#include "profilers/job/runner_job.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <set>

namespace warpmind::profilers {
namespace {

/// Runs for each part: a single one moves an element by nothing too often.
constexpr std::uint64_t kRuns = 3;

/// Where sign, exponent and mantissa of a floating type lie.
struct Layout {
  unsigned mantissa;
  unsigned exponent;
};

Layout layout_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::f16: return {10, 5};
    case Dtype::bf16: return {7, 8};
    case Dtype::f64: return {52, 11};
    default: return {23, 8};
  }
}

std::uint64_t low_bits(unsigned count) { return (std::uint64_t{1} << count) - 1; }

/// Whether the magnitude is an integer below 2^(mantissa + 1): there every integer has a name.
bool is_exact_integer(std::uint64_t magnitude, const Layout& layout) {
  const auto bias = static_cast<std::int64_t>(low_bits(layout.exponent - 1));
  const auto power = static_cast<std::int64_t>(magnitude >> layout.mantissa) - bias;
  if (power < 0 || power > static_cast<std::int64_t>(layout.mantissa)) return false;
  return (magnitude & low_bits(layout.mantissa - static_cast<unsigned>(power))) == 0;
}

std::uint64_t moved(std::uint64_t bits, const Layout& layout, bool up, bool keep_integers) {
  const std::uint64_t magnitude = bits & low_bits(layout.mantissa + layout.exponent);
  const std::uint64_t infinity = low_bits(layout.exponent) << layout.mantissa;
  if (magnitude == 0 || magnitude >= infinity) return bits;
  if (keep_integers && is_exact_integer(magnitude, layout)) return bits;
  return up && magnitude + 1 < infinity ? bits + 1 : bits - 1;
}

bool takes(const LaunchCall& call, const std::string& name) {
  return std::any_of(call.arguments.begin(), call.arguments.end(),
                     [&](const CallArgument& one) { return one.buffer == name; });
}

bool is_handed_on(const Program& program, std::size_t number, const std::string& name) {
  if (!takes(program.launches[number], name)) return false;
  const auto later = program.launches.begin() + static_cast<std::ptrdiff_t>(number) + 1;
  return std::any_of(later, program.launches.end(),
                     [&](const LaunchCall& call) { return takes(call, name); });
}

unsigned mantissa_of(Dtype dtype) { return layout_of(dtype).mantissa; }

}  // namespace

std::vector<HandedOn> handed_on(const RunCase& run_case, std::size_t number) {
  std::vector<HandedOn> all;
  const Program& program = run_case.candidate;
  if (program.tier != Tier::a) return all;  // its host function launches
  const auto add = [&](const std::string& name, Dtype dtype, std::int64_t bytes) {
    if (is_floating(dtype) && is_handed_on(program, number, name)) {
      all.push_back({name, dtype, bytes});
    }
  };
  for (const BufferSpec& spec : run_case.buffers) {
    if (!spec.output_file.empty()) add(spec.name, spec.dtype, spec.bytes);
  }
  for (const ScratchSpec& spec : program.scratch) add(spec.name, spec.dtype, spec.bytes);
  return all;
}

std::vector<PerturbedRun> perturbed_runs(const RunCase& run_case,
                                         const PerturbedBinaries& binaries) {
  std::vector<PerturbedRun> runs;
  const auto add = [&runs](PerturbedPart part, Dtype dtype, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      runs.push_back({".p" + std::to_string(runs.size()), part, dtype, runs.size() + 1});
    }
  };
  add(PerturbedPart::nothing, Dtype::f32, 2);
  std::set<Dtype> inputs;
  for (const BufferSpec& spec : run_case.buffers) {
    if (!spec.input_file.empty() && is_floating(spec.dtype)) inputs.insert(spec.dtype);
  }
  for (const Dtype dtype : inputs) add(PerturbedPart::inputs, dtype, kRuns);
  std::set<std::pair<unsigned, Dtype>> between;
  for (std::size_t i = 0; i < run_case.candidate.launches.size(); ++i) {
    for (const HandedOn& one : handed_on(run_case, i)) {
      between.insert({mantissa_of(one.dtype), one.dtype});
    }
  }
  if (!between.empty()) add(PerturbedPart::between, between.begin()->second, kRuns);
  const auto add_builds = [&](PerturbedPart part, const std::vector<std::string>& builds) {
    for (const std::string& binary : builds) {
      add(part, Dtype::f32, 1);
      runs.back().binary = binary;
    }
  };
  add_builds(PerturbedPart::arithmetic, binaries.rounded);
  add_builds(PerturbedPart::strained, binaries.strained);
  return runs;
}

void perturb(std::vector<std::byte>& bytes, Dtype dtype, std::uint64_t seed, bool keep_integers,
             const std::vector<std::byte>& before) {
  const Layout layout = layout_of(dtype);
  const std::size_t size = size_in_bytes(dtype);
  std::mt19937_64 directions(seed);
  std::uint64_t drawn = 0;
  for (std::size_t i = 0; i * size + size <= bytes.size(); ++i) {
    drawn = i % 64 == 0 ? directions() : drawn >> 1U;
    std::byte* const at = bytes.data() + i * size;
    if (!before.empty() && std::memcmp(at, before.data() + i * size, size) == 0) continue;
    std::uint64_t bits = 0;
    std::memcpy(&bits, at, size);
    bits = moved(bits, layout, (drawn & 1U) != 0, keep_integers);
    std::memcpy(at, &bits, size);
  }
}

}  // namespace warpmind::profilers
