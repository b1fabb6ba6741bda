#include "profilers/simulator/ops/tensor_opcodes.h"

#include "profilers/simulator/checks/block_order.h"
#include "profilers/simulator/memory/shared_access.h"
#include "profilers/simulator/ops/statement_reader.h"
#include "profilers/simulator/ops/tensor_multiply.h"
#include "profilers/simulator/ops/tensor_shapes.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace warpmind::simulator {
namespace {

// mma and wmma.mma. Source: PTX ISA 9.0, 9.7.14.4.5 and 9.7.14.5.14.
//
// Missing, and named when met: m8n8k4 of f16 (sm_70), 4-bit and 1-bit integers, mma.sp, and the
// block-scaled kinds of sm_100 and later.

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

// Matrices in shared memory as wgmma's descriptors tell them. Source: PTX ISA 9.0, 9.7.15.5.1,
// "Shared Memory Matrix Layout".

/// A matrix is moved in units of 16 bytes; 8 rows of one unit are a core matrix.
inline constexpr std::size_t kUnitBytes = 16;

struct MatrixDescriptor {
  std::uint64_t start = 0;    ///< shared address
  std::uint64_t leading = 0;  ///< bytes
  std::uint64_t stride = 0;   ///< bytes
  unsigned base_offset = 0;
  /// Bytes that are swizzled together: 128, 64, 32, or 16 for none.
  std::uint64_t span = kUnitBytes;

  static MatrixDescriptor decode(std::uint64_t bits) {
    constexpr std::uint64_t kField = 0x3fff;  // 14 bits, in units
    constexpr std::uint64_t kSpans[] = {kUnitBytes, 128, 64, 32};
    MatrixDescriptor out;
    out.start = (bits & kField) * kUnitBytes;
    out.leading = (bits >> 16U & kField) * kUnitBytes;
    out.stride = (bits >> 32U & kField) * kUnitBytes;
    out.base_offset = static_cast<unsigned>(bits >> 49U & 7U);
    out.span = kSpans[bits >> 62U];
    return out;
  }

  /// Units of a line that lie together.
  [[nodiscard]] std::uint64_t units() const { return span / kUnitBytes; }

  /// The unit of row `row` that is number `unit` along k, where k runs along lines.
  [[nodiscard]] std::uint64_t along_k(std::size_t row, std::size_t unit) const {
    const std::uint64_t step = span == kUnitBytes ? leading : kUnitBytes;
    return swizzled(start + row % 8 * span + row / 8 * stride + unit * step);
  }

  /// The unit of 8 rows from 8 * `unit` on at `k`, where rows run along lines (transposed).
  [[nodiscard]] std::uint64_t along_rows(std::size_t unit, std::size_t k) const {
    if (span == kUnitBytes) return start + unit * stride + k % 8 * kUnitBytes + k / 8 * leading;
    return swizzled(start + unit % units() * kUnitBytes + unit / units() * leading + k % 8 * span +
                    k / 8 * stride);
  }

 private:
  /// Bits 4 … of an address change with bits 7 …, as many as number a span's units.
  [[nodiscard]] std::uint64_t swizzled(std::uint64_t address) const {
    constexpr unsigned kUnitBits = 4;
    constexpr unsigned kLineBits = 7;
    return address ^ ((address >> kLineBits & (units() - 1)) << kUnitBits);
  }
};

// wgmma.mma_async and what orders it. Source: PTX ISA 9.0, 9.7.15.
//
// Warp i of a warpgroup has rows 16 i … 16 i + 15 of the 64, so each computes its own part, at
// once when it issues the instruction: fence, commit_group and wait_group order the lanes of the
// warp and no more, and reading the result before wait_group is not noticed. Missing, and named
// when met: sparse matrices, 1-bit integers, and descriptors with a base offset.

constexpr std::size_t kWarpRows = 16;
constexpr std::size_t kGroupRows = 64;
constexpr std::size_t kMostColumns = 256;
constexpr std::size_t kDepthBytes = 32;  ///< k of every type
constexpr std::size_t kUnitsAlongK = kDepthBytes / kUnitBytes;

/// Instruction::option2. `a` is A's descriptor unless A is in registers, `b` is B's, `c` the
/// predicate that says whether D counts; `list` has D, then A.
struct Form {
  std::uint16_t column_blocks : 6;  ///< of 8
  std::uint16_t is_negated : 1;
  std::uint16_t is_a_turned : 1;
  std::uint16_t is_b_turned : 1;
  std::uint16_t saturates : 1;
  std::uint16_t adds_always : 1;
  std::uint16_t adds_inverted : 1;
  std::uint16_t spare : 4;
};
static_assert(sizeof(Form) == sizeof(std::uint16_t));

/// Where elements of a factor go: element (row, k) to [row * row_step + k * k_step].
template <class Number>
struct Destination {
  Number* start = nullptr;
  std::size_t row_step = 0;
  std::size_t k_step = 0;
};

/// Reads `rows` rows of a factor from `first` on, 32 units of 16 bytes at a time.
template <class Factor>
class SharedFactor {
 public:
  using Number = typename Factor::Number;

