/// \file
/// mma and wmma.mma. Source: PTX ISA 9.0, 9.7.14.4.5 and 9.7.14.5.14.
///
/// Missing, and named when met: m8n8k4 of f16 (sm_70), 4-bit and 1-bit integers, mma.sp, and the
/// block-scaled kinds of sm_100 and later.

#include "profilers/simulator/ops/tensor_decoders.h"
#include "profilers/simulator/ops/tensor_multiply.h"

#include <array>
#include <string>

namespace warpmind::simulator {
namespace {

using namespace tensor;  // NOLINT(google-build-using-namespace): this file is its other half

struct ProductTypes {
  std::string_view d;
  std::string_view a;
  std::string_view b;
  std::string_view c;
};

template <class Left, class Right>
Handler half_sums(std::string_view c, std::string_view d) {
  if (c == "f16") {
    if (d == "f16") return run_product<Left, Right, SumF16, SumF16>;
    return d == "f32" ? run_product<Left, Right, SumF16, SumF32> : nullptr;
  }
  if (c != "f32") return nullptr;
  if (d == "f16") return run_product<Left, Right, SumF32, SumF16>;
  return d == "f32" ? run_product<Left, Right, SumF32, SumF32> : nullptr;
}

template <class Left>
Handler byte_handler(std::string_view right) {
  if (right == "s8") return run_product<Left, FactorS8, SumS32, SumS32>;
  return right == "u8" ? run_product<Left, FactorU8, SumS32, SumS32> : nullptr;
}

template <class Left>
Handler fp8_handler(std::string_view right, const ProductTypes& types) {
  if (right == "e4m3") return half_sums<Left, FactorE4m3>(types.c, types.d);
  return right == "e5m2" ? half_sums<Left, FactorE5m2>(types.c, types.d) : nullptr;
}

/// Null where there is no such product.
Handler find_handler(std::string_view left, std::string_view right, const ProductTypes& types) {
  const bool is_single = types.c == "f32" && types.d == "f32";
  const bool is_integer = types.c == "s32" && types.d == "s32";
  if (left == "s8" && is_integer) return byte_handler<FactorS8>(right);
  if (left == "u8" && is_integer) return byte_handler<FactorU8>(right);
  if (left == "e4m3") return fp8_handler<FactorE4m3>(right, types);
  if (left == "e5m2") return fp8_handler<FactorE5m2>(right, types);
  if (left != right) return nullptr;
  if (left == "f16") return half_sums<FactorF16, FactorF16>(types.c, types.d);
  if (left == "bf16" && is_single) return run_product<FactorBf16, FactorBf16, SumF32, SumF32>;
  if (left == "tf32" && is_single) return run_product<FactorTf32, FactorTf32, SumF32, SumF32>;
  const bool is_double = left == "f64" && types.c == "f64" && types.d == "f64";
  return is_double ? run_product<FactorF64, FactorF64, SumF64, SumF64> : nullptr;
}

/// Shapes of mma by the bytes of a factor's element; 8 rows or 16, always 8 columns.
bool has_mma_shape(const ProductShape& shape, std::size_t bytes) {
  if (shape.columns != 8 || (shape.rows != 8 && shape.rows != 16)) return false;
  const std::size_t k = shape.depth;
  const bool is_tall = shape.rows == 16;
  switch (bytes) {
    case 1: return k == 16 || (is_tall && k == 32);
    case 2: return is_tall && (k == 8 || k == 16);
    case 4: return is_tall && (k == 4 || k == 8);
    default: return k == 4 || (is_tall && (k == 8 || k == 16));
  }
}

std::string text_of(const ProductTypes& types) {
  return "." + std::string(types.d) + "." + std::string(types.a) + "." + std::string(types.b) +
         "." + std::string(types.c);
}

/// The type that registers of a factor or sum are declared with, for immediates.
std::string_view register_type(std::string_view type) {
  return type == "f32" || type == "f64" ? type : tensor_bytes(type) == 8 ? "b64" : "b32";
}

/// Appends the first `used` of the operand's `count` registers to the instruction's list.
void append(StatementReader& read, const ptx::Operand& operand, const Fragment& fragment,
            std::size_t count, std::string_view type) {
  if (!require_elements(read, operand, count)) return;
  ptx::Operand used = operand;
  if (used.kind == ptx::OperandKind::vector) used.elements.resize(fragment.registers());
  (void)read.context().list(used, static_cast<int>(fragment.register_bytes), register_type(type),
                            false);
}

struct Factor {
  const ptx::Operand* operand = nullptr;
  std::string_view type;
  std::size_t registers = 0;  ///< as written; 0 = as many as the fragment has
};

/// What the fragments see: of m8n32, the transpose.
struct Product {
  ProductShape shape;
  ProductTypes types;
  Factor left;
  Factor right;
  const ptx::Operand* result = nullptr;
  const ptx::Operand* addend = nullptr;
  bool saturates = false;
};

void append_factor(StatementReader& read, const Factor& factor, const Fragment& form) {
  append(read, *factor.operand, form, std::max(factor.registers, form.registers()), factor.type);
}

/// Sets list, handler and shape.
void build_product(StatementReader& read, const Product& product) {
  Instruction& out = read.out;
  const ProductTypes& types = product.types;
  const ProductShape& shape = product.shape;
  out.handler = find_handler(product.left.type, product.right.type, types);
  if (out.handler == nullptr) read.fail("the types " + text_of(types));
  if (read.context().failed()) return;
  const Fragment result = sum_fragment(shape, tensor_bytes(types.d));
  if (!require_elements(read, *product.result, result.registers())) return;
  out.list = read.context().list(*product.result, static_cast<int>(result.register_bytes),
                                 register_type(types.d), true);
  append_factor(read, product.left, left_fragment(shape, tensor_bytes(product.left.type)));
  append_factor(read, product.right, right_fragment(shape, tensor_bytes(product.right.type)));
  const Fragment addend = sum_fragment(shape, tensor_bytes(types.c));
  append(read, *product.addend, addend, addend.registers(), types.c);
  store_shape(shape, product.saturates, out);
}

void set_work(StatementReader& read, const ProductShape& shape) {
  constexpr std::size_t kMachineRows = 16;  // of one machine instruction, by 8 columns
  const std::size_t sums = shape.rows * shape.columns;
  read.set_cost(Pipe::tensor,
                static_cast<float>(std::max<std::size_t>(1, sums / (kMachineRows * 8))));
  read.set_flops(FlopKind::tensor, static_cast<int>(2 * sums * shape.depth / kLanes));
}

void read_operands(StatementReader& read, Product& product) {
  product.result = &read.next();
  product.left.operand = &read.next();
  product.right.operand = &read.next();
  product.addend = &read.next();
}

/// The machine has round to nearest only, here and in PTX's .f64 forms alike.
void take_nearest(StatementReader& read) {
  const auto rounding = read.take_rounding();
  if (rounding && *rounding != Rounding::nearest_even) read.fail("a rounding other than .rn");
}

}  // namespace

void decode_mma(StatementReader& read) {
  take_whole_warp(read);
  const ProductShape shape = take_shape(read);
  if (!read.take("row") || !read.take("col")) read.fail("a layout other than .row.col");
  const bool saturates = read.take("satfinite");
  take_nearest(read);
  ProductTypes types;
  types.c = read.take_type();
  types.b = read.take_type();
  types.a = read.take_type();
  types.d = read.take_type();
  const std::size_t bytes = tensor_bytes(types.a);
  if (bytes == 0 || tensor_bytes(types.b) != bytes) {
    read.fail("the types " + text_of(types));
  } else if (!has_mma_shape(shape, bytes)) {
    read.fail("the shape with the types " + text_of(types));
  }
  Product product{shape, types, {nullptr, types.a}, {nullptr, types.b}};
  product.saturates = saturates;
  read_operands(read, product);
  build_product(read, product);
  set_work(read, shape);
}

void decode_wmma_mma(StatementReader& read) {
  (void)read.take("mma");
  take_whole_warp(read);
  const ProductShape shape = take_shape(read);
  for (int i = 0; i < 2; ++i) {
    if (read.take_one_of({"row", "col"}) < 0) read.fail("a layout, which is missing");
  }
  const bool saturates = read.take("satfinite");
  take_nearest(read);
  ProductTypes types;
  types.c = read.take_type();
  types.b = read.take_type();
  if (types.b == "f16" || types.b == "f32") {  // ".dtype.ctype": the factors are f16
    types = {types.b, "f16", "f16", types.c};
  } else {
    types.a = read.take_type();
    types.d = read.take_type();
  }
  require_wmma_shape(read, shape, types.a);
  Product product{shape, types, {nullptr, types.a}, {nullptr, types.b}};
  product.saturates = saturates;
  product.left.registers = wmma_factor_registers(types.a);
  product.right.registers = wmma_factor_registers(types.b);
  read_operands(read, product);
  if (runs_transposed(shape)) {
    product.shape = transposed(shape);
    std::swap(product.left, product.right);
  }
  build_product(read, product);
  set_work(read, shape);
}

}  // namespace warpmind::simulator
