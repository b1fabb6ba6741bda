#pragma once
/// \file
/// Whether two loops do the same with their terms, when a step of one takes in several terms and a
/// step of the other one.

#include "agents/builtin/forms/row_values.h"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace warpmind::agents::builtin {

/// `constant + sum of factor * atom`; an atom is no sum itself. Whole numbers are taken not to
/// overflow.
struct LinearForm {
  std::int64_t constant = 0;
  std::map<RowValueId, std::int64_t> factors;
  bool operator==(const LinearForm&) const = default;

  void add(const LinearForm& other, std::int64_t times);
};

/// `depth`: of sums in sums; what lies deeper is an atom.
[[nodiscard]] LinearForm linear_form(const RowValues& values, RowValueId id, int depth = 12);

/// Whether `part` is the greatest multiple of `step` up to `whole`, the way C code writes it.
[[nodiscard]] bool is_whole_part(const RowValues& values, RowValueId part, RowValueId whole,
                                 std::int64_t step);

/// The value with vectors of CUDA taken apart to what is read and written as one number:
/// `reinterpret_cast<const float4*>(x)[i].y` is `x[i * 4 + 1]`.
[[nodiscard]] RowValueId without_vectors(RowValues& values, RowValueId id);
/// One number of a vector; nullopt: it is not known how it is made.
[[nodiscard]] std::optional<RowValueId> component(RowValues& values, RowValueId vector,
                                                  std::size_t which);

/// The value with other values in place of some; nullopt: it depends on `without` in another way.
[[nodiscard]] std::optional<RowValueId> replaced(RowValues& values, RowValueId id,
                                                 const std::map<RowValueId, RowValueId>& by,
                                                 RowValueId without);

/// Compares values of one loop with values of another: `term` of the second stands for `place`.
class TermComparison {
 public:
  TermComparison(const RowValues& values, RowValueId term, LinearForm place)
      : values_(values), term_(term), place_(std::move(place)) {}

  [[nodiscard]] bool same(RowValueId first, RowValueId second);

 private:
  [[nodiscard]] bool compare(RowValueId first, RowValueId second);
  [[nodiscard]] bool same_numbers(RowValueId first, RowValueId second);

  const RowValues& values_;
  RowValueId term_ = 0;
  LinearForm place_;
  std::map<std::pair<RowValueId, RowValueId>, bool> known_;
};

}  // namespace warpmind::agents::builtin
