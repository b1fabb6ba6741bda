#include "base/plan_evaluation.h"

#include "base/text.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

namespace warpmind {
namespace {

constexpr std::array<std::string_view, 3> kAxes{"x", "y", "z"};

// "block_x" … "block_z".
std::string block_name(std::size_t axis) { return "block_" + std::string(kAxes[axis]); }

Result<std::uint32_t> evaluate_axis(std::string_view what, std::string_view expression,
                                    const Sizes& names, std::int64_t upper) {
  auto value = evaluate_positive(expression, names, upper);
  if (!value) return fail(std::move(value).error().while_doing(what));
  return static_cast<std::uint32_t>(*value);
}

Result<LaunchShape> evaluate_with(const Launch& launch, Sizes names) {
  LaunchShape out;
  std::int64_t threads = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string what = "block " + std::string(kAxes[i]);
    WARPMIND_TRY(out.block[i], evaluate_axis(what, launch.block[i], names, kBlockLimits[i]));
    threads *= out.block[i];
  }
  if (threads > kThreadsPerBlockLimit) {
    return fail(Errc::invalid_argument, "the block has " + std::to_string(threads) +
                                            " threads, more than " +
                                            std::to_string(kThreadsPerBlockLimit));
  }
  for (std::size_t i = 0; i < 3; ++i) names[block_name(i)] = out.block[i];
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string what = "grid " + std::string(kAxes[i]);
    WARPMIND_TRY(out.grid[i], evaluate_axis(what, launch.grid[i], names, kGridLimits[i]));
  }
  auto shared = evaluate(launch.shared_bytes, names);
  if (!shared) return fail(std::move(shared).error().while_doing("shared_bytes"));
  if (*shared < 0 || *shared > kSharedBytesLimit) {
    return fail(Errc::invalid_argument, "shared_bytes: expression '" + launch.shared_bytes +
                                            "' gives " + std::to_string(*shared) +
                                            ", outside 0 to " + std::to_string(kSharedBytesLimit));
  }
  out.shared_bytes = static_cast<std::uint32_t>(*shared);
  return out;
}

// A decimal literal such as -1e-5, or nullopt when `text` is something else (an expression).
std::optional<double> decimal_literal(std::string_view text) {
  return parse_number<double>(trim_text(text));
}

template <class T>
std::string bytes_of(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);  // every supported host is little-endian
  return bytes;
}

template <class T>
Result<std::string> integer_bytes(std::int64_t value) {
  if (!std::in_range<T>(value)) {
    return fail(Errc::invalid_argument, std::to_string(value) + " does not fit: the range is " +
                                            std::to_string(std::numeric_limits<T>::min()) + " to " +
                                            std::to_string(std::numeric_limits<T>::max()));
  }
  return bytes_of(static_cast<T>(value));
}

// Formats of 16 bits: a sign, `exponent_bits`, `fraction_bits`.
struct SmallFloat {
  int exponent_bits;
  int fraction_bits;
};
constexpr SmallFloat kHalf{5, 10};
constexpr SmallFloat kBfloat{8, 7};

// Rounds to nearest, ties to even, in one step from double (no double rounding through float).
std::uint16_t small_float_bits(double value, SmallFloat format) {
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const unsigned sign = std::signbit(value) ? 0x8000U : 0U;
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return static_cast<std::uint16_t>(sign);
  int exponent = 0;
  (void)std::frexp(magnitude, &exponent);  // magnitude in [2^(exponent-1), 2^exponent)
  const int lowest = 1 - bias;             // exponent of the smallest normal number
  const int unit = std::max(exponent - 1, lowest) - format.fraction_bits;
  const auto steps = static_cast<std::uint64_t>(std::nearbyint(std::ldexp(magnitude, -unit)));
  // Consecutive representable numbers have consecutive bit patterns: a carry moves the exponent.
  const auto base = static_cast<std::uint64_t>(unit + format.fraction_bits - lowest)
                    << format.fraction_bits;
  const std::uint64_t infinity = ((std::uint64_t{1} << format.exponent_bits) - 1)
                                 << format.fraction_bits;
  return static_cast<std::uint16_t>(sign | std::min(base + steps, infinity));
}

