#pragma once
/// \file
/// Compares one output with the reference, every element, by the task's contract.
///
/// With d = got - reference, u_out and u_acc the unit roundoffs of output and accumulation:
///   exact        got is the reference rounded to the dtype (-0 equals +0)
///   elementwise  at most `ulp` units in the last place from the rounded reference
///   contraction  |d| <= c max(16, sqrt(K)) u_acc (|A||B|) + u_out |reference| + floor; c = 1, and
///                4 for inputs of distribution `wide`: where one term is nearly all of |A||B|,
///                every later addition rounds at its size
///   reduction    |d| <= limit x scale + floor, scale = max(|reference|, rms of the reference over
///                the 128 elements around it), limit = max(u_out + 8 x (error of the baseline -
///                u_out), 8 u_out), at most that of the baseline itself, whose error is not known
///                yet: max(64 u_out, 1024 u_acc). A sequential f32 sum of 8192 numbers stays a
///                factor of 6 below it, wrong ones do not
/// floor is the smallest normal number of the accumulation: below it arithmetic is absolute. It is
/// far under the smallest f16.
/// For the two sums the norm of d over each run of 128 elements must also stay under 3/4 of the
/// norm of the tolerances, both without the rounding of the output, u_out |reference|: where
/// neighbours are equal, all are rounded the same way, and that is no mistake. The same holds for
/// the first and the last row and column of every plane, except where the given kernel is the
/// reference. Where the given kernel is the reference (decision 0019), class reduction has limit =
/// max(N u_out, 8 u_acc where u_acc > u_out), N as given_roundoffs(); integers, and where the
/// inputs were integers also outputs that are, must be equal. What the given kernel leaves
/// unwritten must stay so. Perturbed runs of the given kernel, where there are any, widen the
/// tolerance by what rounding alone moves (element_spread.h): decision 0055. Of a probe, elements
/// that its strained runs compute otherwise are left out: decision 0062. An element that may
/// then be off by more than eight times what eager arithmetic of its coarsest type needs is
/// ill-conditioned. NaN and infinity must be where the rounded reference has them; a
/// reference within its tolerance of overflow may come out either way. No NaN is a wildcard: where
/// the reference has one, poison that was left is still wrong.

#include "base/model/task.h"
#include "base/result.h"
#include "profilers/judge/element_spread.h"
#include "profilers/judge/input_generator.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::profilers {

/// Elements of a tile.
inline constexpr std::size_t kTileElements = 128;
/// Error ratio of what no tolerance could cover: NaN for a number, a missing file.
inline constexpr double kHopelessRatio = 1e9;

/// What an output is held against. The spans must outlive it.
struct Expected {
  Dtype dtype = Dtype::f32;
  std::vector<std::int64_t> extents;  ///< to name an element by its coordinates
  std::span<const double> reference;
  std::span<const double> magnitude;  ///< contraction: the reference of absolute values
  std::string_view given = {};        ///< what the given kernel wrote, where it is the reference
  const ElementSpread* spread = nullptr;  ///< of the given kernel's perturbed runs
};

/// The contract with its numbers filled in for one workload.
struct ToleranceRule {
  ToleranceClass kind = ToleranceClass::elementwise;
  double ulp = 2;
  double accumulate_roundoff = 0;  ///< u_acc; twice that of tf32 where the contract allows tf32
  double accumulate_floor = 0;
  double reduction_length = 1;  ///< K
  double summation = 1;         ///< c
  double baseline_error = 0;    ///< 0 = this is the baseline
  double exact_integers = 0;    ///< given kernel, inputs integers: sums are exact up to here
  bool partial = false;         ///< elements that nobody wrote are left out, not wrong
  Probe probe = Probe::none;    ///< given kernel: which elements count at all
};

/// For a case of `distribution`. Errors: invalid_argument if the contract's reduction_length cannot
/// be evaluated.
[[nodiscard]] Result<ToleranceRule> tolerance_rule(const Contract& contract, const Sizes& sizes,
                                                   double baseline_error,
                                                   std::string_view distribution = {});

/// The rule for a case whose reference is the given kernel's output. `integers`: the case has the
/// distribution `exact`.
[[nodiscard]] ToleranceRule given_rule(const Contract& contract, bool integers);

/// N: u_out of the scale by which two honest kernels may differ. 16 bits: each rounds once or
/// twice, more than what its f32 sums lose. f32 and f64: sums of thousands of terms in another
/// order; a sequential sum of 8192 stays a factor of 6 below, and few rewrites lose precision.
[[nodiscard]] double given_roundoffs(Dtype output);

/// Whether `element`, one of `dtype` at `index` of `bytes`, holds the runner's poison. Single bytes
/// are told in pairs. An integer -1 is none, though it may look so; a NaN of 16 bits may be one.
[[nodiscard]] bool is_unwritten(std::string_view bytes, Dtype dtype, std::size_t index);

struct OutputComparison {
  std::int64_t elements = 0;  ///< compared
  std::int64_t wrong = 0;
  std::int64_t ill_conditioned = 0;  ///< of those that differ from the given kernel's tile
  double worst_ratio = 0;            ///< largest |error| / tolerance; <= 1 passes
  double baseline_error = 0;         ///< reduction: largest |d| / scale
  double worst_ulp = 0;    ///< largest distance from the rounded reference; 0 for integers
  double relative_l2 = 0;  ///< |d| / |reference| over all finite elements, at most kHopelessRatio
  std::string worst;       ///< "[3,17]: got 1.5, want 1.25 (tolerance 0.002: …)"
};

/// How far each element may be off, absolutely: what compare_output() allows of |d|, leaving out
/// tiles and edges. Units in the last place are turned into distances.
[[nodiscard]] std::vector<double> element_tolerances(const Expected& expected,
                                                     const ToleranceRule& rule);

/// `bytes` is the raw output. A size that does not fit is hopeless.
[[nodiscard]] OutputComparison compare_output(const Expected& expected, const ToleranceRule& rule,
                                              std::string_view bytes);

}  // namespace warpmind::profilers
