/// \file
/// wgmma.mma_async and what orders it. Source: PTX ISA 9.0, 9.7.15.
///
/// Warp i of a warpgroup has rows 16 i … 16 i + 15 of the 64, so each computes its own part, at
/// once when it issues the instruction: fence, commit_group and wait_group order the lanes of the
/// warp and no more, and reading the result before wait_group is not noticed. Missing, and named
/// when met: sparse matrices, 1-bit integers, and descriptors with a base offset.

#include "profilers/simulator/checks/block_order.h"
#include "profilers/simulator/memory/shared_access.h"
#include "profilers/simulator/ops/matrix_descriptor.h"
#include "profilers/simulator/ops/tensor_decoders.h"
#include "profilers/simulator/ops/tensor_multiply.h"

#include <bit>
#include <memory>
#include <string>

namespace warpmind::simulator {
namespace {

using namespace tensor;  // NOLINT(google-build-using-namespace): this file is its other half

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
Handler byte_handler(std::string_view b) {
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
  if (a == "s8") return byte_handler<FactorS8>(b);
  return a == "u8" ? byte_handler<FactorU8>(b) : nullptr;
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

}  // namespace

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

}  // namespace warpmind::simulator
