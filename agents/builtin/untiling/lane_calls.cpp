#include "agents/builtin/untiling/lane_calls.h"

#include "agents/builtin/untiling/field_value.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace warpmind::agents::builtin {
namespace {

const LaneType kFloat{LaneKind::data, true, true, 4};
const LaneType kHalf{LaneKind::data, true, true, 2};

bool is_data(const LaneVector& one) { return one.type.kind == LaneKind::data; }

/// The same type for both, with their values.
LaneVector in_common_type(const LaneVector& value, const LaneVector& other) {
  return combined(LaneOperator::add, value, combined(LaneOperator::subtract, other, other));
}

LaneVector extreme(const LaneVector& first, const LaneVector& second, bool is_minimum) {
  if (is_data(first) || is_data(second)) {
    LaneVector left = as_data(first);
    LaneVector right = as_data(second);
    for (std::size_t i = 0; i < std::min(left.at.size(), right.at.size()); ++i) {
      if (left.at[i] > right.at[i]) std::swap(left.at[i], right.at[i]);
    }
    return image_of(is_minimum ? "min" : "max", {left, right}, first.lanes());
  }
  LaneVector result = in_common_type(first, second);
  const LaneVector other = in_common_type(second, first);
  for (std::size_t i = 0; i < result.lanes(); ++i) {
    if (other.known[i] == 0) result.known[i] = 0;
    if ((other.at[i] < result.at[i]) == is_minimum) result.at[i] = other.at[i];
  }
  return result;
}

}  // namespace

LaneVector image_of(const std::string& name, const std::vector<LaneVector>& arguments,
                    std::size_t lanes) {
  LaneVector result(kFloat, lanes);
  std::vector<LaneVector> all;
  for (const auto& argument : arguments) {
    const LaneKind kind = argument.type.kind;
    if (argument.type.pack != 1 || kind == LaneKind::nothing || kind == LaneKind::pointer) {
      return {{}, lanes};
    }
    all.push_back(kind == LaneKind::truth ? argument : as_data(argument));
    if (argument.type.is_floating) result.type.bytes = std::max(argument.type.bytes, 2U);
  }
  for (std::size_t i = 0; i < lanes; ++i) {
    FieldValue value = field_image(name, {});
    bool is_known = true;
    for (const auto& argument : all) {
      value = field_image(name, {value, static_cast<FieldValue>(argument.at[i])});
      is_known &= argument.known[i] != 0;
    }
    if (is_known) result.set(i, static_cast<std::int64_t>(value));
  }
  return result;
}

std::optional<LaneVector> value_of_call(const std::string& name,
                                        const std::vector<LaneVector>& arguments) {
  if (arguments.size() == 3 && (name == "fmaf" || name == "fma" || name == "__fmaf_rn")) {
    return combined(LaneOperator::add, combined(LaneOperator::multiply, arguments[0], arguments[1]),
                    arguments[2]);
  }
  if (arguments.size() == 2) {
    if (name == "__fadd_rn") return combined(LaneOperator::add, arguments[0], arguments[1]);
    if (name == "__fmul_rn") return combined(LaneOperator::multiply, arguments[0], arguments[1]);
    const bool is_minimum = name == "min" || name == "fminf" || name == "fmin";
    if (is_minimum || name == "max" || name == "fmaxf" || name == "fmax") {
      return extreme(arguments[0], arguments[1], is_minimum);
    }
  }
  if (arguments.size() != 1) return std::nullopt;
  if (name == "__half2float" || name == "__bfloat162float") return converted(arguments[0], kFloat);
  if (name == "__float2half" || name == "__float2half_rn" || name == "__float2bfloat16") {
    return converted(converted(arguments[0], kFloat), kHalf);
  }
  if (name == "abs" && !is_data(arguments[0])) {
    LaneVector result = arguments[0];
    for (auto& one : result.at) one = std::abs(one);
    return result;
  }
  return std::nullopt;
}

}  // namespace warpmind::agents::builtin
