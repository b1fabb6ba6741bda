#pragma once
/// \file
/// Numbers of the field of integers modulo a prime, which stand for the floating-point numbers of a
/// kernel: each element of a buffer is one drawn by its place. Two kernels that compute the same
/// sums of products, in whatever order, find the same number; two that do not, practically never.

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace warpmind::agents::builtin {

using FieldValue = std::uint64_t;

[[nodiscard]] FieldValue field_sum(FieldValue a, FieldValue b);
[[nodiscard]] FieldValue field_negative(FieldValue a);
[[nodiscard]] FieldValue field_product(FieldValue a, FieldValue b);
/// Of 0 it is 0.
[[nodiscard]] FieldValue field_inverse(FieldValue a);
[[nodiscard]] FieldValue field_of(std::int64_t number);
/// "1.5e-3f" as a ratio; nullopt: not a decimal number.
[[nodiscard]] std::optional<FieldValue> field_literal(std::string_view text);
/// What a function about which nothing is known gives for these numbers.
[[nodiscard]] FieldValue field_image(std::string_view function,
                                     std::initializer_list<FieldValue> arguments);

}  // namespace warpmind::agents::builtin