  SharedFactor(Warp& warp, const Instruction& in, std::uint64_t descriptor, bool is_turned)
      : warp_(warp),
        in_(in),
        descriptor_(MatrixDescriptor::decode(descriptor)),
        is_turned_(is_turned) {}

  void read(std::size_t first, std::size_t rows, const Destination<Number>& to) {
    const std::size_t units = rows * kDepthBytes / kUnitBytes;
    for (std::size_t unit = 0; unit < units; unit += kLanes) {
      const std::size_t count = std::min<std::size_t>(kLanes, units - unit);
      const Mask lanes = count == kLanes ? kAllLanes : (Mask{1} << count) - 1;
      Access access{warp_, in_, lanes, kUnitBytes};
      access.is_counted = false;
      for (std::size_t i = 0; i < count; ++i) access.addresses[i] = address(first, unit + i);
      Pointers from;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled for active lanes
      read_shared(access, from);
      for_lanes(access.active, [&](int lane) {
        const auto i = static_cast<std::size_t>(lane);
        put(from[i], unit + i, to);
      });
    }
  }

 private:
  static constexpr std::size_t kDepth = kDepthBytes / Factor::kBytes;

  [[nodiscard]] std::uint64_t address(std::size_t first, std::size_t unit) const {
    if (is_turned_) {
      return descriptor_.along_rows(first / Factor::kRow + unit / kDepth, unit % kDepth);
    }
    return descriptor_.along_k(first + unit / kUnitsAlongK, unit % kUnitsAlongK);
  }

  void put(const std::byte* from, std::size_t unit, const Destination<Number>& to) const {
    Number values[Factor::kRow];
    Factor::widen(from, values);
    Number* at = to.start;
    if (is_turned_) {
      at += unit / kDepth * Factor::kRow * to.row_step + unit % kDepth * to.k_step;
    } else {
      at += unit / kUnitsAlongK * to.row_step + unit % kUnitsAlongK * Factor::kRow * to.k_step;
    }
    const std::size_t step = is_turned_ ? to.row_step : to.k_step;
    for (std::size_t i = 0; i < Factor::kRow; ++i) at[i * step] = values[i];
  }

