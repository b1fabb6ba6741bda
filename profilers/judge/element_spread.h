#pragma once
/// \file
/// How far rounding alone moves each element of an output, from perturbed runs of the given kernel
/// (profilers/job/perturbed_run.h).

#include "base/model/dtype.h"
#include "base/result.h"
#include "profilers/job/perturbed_run.h"

#include <filesystem>
#include <string>
#include <vector>

namespace warpmind::profilers {

/// Per element. An infinite part says that rounding decides whether the element is a number.
struct ElementSpread {
  std::vector<double>
      rounding;              ///< kRoundingFactor x the spread of repetitions and handed-on values
  std::vector<double> sums;  ///< what other orders of summation may change
  double coarsest = 0;       ///< largest unit roundoff of what launches hand on; 0 = nothing
  std::vector<double> strained = {};  ///< largest change in a strained run; empty = none ran
};

/// A perturbed value moves by a whole step, a value that another order rounds the other way, too,
/// and one that is not rounded at all by half of one: honest differences have at most 0.41 of the
/// standard deviation. The largest of three runs, times this, is six to nine of theirs.
inline constexpr double kRoundingFactor = 3;

struct SpreadSource {
  std::filesystem::path given;  ///< the given kernel's output; its perturbed ones lie beside it
  Dtype dtype = Dtype::f32;
  const std::vector<PerturbedRun>& runs;
  double accumulate_roundoff = 0;  ///< u_acc of the contract
  bool integers = false;           ///< inputs are integers: sums are exact, inputs do not move
  bool repetitions = true;         ///< count as spread; not where they are what is judged
};

/// `values` is what the given kernel wrote. Errors: a file is missing or has another size.
[[nodiscard]] Result<ElementSpread> read_spread(const SpreadSource& source,
                                                const std::vector<double>& values);

}  // namespace warpmind::profilers
