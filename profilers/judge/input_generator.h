#pragma once
/// \file
/// Draws the inputs of a case: one distribution, one seed, values that the dtype can hold.

#include "base/model/task.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warpmind::profilers {

/// `count` raw elements for `argument`. `row_elements` is the last extent of its shape (one_hot
/// sets one element a row). Equal seeds give equal elements, whatever the number of threads.
/// Integer dtypes know two families besides index_range: small integers (-4 … 4, unsigned 0 … 4)
/// and, for `large` and `wide`, up to +-1000 (+-100 in a byte); constant and one_hot mean what they
/// mean for floats.
[[nodiscard]] std::string draw_input(const Argument& argument, Distribution distribution,
                                     std::int64_t count, std::int64_t row_elements,
                                     std::uint64_t seed);

/// The distributions of a task's cases: the union of what its inputs allow, in the order of the
/// enum, without index_range; index_range alone if there is nothing else.
[[nodiscard]] std::vector<Distribution> distributions_of(const Task& task);

/// What `argument` draws from in a case of `distribution`: that, if allowed; else one of its own
/// list, by `turn`.
[[nodiscard]] Distribution distribution_for(const Argument& argument, Distribution distribution,
                                            std::size_t turn);

}  // namespace warpmind::profilers