  Warp& warp_;
  const Instruction& in_;
  MatrixDescriptor descriptor_;
  bool is_turned_;
};

/// False, with the launch ended, for what is not simulated.
bool accept(Warp& warp, const Instruction& in, std::uint64_t descriptor) {
  if (MatrixDescriptor::decode(descriptor).base_offset == 0) return true;
  stop_launch(warp, LaunchEnd::unsupported,
              "a matrix descriptor with a base offset is not simulated: " +
                  warp.program().info[in.index].text);
  return false;
}

bool adds(Warp& warp, const Instruction& in, const Form& form, int lane) {
  if (form.adds_always != 0) return true;
  const bool is_set = is_active(predicate(warp, in.c), lane);
  return is_set != (form.adds_inverted != 0);
}

/// Of one warp; B is the largest.
template <class Number>
struct Scratch {
  alignas(64) Number left[kWarpRows * kDepthBytes];
  alignas(64) Number right[kDepthBytes * kMostColumns];
  alignas(64) Number sums[kWarpRows * kMostColumns];
  alignas(64) Number addends[kWarpRows * kMostColumns];
};

template <class Left, class Right, class Sum>
void run_group_product(Warp& warp, const Instruction& in, Mask active) {
  using Number = typename Left::Number;
  require_whole_warp(warp, in, active);
  const auto form = std::bit_cast<Form>(in.option2);
  const ProductShape shape{kWarpRows, form.column_blocks * kBlockRows, kDepthBytes / Left::kBytes};
  const int lane = std::countr_zero(active);
  const auto* const slots = warp.program().slots.data() + in.list;
  const Fragment result = sum_fragment(shape, Sum::kBytes);
  Scratch<Number> scratch;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled as needed
  Number* const left = scratch.left;

  const std::uint64_t b = lanes<const std::uint64_t>(warp, in.b)[lane];
  if (!accept(warp, in, b)) return;
  if (in.a == kNoSlot) {
    read_left<Left>(warp, slots + result.registers(), left_fragment(shape, Left::kBytes), left);
  } else {
    const std::uint64_t a = lanes<const std::uint64_t>(warp, in.a)[lane];
    if (!accept(warp, in, a)) return;
    const std::size_t first = warp.index % (kGroupRows / kWarpRows) * kWarpRows;
    SharedFactor<Left>(warp, in, a, form.is_a_turned != 0)
        .read(first, kWarpRows, {left, shape.depth, 1});
  }
  SharedFactor<Right>(warp, in, b, form.is_b_turned != 0)
      .read(0, shape.columns, {scratch.right, 1, shape.columns});
  if (warp.launch->end != LaunchEnd::completed) return;  // a fault: not all has been read
  if (form.is_negated != 0) {
    Number* const end = left + shape.rows * shape.depth;
    std::transform(left, end, left, [](Number one) { return -one; });
  }

  const std::size_t count = shape.rows * shape.columns;
  const bool is_sum = adds(warp, in, form, lane);
  Number* const start = std::is_integral_v<Number> ? scratch.addends : scratch.sums;
  std::fill_n(scratch.sums, count, Number{});
  std::fill_n(scratch.addends, std::is_integral_v<Number> ? count : 0, Number{});
  if (is_sum) read_sums<Sum>(warp, slots, result, start);
  multiply_add(left, scratch.right, scratch.sums, shape);
  if constexpr (std::is_integral_v<Number>) {
    add_integers(scratch.addends, form.saturates != 0, count, scratch.sums);
  }
  write_sums<Sum>(warp, slots, result, active, scratch.sums);
}

/// All lanes of the warp are there, and one of them may then tell others that all have read.
void order(Warp& warp, const Instruction& /*in*/, Mask active) { meet_lanes(warp, active); }

template <class Left, class Right>
Handler real_sums(std::string_view d) {
  if (d == "f16") return run_group_product<Left, Right, SumF16>;
  return d == "f32" ? run_group_product<Left, Right, SumF32> : nullptr;
}

template <class Left>
Handler group_byte_handler(std::string_view b) {
  if (b == "s8") return run_group_product<Left, FactorS8, SumS32>;
  return b == "u8" ? run_group_product<Left, FactorU8, SumS32> : nullptr;
}

Handler find_handler(std::string_view d, std::string_view a, std::string_view b) {
  if (a == "f16" && b == a) return real_sums<FactorF16, FactorF16>(d);
  const bool is_single = d == "f32";
  if (a == "bf16" && b == a && is_single) return run_group_product<FactorBf16, FactorBf16, SumF32>;
  if (a == "tf32" && b == a && is_single) return run_group_product<FactorTf32, FactorTf32, SumF32>;
  if (a == "e4m3") {
    return b == "e4m3"   ? real_sums<FactorE4m3, FactorE4m3>(d)
           : b == "e5m2" ? real_sums<FactorE4m3, FactorE5m2>(d)
                         : nullptr;
  }
  if (a == "e5m2") {
    return b == "e4m3"   ? real_sums<FactorE5m2, FactorE4m3>(d)
           : b == "e5m2" ? real_sums<FactorE5m2, FactorE5m2>(d)
                         : nullptr;
  }
  if (d != "s32") return nullptr;
  if (a == "s8") return group_byte_handler<FactorS8>(b);
  return a == "u8" ? group_byte_handler<FactorU8>(b) : nullptr;
}

/// 1 or -1, written in the text.
bool take_negative(StatementReader& read) {
  const auto value = static_cast<std::int64_t>(read.literal());
  if (value != 1 && value != -1) read.fail("a scale other than 1 and -1");
  return value == -1;
}

void read_adds(StatementReader& read, Form& form) {
  std::uint64_t value = 0;
  if (read.context().literal(read.peek(), value)) {
    (void)read.next();
    form.adds_always = value != 0 ? 1 : 0;
    if (value == 0) read.out.c = read.context().constant(0, 0);
    return;
  }
  bool is_negated = false;
  read.out.c = read.predicate_source(is_negated);
  form.adds_inverted = is_negated ? 1 : 0;
}

/// D, A and B.
void read_matrices(StatementReader& read, const ProductShape& warp_shape, std::string_view d,
                   std::string_view a) {
  Instruction& out = read.out;
  const ptx::Operand& result = read.next();
  const Fragment form = sum_fragment(warp_shape, tensor_bytes(d));
  if (!require_elements(read, result, form.registers())) return;
  const std::string_view type = d == "f32" ? d : "b32";
  out.list = read.context().list(result, sizeof(std::uint32_t), type, true);
  if (read.peek().kind == ptx::OperandKind::vector) {
    const ptx::Operand& left = read.next();
    const Fragment left_form = left_fragment(warp_shape, tensor_bytes(a));
    if (!require_elements(read, left, left_form.registers())) return;
    (void)read.context().list(left, sizeof(std::uint32_t), "b32", false);
  } else {
    out.a = read.source(sizeof(std::uint64_t), "b64");
  }
  out.b = read.source(sizeof(std::uint64_t), "b64");
}

void decode_wgmma(StatementReader& read) {
  (void)read.take("mma_async");
  take_whole_warp(read);
  const ProductShape shape = take_shape(read);
  Form form{};
  form.saturates = read.take("satfinite") ? 1 : 0;
  const std::string_view b = read.take_type();
  const std::string_view a = read.take_type();
  const std::string_view d = read.take_type();
  const std::size_t bytes = tensor_bytes(a);
  read.out.handler = find_handler(d, a, b);
  if (read.out.handler == nullptr) {
    read.fail("the types ." + std::string(d) + "." + std::string(a) + "." + std::string(b));
    return;
  }
  if (shape.rows != kGroupRows || shape.depth * bytes != kDepthBytes || shape.columns == 0 ||
      shape.columns > kMostColumns || shape.columns % kBlockRows != 0) {
    read.fail("the shape with the types");
    return;
  }
  const ProductShape warp_shape{kWarpRows, shape.columns, shape.depth};
  form.column_blocks = (shape.columns / kBlockRows) & 63U;
  read_matrices(read, warp_shape, d, a);
  read_adds(read, form);
  if (d != "s32") {
    const bool is_a_negated = take_negative(read);
    form.is_negated = is_a_negated != take_negative(read) ? 1 : 0;
  }
  if (bytes == 2) {
    if (read.out.a != kNoSlot) form.is_a_turned = read.literal() != 0 ? 1 : 0;
    form.is_b_turned = read.literal() != 0 ? 1 : 0;
  }
  read.out.option2 = std::bit_cast<std::uint16_t>(form);
  read.set_cost(Pipe::tensor, 1);
  read.set_flops(FlopKind::tensor,
                 static_cast<int>(2 * kWarpRows * shape.columns * shape.depth / kLanes));
}

void decode_wgmma_order(StatementReader& read) {
  (void)read.take_one_of({"fence", "commit_group", "wait_group"});
  take_whole_warp(read);
  if (read.statement().has("wait_group")) (void)read.literal();
  read.set_cost(Pipe::control, 1);
  read.out.handler = order;
}

}  // namespace

std::span<const OpcodeEntry> tensor_opcodes() {
  static constexpr OpcodeEntry table[] = {
      {"mma", TypeClass::any, decode_with<decode_mma>},
      {"wmma.mma", TypeClass::any, decode_with<decode_wmma_mma>},
      {"wgmma.mma_async", TypeClass::any, decode_with<decode_wgmma>},
      {"wgmma.fence", TypeClass::any, decode_with<decode_wgmma_order>},
      {"wgmma.commit_group", TypeClass::any, decode_with<decode_wgmma_order>},
      {"wgmma.wait_group", TypeClass::any, decode_with<decode_wgmma_order>},
  };
  return table;
}

}  // namespace warpmind::simulator
