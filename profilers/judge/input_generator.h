#pragma once
/// \file
/// Draws the inputs of a case: one distribution, one seed, values that the dtype can hold.

#include "base/model/task.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::profilers {

/// What a case adds to its distribution.
enum class InputTrait {
  none,
  /// Rows differ: around a mean other than 0, far from 0, all equal, all zero; indices crowd on few
  /// values. A kernel's formula may be right for every even input and wrong here.
  uneven,
  special,      ///< a few NaN, and infinities where Draw::infinities says so
  whole_range,  ///< integers of all magnitudes that the dtype holds
  near_zero,    ///< numbers around 2^-100 (f16: 2^-12), above the denormals
};

/// What a probe is judged by. A probe is a case whose inputs nobody vouches for: where the task has
/// no reference, only the given kernel can show on which elements they are fair (decision 0062).
enum class Probe {
  none,        ///< no probe
  numbers,     ///< elements that the given kernel computes alike when strained
  nan,         ///< those of them that are NaN
  infinities,  ///< those of them that are infinite
};

/// How the inputs of one case are drawn. docs/numerics.md says why which values.
struct InputDraw {
  Distribution distribution = Distribution::normal;
  InputTrait trait = InputTrait::none;
  /// Of the whole range that a `wide` integer without index_range is drawn from: the reference must
  /// not overflow. 0 = whole, 1 = half … Rows far from 0 come nearer by as many.
  int halvings = 0;
  /// Nobody says whether the kernel can do with it: no rows far from 0 or level, no integers beyond
  /// 1000.
  bool calm = false;
  bool indices_only = false;  ///< uneven: numbers stay as they are
  /// uneven: no vector is of one family as a whole. All of it 0 would hide what else is wrong.
  bool in_pieces = false;
  bool infinities = false;  ///< special
  Probe probe = Probe::none;
  /// Of recorded integers: 0 = as recorded, else in the order that this number names, which all
  /// arguments of a case share. CaseInputs sets it.
  std::uint64_t order = 0;
  std::optional<std::int64_t> most = {};  ///< greatest recorded integer, where sizes decide
  bool operator==(const InputDraw&) const = default;
};

/// As a case names it: "normal", "normal, uneven rows".
[[nodiscard]] std::string describe(const InputDraw& draw);

/// `count` raw elements for `argument`. `row_elements` is the last extent of its shape (one_hot
/// sets one element a row). Equal seeds give equal elements, whatever the number of threads.
/// Integer dtypes know three families besides index_range: small integers (-4 … 4, unsigned 0 … 4),
/// for `large` up to +-1000 (+-100 in a byte), and for `wide` all that the dtype holds (i64: 52
/// bits); constant and one_hot mean what they mean for floats.
[[nodiscard]] std::string draw_input(const Argument& argument, const InputDraw& draw,
                                     std::int64_t count, std::int64_t row_elements,
                                     std::uint64_t seed);
[[nodiscard]] inline std::string draw_input(const Argument& argument, Distribution distribution,
                                            std::int64_t count, std::int64_t row_elements,
                                            std::uint64_t seed) {
  return draw_input(argument, InputDraw{distribution}, count, row_elements, seed);
}

/// `raw`, as drawn for `argument`, with a few elements replaced by NaN, and by infinities where
/// `draw` says so; or by `stand_in` at the same places, where one is given.
[[nodiscard]] std::string with_special_values(const Argument& argument, const InputDraw& draw,
                                              std::string raw, std::uint64_t seed,
                                              std::optional<double> stand_in = std::nullopt);

/// The distributions of a task's cases: the union of what its inputs allow, in the order of the
/// enum, without index_range; index_range alone if there is nothing else. `recorded`, the first, is
/// among them as soon as something is on record.
[[nodiscard]] std::vector<Distribution> distributions_of(const Task& task);

/// The kinds of inputs that a task's kernels meet, plainest first: its distributions, then the
/// traits that make sense for it. `probes`: and those of a task without reference.
[[nodiscard]] std::vector<InputDraw> draws_of(const Task& task, bool probes = false);

/// Whether NaN is drawn for it: a floating input whose author leaves the distributions open.
[[nodiscard]] bool takes_special_values(const Argument& argument);

/// Whether its author says nothing about its integers: all that the dtype holds may come.
[[nodiscard]] bool is_open_integer(const Argument& argument);

/// What `argument` draws from in a case of `distribution`: that, if allowed; else one of its own
/// list, by `turn`.
[[nodiscard]] Distribution distribution_for(const Argument& argument, Distribution distribution,
                                            std::size_t turn);

}  // namespace warpmind::profilers