double small_float_value(std::uint16_t bits, SmallFloat format) {
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const int exponent = (bits & 0x7fff) >> format.fraction_bits;
  const int fraction = bits & ((1 << format.fraction_bits) - 1);
  const int implicit = exponent == 0 ? 0 : 1 << format.fraction_bits;
  const int unit = std::max(exponent, 1) - bias - format.fraction_bits;
  const double magnitude = std::ldexp(fraction + implicit, unit);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

Result<std::string> floating_bytes(Dtype dtype, double value) {
  const auto too_large = [&] {
    return fail(Errc::invalid_argument,
                "the value is outside the range of dtype " + std::string(name_of(dtype)));
  };
  if (!std::isfinite(value)) return too_large();
  switch (dtype) {
    case Dtype::f16:
    case Dtype::bf16: {
      const SmallFloat format = dtype == Dtype::f16 ? kHalf : kBfloat;
      const std::uint16_t bits = small_float_bits(value, format);
      const int exponent = (bits & 0x7fff) >> format.fraction_bits;
      if (exponent == (1 << format.exponent_bits) - 1) return too_large();
      return bytes_of(bits);
    }
    case Dtype::f32:
      if (std::fabs(value) > std::numeric_limits<float>::max()) return too_large();
      return bytes_of(static_cast<float>(value));
    default: return bytes_of(value);
  }
}

Result<std::string> scalar_bytes(Dtype dtype, std::string_view text, const Sizes& names) {
  if (is_floating(dtype)) {
    if (const auto literal = decimal_literal(text)) return floating_bytes(dtype, *literal);
  }
  WARPMIND_TRY(const std::int64_t value, evaluate(text, names));
  switch (dtype) {
    case Dtype::i8: return integer_bytes<std::int8_t>(value);
    case Dtype::u8: return integer_bytes<std::uint8_t>(value);
    case Dtype::i32: return integer_bytes<std::int32_t>(value);
    case Dtype::u32: return integer_bytes<std::uint32_t>(value);
    case Dtype::i64: return integer_bytes<std::int64_t>(value);
    default: return floating_bytes(dtype, static_cast<double>(value));
  }
}

template <class T>
double value_from(const std::string& bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  return static_cast<double>(value);
}

}  // namespace

Result<Sizes> names_of(const LaunchPlan& plan, const Sizes& sizes) {
  Sizes names = sizes;
  for (const auto& [name, value] : plan.constants) {
    if (!names.emplace(name, value).second) {
      return fail(Errc::invalid_argument,
                  "constant '" + name + "' of the plan has the name of a size; rename it");
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    if (names.contains(block_name(i))) {
      return fail(Errc::invalid_argument, "the name '" + block_name(i) +
                                              "' is reserved for the block of a launch; rename it");
    }
  }
  return names;
}

Result<LaunchShape> evaluate_launch(const Launch& launch, const LaunchPlan& plan,
                                    const Sizes& sizes) {
  WARPMIND_TRY(Sizes names, names_of(plan, sizes));
  auto evaluated = evaluate_with(launch, std::move(names));
  if (!evaluated) {
    return fail(std::move(evaluated).error().while_doing("launch of '" + launch.kernel + "'"));
  }
  return evaluated;
}

Result<std::int64_t> evaluate_scratch_elements(const ScratchBuffer& scratch, const LaunchPlan& plan,
                                               const Sizes& sizes) {
  WARPMIND_TRY(const Sizes names, names_of(plan, sizes));
  const auto bytes = static_cast<std::int64_t>(size_in_bytes(scratch.dtype));
  // So that the byte count of an accepted buffer never overflows.
  const std::int64_t upper = std::numeric_limits<std::int64_t>::max() / bytes;
  auto elements = evaluate_positive(scratch.elements, names, upper);
  if (!elements) {
    return fail(std::move(elements).error().while_doing("scratch buffer '" + scratch.name + "'"));
  }
  return elements;
}

bool is_scalar_argument(std::string_view argument) {
  return argument.find(':') != std::string_view::npos;
}

Result<std::string> evaluate_scalar_bytes(std::string_view dtype_and_expression,
                                          const LaunchPlan& plan, const Sizes& sizes) {
  const std::string context = "scalar '" + std::string(dtype_and_expression) + "'";
  const std::size_t colon = dtype_and_expression.find(':');
  const auto dtype = colon == std::string_view::npos
                         ? std::nullopt
                         : parse_enum<Dtype>(dtype_and_expression.substr(0, colon));
  if (!dtype) {
    return fail(Errc::invalid_argument,
                context + ": write <dtype>:<expression> with a dtype of " + all_names_of<Dtype>());
  }
  WARPMIND_TRY(const Sizes names, names_of(plan, sizes));
  auto bytes = scalar_bytes(*dtype, dtype_and_expression.substr(colon + 1), names);
  if (!bytes) return fail(std::move(bytes).error().while_doing(context));
  return bytes;
}

Result<std::string> evaluate_scalar_bytes(const Argument& argument, const Sizes& sizes) {
  auto bytes = scalar_bytes(argument.dtype, argument.value, sizes);
  if (!bytes) {
    return fail(std::move(bytes).error().while_doing("scalar argument '" + argument.name + "'"));
  }
  return bytes;
}

Result<double> evaluate_scalar_value(const Argument& argument, const Sizes& sizes) {
  WARPMIND_TRY(const std::string bytes, evaluate_scalar_bytes(argument, sizes));
  switch (argument.dtype) {
    case Dtype::f16:
    case Dtype::bf16: {
      std::uint16_t bits = 0;
      std::memcpy(&bits, bytes.data(), sizeof bits);
      return small_float_value(bits, argument.dtype == Dtype::f16 ? kHalf : kBfloat);
    }
    case Dtype::f32: return value_from<float>(bytes);
    case Dtype::f64: return value_from<double>(bytes);
    case Dtype::i8: return value_from<std::int8_t>(bytes);
    case Dtype::u8: return value_from<std::uint8_t>(bytes);
    case Dtype::i32: return value_from<std::int32_t>(bytes);
    case Dtype::u32: return value_from<std::uint32_t>(bytes);
    case Dtype::i64: return value_from<std::int64_t>(bytes);
  }
  return fail(Errc::invalid_argument, "scalar argument '" + argument.name + "' has no dtype");
}

}  // namespace warpmind
