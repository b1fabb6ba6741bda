#pragma once
/// \file
/// Monte Carlo arithmetic on a whole launch plan: runs in which values move by one step of their
/// type, as if each had been rounded the other way. What the outputs make of it says how far a
/// right kernel may be. D. S. Parker, "Monte Carlo Arithmetic: exploiting randomness in
/// floating-point arithmetic" (UCLA, 1997); Verificarlo and CADNA do it instruction by instruction.

#include "base/enum_names.h"
#include "base/model/dtype.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warpmind::profilers {

struct RunCase;

enum class PerturbedPart {
  nothing,     ///< a repetition, on the simulator in the opposite order of blocks and warps
  inputs,      ///< the floating inputs of one dtype
  between,     ///< what a launch writes and a later one takes
  arithmetic,  ///< results in the kernels: another build rounds them at random
  strained,    ///< all that an honest rewrite may do otherwise: another build does it
};

}  // namespace warpmind::profilers

namespace warpmind {
WARPMIND_ENUM_NAMES(profilers::PerturbedPart, {profilers::PerturbedPart::nothing, "nothing"},
                    {profilers::PerturbedPart::inputs, "inputs"},
                    {profilers::PerturbedPart::between, "between"},
                    {profilers::PerturbedPart::arithmetic, "arithmetic"},
                    {profilers::PerturbedPart::strained, "strained"});
}  // namespace warpmind

namespace warpmind::profilers {

struct PerturbedRun {
  std::string suffix;  ///< behind the name of each output's file
  PerturbedPart part = PerturbedPart::nothing;
  Dtype dtype = Dtype::f32;  ///< of the inputs; between: the coarsest type that is handed on
  std::uint64_t seed = 0;    ///< of the directions
  std::string binary = {};   ///< arithmetic, strained: what runs in place of the candidate's
  bool operator==(const PerturbedRun&) const = default;
};

/// A floating buffer that one launch may have written and a later one takes.
struct HandedOn {
  std::string name;
  Dtype dtype = Dtype::f32;
  std::int64_t bytes = 0;
};

/// What launch `number` of the candidate hands on; pure inputs are nobody's.
[[nodiscard]] std::vector<HandedOn> handed_on(const RunCase& run_case, std::size_t number);

/// Other builds of the same kernels.
struct PerturbedBinaries {
  std::vector<std::string> rounded;   ///< round at random
  std::vector<std::string> strained;  ///< do all that an honest rewrite may do otherwise
};

/// The runs that tell the spread of `run_case`: repetitions, inputs by dtype, what is handed on,
/// and one for each of `binaries`.
[[nodiscard]] std::vector<PerturbedRun> perturbed_runs(const RunCase& run_case,
                                                       const PerturbedBinaries& binaries);

/// Moves each finite element of `bytes` but zeros one step up or down, by a generator that starts
/// from `seed`. With `keep_integers` an integer that the type holds exactly, with all below it,
/// stays. `before`: what the memory held earlier; equal elements stay. Empty = all move.
void perturb(std::vector<std::byte>& bytes, Dtype dtype, std::uint64_t seed, bool keep_integers,
             const std::vector<std::byte>& before = {});

}  // namespace warpmind::profilers
