#pragma once
/// \file
/// Classes of operations, and to which an instruction of PTX belongs.

#include "base/enum_names.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace warpmind::profilers {

/// What one thread does. An instruction on a pair of 16-bit numbers is two operations.
enum class Operation : std::uint8_t {
  f16_add,  ///< f16 and bf16
  f16_mul,
  f16_fma,
  f32_add,
  f32_mul,
  f32_fma,
  f32_div,  ///< one operation, however many instructions the machine takes
  f64_add,
  f64_mul,
  f64_fma,
  f64_div,
  tensor,      ///< multiply-adds of matrix instructions, a warp's shared among its lanes
  special,     ///< roots, reciprocals, exponentials, logarithms, sines
  real_other,  ///< minimum, maximum, comparison, absolute value, sign
  convert,
  integer,
  load_global,
  store_global,
  load_shared,
  store_shared,
  load_other,   ///< local memory, constants, parameters
  store_other,  ///< local memory
  atomic,
  async_copy,
  shuffle,
  barrier,
  control,
  move,
  unknown,
};
inline constexpr std::size_t kOperations = 29;

/// By whose type a floating-point operation counts.
enum class FlopType : std::uint8_t { none, f16, f32, f64, tensor };

/// One instruction for one lane.
struct OperationShare {
  Operation operation = Operation::unknown;
  double operations = 1;
  FlopType type = FlopType::none;
  double flops = 0;  ///< add, mul, div, special: 1 an operation; fma and multiply-add: 2
};

/// `opcode` with its modifiers, "fma.rn.f32". Loads from generic addresses count as global.
[[nodiscard]] OperationShare share_of_ptx(std::string_view opcode);

/// Bytes that one thread loads from global memory or stores there. nullopt where the opcode does
/// not say (bulk copies, tensor maps).
[[nodiscard]] std::optional<double> global_bytes_of_ptx(std::string_view opcode);

/// Sums over lanes. Counts of whole launches are far below 2^53.
struct OperationCounts {
  std::array<double, kOperations> operations{};
  std::array<double, 5> flops{};  ///< by FlopType

  [[nodiscard]] double count(Operation which) const {
    return operations[static_cast<std::size_t>(which)];
  }
  [[nodiscard]] double flops_of(FlopType type) const {
    return flops[static_cast<std::size_t>(type)];
  }
  [[nodiscard]] double all_flops() const;
  void add(const OperationShare& share, double lanes);
  void add(const OperationCounts& other, double times = 1);
  bool operator==(const OperationCounts&) const = default;
};

}  // namespace warpmind::profilers

namespace warpmind {
WARPMIND_ENUM_NAMES(
    profilers::Operation, {profilers::Operation::f16_add, "f16_add"},
    {profilers::Operation::f16_mul, "f16_mul"}, {profilers::Operation::f16_fma, "f16_fma"},
    {profilers::Operation::f32_add, "f32_add"}, {profilers::Operation::f32_mul, "f32_mul"},
    {profilers::Operation::f32_fma, "f32_fma"}, {profilers::Operation::f32_div, "f32_div"},
    {profilers::Operation::f64_add, "f64_add"}, {profilers::Operation::f64_mul, "f64_mul"},
    {profilers::Operation::f64_fma, "f64_fma"}, {profilers::Operation::f64_div, "f64_div"},
    {profilers::Operation::tensor, "tensor_mac"}, {profilers::Operation::special, "special"},
    {profilers::Operation::real_other, "real_other"}, {profilers::Operation::convert, "convert"},
    {profilers::Operation::integer, "integer"}, {profilers::Operation::load_global, "load_global"},
    {profilers::Operation::store_global, "store_global"},
    {profilers::Operation::load_shared, "load_shared"},
    {profilers::Operation::store_shared, "store_shared"},
    {profilers::Operation::load_other, "load_other"},
    {profilers::Operation::store_other, "store_other"}, {profilers::Operation::atomic, "atomic"},
    {profilers::Operation::async_copy, "async_copy"}, {profilers::Operation::shuffle, "shuffle"},
    {profilers::Operation::barrier, "barrier"}, {profilers::Operation::control, "control"},
    {profilers::Operation::move, "move"}, {profilers::Operation::unknown, "unknown"});
WARPMIND_ENUM_NAMES(profilers::FlopType, {profilers::FlopType::none, "none"},
                    {profilers::FlopType::f16, "f16"}, {profilers::FlopType::f32, "f32"},
                    {profilers::FlopType::f64, "f64"}, {profilers::FlopType::tensor, "tensor"});
}  // namespace warpmind
