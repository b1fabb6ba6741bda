#pragma once
/// \file
/// One value of each thread of a block: integers with the arithmetic of CUDA C++, pointers, and
/// data as numbers of a field (untiling/field_value.h).

#include "agents/builtin/probe/integer_value.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace warpmind::agents::builtin {

/// `truth`: a condition that hangs on data.
enum class LaneKind : std::uint8_t { nothing, number, data, truth, pointer };

struct LaneType {
  LaneKind kind = LaneKind::nothing;
  bool is_signed = true;
  bool is_floating = false;
  std::uint32_t bytes = 0;  ///< of one number; of a pointer: of one number of what it points to
  std::uint32_t pack = 1;   ///< 4: float4, or a pointer to one
  std::vector<std::int64_t> shape = {};  ///< of a pointer to an array: its extents
  bool is_bool = false;

  /// Bytes from one element behind a pointer to the next.
  [[nodiscard]] std::int64_t stride() const;
  /// Of what a pointer points to.
  [[nodiscard]] LaneType element() const;
  [[nodiscard]] LaneType pointer() const;
};

/// The type that `text` names, marks included; `nothing` where it is not known.
[[nodiscard]] LaneType lane_type(std::string_view text, const TypeAliases& aliases);

using LaneMask = std::vector<bool>;

struct LaneVector {
  LaneType type;
  std::vector<std::int64_t> at;  ///< `pack` numbers a lane
  std::vector<char> known;       ///< one a lane

  LaneVector() = default;
  LaneVector(LaneType of, std::size_t lanes);
  [[nodiscard]] std::size_t lanes() const { return known.size(); }
  void set(std::size_t lane, std::int64_t number) {
    at[lane] = number;
    known[lane] = 1;
  }
};

enum class LaneOperator : std::uint8_t {
  add,
  subtract,
  multiply,
  divide,
  remainder,
  shift_left,
  shift_right,
  bit_and,
  bit_or,
  bit_xor,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  unequal
};
[[nodiscard]] std::optional<LaneOperator> lane_operator(std::string_view text);

/// `left op right`; a lane without a result (overflow, division by zero, unknown operands) is
/// unknown.
[[nodiscard]] LaneVector combined(LaneOperator op, const LaneVector& left, const LaneVector& right);
/// As an assignment or a cast to `type` converts.
[[nodiscard]] LaneVector converted(const LaneVector& value, const LaneType& type);
/// Data, whatever it was.
[[nodiscard]] LaneVector as_data(const LaneVector& value);

}  // namespace warpmind::agents::builtin
