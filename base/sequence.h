#pragma once
/// \file
/// What is asked of a sequence of values again and again.

#include "base/enum_names.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

namespace warpmind {

/// Whether a value of `range` equals `value`. Looks at one after the other.
template <class Range, class T>
[[nodiscard]] constexpr bool contains(const Range& range, const T& value) {
  return std::find(std::begin(range), std::end(range), value) != std::end(range);
}

/// Whether a value is in both. Compares each with each.
template <class Range, class Other>
[[nodiscard]] constexpr bool intersects(const Range& a, const Other& b) {
  return std::any_of(std::begin(a), std::end(a),
                     [&b](const auto& value) { return contains(b, value); });
}

/// Whether `range` begins with all of `prefix`. Paths are ranges of their parts: begins_with(path,
/// folder) is whether the path, both without dots, is the folder or lies below it.
template <class Range, class Prefix>
[[nodiscard]] constexpr bool begins_with(const Range& range, const Prefix& prefix) {
  return std::mismatch(std::begin(prefix), std::end(prefix), std::begin(range), std::end(range))
             .first == std::end(prefix);
}

/// Puts `value` behind the last unless it is there already; whether it was put there.
template <class T, class U>
bool append_unique(std::vector<T>& values, U&& value) {
  if (contains(values, value)) return false;
  values.push_back(std::forward<U>(value));
  return true;
}

/// In rising order, each value once.
template <class T>
void sort_unique(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

/// The names of enumerators, in their order.
template <class Range>
[[nodiscard]] std::vector<std::string> enum_names(const Range& values) {
  std::vector<std::string> names;
  names.reserve(std::size(values));
  for (const auto value : values) names.emplace_back(name_of(value));
  return names;
}

/// The middle value; of an even number the mean of the two in the middle. 0 for none.
[[nodiscard]] inline double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

/// Of at least one value.
[[nodiscard]] inline double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

}  // namespace warpmind
