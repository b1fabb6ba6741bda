#pragma once
/// \file
/// Inputs as a recorded run of a program had them, and inputs like those.

#include "base/model/task.h"
#include "base/result.h"
#include "profilers/judge/input_generator.h"
#include "profilers/judge/random_numbers.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::profilers {

/// Raw elements of one argument of a case. Integers whose values are on record are those, as
/// recorded or in another order (`draw.order`); everything else comes from draw_input(). Errors:
/// not_found and corrupt_data for the file of values; those of the argument's expressions.
[[nodiscard]] Result<std::string> draw_argument(const Task& task, const Argument& argument,
                                                const Sizes& sizes, InputDraw draw,
                                                std::uint64_t seed);

/// The bytes behind `recorded.values`, from its offset on; the file must be what its name says.
[[nodiscard]] Result<std::string> recorded_values(const Task& task, const RecordedInput& recorded);

/// How recorded integers become those of a case.
struct RecordedUse {
  std::int64_t count = 0;            ///< elements wanted
  std::uint64_t order = 0;           ///< as InputDraw::order
  std::optional<std::int64_t> most;  ///< as InputDraw::most
};

/// In another order, a sorted array has its steps permuted (of equal ones, some joined with the
/// next): it stays sorted and keeps its ends. Others are permuted. Either happens within blocks of
/// 16 elements and not at the end, alike for arrays of about one length: an array of offsets and
/// one of lengths still fit each other. An array of one value gets values from 0 to it. Another
/// `count` takes elements at even places.
[[nodiscard]] std::string use_recorded_values(const Argument& argument, std::string_view values,
                                              const RecordedUse& use);

/// Values like the recorded ones, by their figures alone: a function as input generators have.
/// Integers, and what was sorted, follow RecordedInput::shares; other numbers are normal within
/// the recorded range, with the share of zeros.
[[nodiscard]] std::function<void(std::int64_t begin, std::vector<double>& values, SplitMix& random)>
fill_like_recorded(const Argument& argument, const InputDraw& draw, std::int64_t count);

}  // namespace warpmind::profilers
