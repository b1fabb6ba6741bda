#include "profilers/simulator/ops/matrix_opcodes.h"

#include "profilers/simulator/memory/local_access.h"
#include "profilers/simulator/memory/shared_access.h"
#include "profilers/simulator/ops/memory_modifiers.h"
#include "profilers/simulator/ops/statement_reader.h"
#include "profilers/simulator/ops/tensor_shapes.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

namespace warpmind::simulator {
namespace {

// wmma.load and wmma.store. Source: PTX ISA 9.0, 9.7.14.4.3 and 9.7.14.4.4.
//
// Each lane reads or writes what its own registers hold, with as many accesses as the machine has:
// all elements of a block at once where they lie side by side in memory; else 16-bit elements as
// the transposed 8x8 block (the machine has ldmatrix.trans and movmatrix for it), and others one
// by one.

constexpr std::size_t kHalfBytes = 2;

/// What Instruction::option2 says besides element_bytes and register_bytes; option belongs to the
/// memory access (memory/access.h).
struct Form {
  std::uint16_t row_blocks : 3;
  std::uint16_t column_quads : 4;  ///< columns / 4
  std::uint16_t per_lane : 3;
  std::uint16_t has_tall_tiles : 1;
  std::uint16_t is_crossed : 1;  ///< neighbours in memory are rows of the fragment
  std::uint16_t spare : 4;
};
static_assert(sizeof(Form) == sizeof(std::uint16_t));

constexpr std::size_t kTallTile = 16;
constexpr std::size_t kColumnStep = 4;

void store_form(const Fragment& fragment, bool is_crossed, Instruction& out) {
  Form form{};
  form.row_blocks = (fragment.rows / kBlockRows) & 7U;
  form.column_quads = (fragment.columns / kColumnStep) & 15U;
  form.per_lane = fragment.per_lane & 7U;
  form.has_tall_tiles = fragment.tile_rows == kTallTile ? 1 : 0;
  form.is_crossed = is_crossed ? 1 : 0;
  out.option2 = std::bit_cast<std::uint16_t>(form);
  out.element_bytes = static_cast<std::uint8_t>(fragment.element_bytes);
  out.register_bytes = static_cast<std::uint8_t>(fragment.register_bytes);
}

/// Where each lane has something: lane i at `start` + i * `step`.
struct Column {
  std::byte* start = nullptr;
  std::size_t step = 0;
};

void copy(const Column& from, const Column& to, std::size_t bytes, Mask active) {
  for_lanes(active, [&](int lane) {
    const auto i = static_cast<std::size_t>(lane);
    std::memcpy(to.start + i * to.step, from.start + i * from.step, bytes);
  });
}

/// One wmma.load or wmma.store of a warp.
class FragmentTransfer {
 public:
  FragmentTransfer(Warp& warp, const Instruction& in, Mask active)
      : warp_(warp), in_(in), active_(active) {
    const auto form = std::bit_cast<Form>(in.option2);
    fragment_ = {form.row_blocks * kBlockRows,
                 form.column_quads * kColumnStep,
                 form.has_tall_tiles != 0 ? kTallTile : kBlockRows,
                 in.element_bytes,
                 form.per_lane,
                 in.register_bytes};
    is_crossed_ = form.is_crossed != 0;
    gather_addresses(warp, in, base_);
    const auto* const strides = lanes<const std::uint32_t>(warp, in.b);
    for (std::size_t i = 0; i < kLanes; ++i) {
      line_bytes_[i] = std::uint64_t{strides[i]} * fragment_.element_bytes;
    }
  }

  void move_fragment() {
    for (std::size_t block = 0; block < fragment_.blocks(); ++block) {
      if (!is_crossed_) {
        move_straight(block);
      } else if (fragment_.element_bytes == kHalfBytes) {
        move_transposed(block);
      } else {
        move_crossed(block);
      }
    }
  }

  /// Registers beyond the fragment's repeat its first ones.
  void repeat(std::size_t registers) {
    const std::size_t own = fragment_.registers();
    for (std::size_t i = own; i < registers; ++i) {
      const std::size_t step = fragment_.register_bytes;
      copy({register_at(i % own), step}, {register_at(i), step}, step, active_);
    }
  }

 private:
  [[nodiscard]] std::byte* register_at(std::size_t index) const {
    return warp_.registers + warp_.program().slots[in_.list + index];
  }

  /// `line`: how many strides from the start; `position`: elements from the line's start.
  template <class LineOf, class PositionOf>
  Access access_of(std::size_t bytes, LineOf&& line, PositionOf&& position) {
    Access access{warp_, in_, active_, static_cast<std::uint32_t>(bytes), in_.is_store};
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::size_t g = lane / kRowLanes;
      const std::size_t t = lane % kRowLanes;
      access.addresses[lane] =
          base_[lane] + line(g, t) * line_bytes_[lane] + position(g, t) * fragment_.element_bytes;
    }
    return access;
  }

  /// `values`: access.bytes for each lane, to memory or from it.
  void move(Access& access, std::byte* values) {
    if (in_.is_store) {
      write_memory(access, values);
      return;
    }
    Pointers from;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled for active lanes
    read_memory(access, from);
    for_lanes(access.active, [&](int lane) {
      const auto i = static_cast<std::size_t>(lane);
      std::memcpy(values + i * access.bytes, from[i], access.bytes);
    });
  }

  void move_straight(std::size_t block) {
    const Fragment::Place place = fragment_.place(block);
    const std::size_t bytes = fragment_.per_lane * fragment_.element_bytes;
    Access access = access_of(
        bytes, [&](std::size_t g, std::size_t) { return place.row + g; },
        [&](std::size_t, std::size_t t) { return place.column + t * fragment_.per_lane; });
    const std::size_t step = fragment_.register_bytes;
    const std::size_t first = block * fragment_.block_registers();
    alignas(64) std::byte values[kLanes * kMostLaneBytes] = {};
    const auto outside = [&](std::size_t i) { return Column{values + i * step, bytes}; };
    const auto own = [&](std::size_t i) { return Column{register_at(first + i), step}; };
    if (in_.is_store) {
      for (std::size_t i = 0; i * step < bytes; ++i) copy(own(i), outside(i), step, kAllLanes);
    }
    move(access, values);
    if (in_.is_store) return;
    for (std::size_t i = 0; i * step < bytes; ++i) copy(outside(i), own(i), step, access.active);
  }

  /// 16-bit elements: lane 4g + t moves two neighbours of the block's column g.
  void move_transposed(std::size_t block) {
    const Fragment::Place place = fragment_.place(block);
    Access access = access_of(
        2 * kHalfBytes, [&](std::size_t g, std::size_t) { return place.column + g; },
        [&](std::size_t, std::size_t t) { return place.row + 2 * t; });
    alignas(64) std::uint16_t values[2 * kLanes] = {};
    alignas(64) std::uint16_t turned[2 * kLanes];
    if (in_.is_store) {
      transpose(reinterpret_cast<const std::uint16_t*>(register_at(block)), values);
      move(access, reinterpret_cast<std::byte*>(values));
      return;
    }
    move(access, reinterpret_cast<std::byte*>(values));
    transpose(values, turned);
    constexpr std::size_t kStep = 2 * kHalfBytes;
    copy({reinterpret_cast<std::byte*>(turned), kStep}, {register_at(block), kStep}, kStep,
         access.active);
  }

  static void transpose(const std::uint16_t* from, std::uint16_t* to) {
    for (std::size_t i = 0; i < kBlockRows; ++i) {
      for (std::size_t j = 0; j < kBlockRows; ++j) {
        to[i * kBlockRows + j] = from[j * kBlockRows + i];
      }
    }
  }

  /// One element a lane at a time.
  void move_crossed(std::size_t block) {
    const Fragment::Place place = fragment_.place(block);
    const std::size_t bytes = fragment_.element_bytes;
    const std::size_t step = fragment_.register_bytes;
    const std::size_t first = block * fragment_.block_registers();
    for (std::size_t part = 0; part < fragment_.per_lane; ++part) {
      Access access = access_of(
          bytes,
          [&](std::size_t, std::size_t t) { return place.column + t * fragment_.per_lane + part; },
          [&](std::size_t g, std::size_t) { return place.row + g; });
      const Column own{register_at(first + part * bytes / step) + part * bytes % step, step};
      alignas(64) std::byte values[kLanes * sizeof(double)] = {};
      const Column outside{values, bytes};
      if (in_.is_store) copy(own, outside, bytes, kAllLanes);
      move(access, values);
      if (!in_.is_store) copy(outside, own, bytes, access.active);
    }
  }

  Warp& warp_;
  const Instruction& in_;
  Mask active_;
  Fragment fragment_;
  bool is_crossed_ = false;
  Addresses base_{};
  Addresses line_bytes_{};
};

void run_load(Warp& warp, const Instruction& in, Mask active) {
  require_whole_warp(warp, in, active);
  FragmentTransfer transfer(warp, in, active);
  transfer.move_fragment();
  transfer.repeat(in.elements);
}

void run_store(Warp& warp, const Instruction& in, Mask active) {
  require_whole_warp(warp, in, active);
  FragmentTransfer(warp, in, active).move_fragment();
}

enum class Role { left, right, sum };

Fragment fragment_of(Role role, const ProductShape& shape, std::size_t bytes) {
  switch (role) {
    case Role::left: return left_fragment(shape, bytes);
    case Role::right: return right_fragment(shape, bytes);
    case Role::sum: break;
  }
  return sum_fragment(shape, bytes);
}

/// Rows of B's fragment are its columns, and the transposed product changes A and B over and turns
/// the sums.
struct Plan {
  Role role = Role::sum;
  ProductShape shape;
  bool is_crossed = false;
};

Plan plan_of(Role named, const ProductShape& shape, bool is_row_major) {
  const bool turned = runs_transposed(shape);
  if (named == Role::sum) {
    return {named, turned ? transposed(shape) : shape, is_row_major == turned};
  }
  const bool is_crossed = is_row_major != (named == Role::left);
  if (!turned) return {named, shape, is_crossed};
  return {named == Role::left ? Role::right : Role::left, transposed(shape), is_crossed};
}

/// The type of factors that a sum's type goes with, to look its shape up.
std::string_view factor_of_sum(std::string_view type, const ProductShape& shape) {
  if (type == "f64") return type;
  if (type == "s32") return "s8";
  const bool is_tf32 = type == "f32" && shape.depth == 8;
  return is_tf32 ? "tf32" : type == "f16" || type == "f32" ? "f16" : "";
}

bool take_row_major(StatementReader& read) {
  const int layout = read.take_one_of({"row", "col"});
  if (layout < 0) read.fail("a layout, which is missing");
  return layout == 0;
}

/// All but the address: sets the form and the list.
void build_transfer(StatementReader& read, Role named, std::string_view type,
                    const ProductShape& shape, const ptx::Operand& registers) {
  const bool is_row_major = take_row_major(read);
  const std::string_view factor = named == Role::sum ? factor_of_sum(type, shape) : type;
  if (factor.empty()) read.fail("sums of the type ." + std::string(type));
  require_wmma_shape(read, shape, factor);
  if (read.context().failed()) return;
  const Plan plan = plan_of(named, shape, is_row_major);
  const Fragment fragment = fragment_of(plan.role, plan.shape, tensor_bytes(type));
  const std::size_t own = fragment.registers();
  const std::size_t count = named == Role::sum ? own : std::max(own, wmma_factor_registers(type));
  if (!require_elements(read, registers, count)) return;
  Instruction& out = read.out;
  store_form(fragment, plan.is_crossed, out);
  out.elements = static_cast<std::uint8_t>(count);
  const bool is_real = type == "f32" || type == "f64";
  out.list = read.context().list(registers, static_cast<int>(fragment.register_bytes),
                                 is_real ? type : "b32", !out.is_store);
  out.access = read.context().new_access();
  read.set_cost(Pipe::memory, static_cast<float>(fragment.blocks()));
}

/// The distance of lines in elements; without one, lines follow each other without a gap.
void read_stride(StatementReader& read, std::size_t line) {
  read.out.b = read.operands_left() > 0 ? read.source(4, "u32")
                                        : read.context().constant(line, sizeof(std::uint32_t));
}

std::size_t line_of(Role role, const ProductShape& shape, bool is_row_major) {
  const std::size_t rows = role == Role::right ? shape.depth : shape.rows;
  const std::size_t columns = role == Role::left ? shape.depth : shape.columns;
  return is_row_major ? columns : rows;
}

bool is_row_major(const ptx::Statement& statement) { return statement.has("row"); }

/// Only what lies in memory that a lane reaches by itself.
void require_space(StatementReader& read) {
  const Space space = read.out.space;
  if (space == Space::global || space == Space::shared || space == Space::generic) return;
  read.fail("memory that is neither global nor shared");
}

void decode_wmma_load(StatementReader& read) {
  (void)read.take("load");
  take_whole_warp(read);
  const int which = read.take_one_of({"a", "b", "c"});
  if (which < 0) read.fail("a matrix other than .a, .b and .c");
  const Role role = which == 0 ? Role::left : which == 1 ? Role::right : Role::sum;
  const ProductShape shape = take_shape(read);
  const Space space = take_space(read);
  const ptx::Operand& registers = read.next();
  read.context().address(read.next(), space, read.out);
  require_space(read);
  read_stride(read, line_of(role, shape, is_row_major(read.statement())));
  // The type is the last modifier, but the layout comes before it.
  const std::string_view type = read.statement().type();
  (void)read.take(type);
  build_transfer(read, role, type, shape, registers);
  read.out.handler = run_load;
}

void decode_wmma_store(StatementReader& read) {
  (void)read.take("store");
  take_whole_warp(read);
  if (!read.take("d")) read.fail("a matrix other than .d");
  read.out.is_store = true;
  const ProductShape shape = take_shape(read);
  const Space space = take_space(read);
  read.context().address(read.next(), space, read.out);
  require_space(read);
  const ptx::Operand& registers = read.next();
  read_stride(read, line_of(Role::sum, shape, is_row_major(read.statement())));
  const std::string_view type = read.statement().type();
  (void)read.take(type);
  build_transfer(read, Role::sum, type, shape, registers);
  read.out.handler = run_store;
}

// ldmatrix, stmatrix and movmatrix. Source: PTX ISA 9.0, 9.7.14.5.15 to 9.7.14.5.17.
//
// A matrix is 8 rows of 16 bytes in shared memory. Lanes 8i … 8i + 7 give the addresses of matrix
// i's rows; its register i holds in lane 4g + t the elements 2t and 2t + 1 of row g (.trans: of
// column g).

constexpr std::size_t kMatrixBytes = 128;
constexpr std::size_t kSize = kBlockRows;  ///< rows, and elements of 16 bits in each

/// Instruction::option belongs to the memory access; this is option2.
constexpr std::uint16_t kTransposed = 1;

struct alignas(64) Matrix {
  std::uint16_t elements[kSize * kSize];
};
static_assert(sizeof(Matrix) == kMatrixBytes);

Matrix transpose(const Matrix& from) {
  Matrix to;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled by the loops
  for (std::size_t i = 0; i < kSize; ++i) {
    for (std::size_t j = 0; j < kSize; ++j) {
      to.elements[i * kSize + j] = from.elements[j * kSize + i];
    }
  }
  return to;
}

/// A lane's two elements.
void copy_word(const Matrix& from, int lane, std::byte* to) {
  const auto i = static_cast<std::size_t>(lane);
  std::memcpy(to + 4 * i, from.elements + 2 * i, sizeof(std::uint32_t));
}

std::byte* register_at(Warp& warp, const Instruction& in, std::size_t matrix) {
  return warp.registers + warp.program().slots[in.list + matrix];
}

/// Rows that the active lanes give addresses of; what is not shared memory is a fault.
Access rows_of(Warp& warp, const Instruction& in, Mask active) {
  const unsigned rows = kSize * in.elements;
  const Mask named = rows == kLanes ? kAllLanes : (Mask{1} << rows) - 1;
  Access access{warp, in, active & named, kSize * sizeof(std::uint16_t), in.is_store};
  access.is_counted = false;
  gather_addresses(warp, in, access.addresses);
  if (in.space != Space::generic) return access;
  const ResolvedLanes part = resolve_generic(access);
  for_lanes(access.active & ~part.shared, [&](int lane) {
    report_fault(access, CheckKind::null_or_host_pointer, lane,
                 describe(access) + " that must be in shared memory");
  });
  access.active = part.shared;
  return access;
}

void count(const Access& access) {
  AccessProfiler* const profiler = access.warp.launch->profiler;
  if (profiler == nullptr) return;
  const int rows = static_cast<int>(kSize) * access.instruction.elements;
  profiler->matrix(access.instruction, access.addresses, rows);
}

void run_load_rows(Warp& warp, const Instruction& in, Mask active) {
  require_whole_warp(warp, in, active);
  Access access = rows_of(warp, in, active);
  count(access);
  Pointers from;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled for active lanes
  read_shared(access, from);
  for (std::size_t i = 0; i < in.elements; ++i) {
    Matrix matrix{};
    for (std::size_t row = 0; row < kSize; ++row) {
      const std::size_t lane = i * kSize + row;
      if ((access.active >> lane & 1U) == 0) continue;
      std::memcpy(matrix.elements + row * kSize, from[lane], access.bytes);
    }
    if ((in.option2 & kTransposed) != 0) matrix = transpose(matrix);
    std::byte* const to = register_at(warp, in, i);
    if (active == kAllLanes) {
      std::memcpy(to, matrix.elements, kMatrixBytes);
      continue;
    }
    for_lanes(active, [&](int lane) { copy_word(matrix, lane, to); });
  }
}

void run_store_rows(Warp& warp, const Instruction& in, Mask active) {
  require_whole_warp(warp, in, active);
  Access access = rows_of(warp, in, active);
  count(access);
  Matrix matrices[kLanes / kSize];  // NOLINT(cppcoreguidelines-pro-type-member-init): row by row
  for (std::size_t i = 0; i < in.elements; ++i) {
    std::memcpy(matrices[i].elements, register_at(warp, in, i), kMatrixBytes);
    if ((in.option2 & kTransposed) != 0) matrices[i] = transpose(matrices[i]);
  }
  write_shared(access, reinterpret_cast<const std::byte*>(matrices));
}

void run_move(Warp& warp, const Instruction& in, Mask active) {
  require_whole_warp(warp, in, active);
  Matrix matrix;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled from the register
  std::memcpy(matrix.elements, warp.registers + in.a, kMatrixBytes);
  matrix = transpose(matrix);
  std::byte* const to = warp.registers + in.d;
  for_lanes(active, [&](int lane) { copy_word(matrix, lane, to); });
}

/// .sync.aligned.m8n8.num{.trans}{.shared}.b16
void read_modifiers(StatementReader& read) {
  take_whole_warp(read);
  if (!read.take("m8n8")) read.fail("a shape other than .m8n8");
  const int number = read.take_one_of({"x1", "x2", "x4"});
  if (number < 0) read.fail("a number of matrices other than .x1, .x2 and .x4");
  read.out.elements = static_cast<std::uint8_t>(number < 0 ? 1 : 1 << number);
  read.out.option2 = read.take("trans") ? kTransposed : 0;
  if (!read.take("b16")) read.fail("a type other than .b16");
}

void build_rows(StatementReader& read, const ptx::Operand& registers, const ptx::Operand& address,
                Space space) {
  Instruction& out = read.out;
  if (!require_elements(read, registers, out.elements) || read.context().failed()) return;
  read.context().address(address, space, out);
  if (out.space != Space::shared && out.space != Space::generic) {
    read.fail("memory that is not shared");
  }
  out.list = read.context().list(registers, sizeof(std::uint32_t), "b32", !out.is_store);
  out.element_bytes = sizeof(std::uint32_t);
  out.register_bytes = sizeof(std::uint32_t);
  out.access = read.context().new_access();
  read.set_cost(Pipe::memory, 1);
}

void decode_ldmatrix(StatementReader& read) {
  read_modifiers(read);
  const Space space = take_space(read);
  const ptx::Operand& registers = read.next();
  const ptx::Operand& address = read.next();
  build_rows(read, registers, address, space);
  read.out.handler = run_load_rows;
}

void decode_stmatrix(StatementReader& read) {
  read.out.is_store = true;
  read_modifiers(read);
  const Space space = take_space(read);
  const ptx::Operand& address = read.next();
  const ptx::Operand& registers = read.next();
  build_rows(read, registers, address, space);
  read.out.handler = run_store_rows;
}

void decode_movmatrix(StatementReader& read) {
  take_whole_warp(read);
  if (!read.take("m8n8") || !read.take("trans") || !read.take("b16")) {
    read.fail("a form other than .m8n8.trans.b16");
  }
  read.out.d = read.destination(sizeof(std::uint32_t));
  read.out.a = read.source(sizeof(std::uint32_t), "b32");
  read.out.handler = run_move;
  read.set_cost(Pipe::alu, 1);
}

}  // namespace

std::span<const OpcodeEntry> matrix_opcodes() {
  static constexpr OpcodeEntry table[] = {
      {"wmma.load", TypeClass::any, decode_with<decode_wmma_load>},
      {"wmma.store", TypeClass::any, decode_with<decode_wmma_store>},
      {"ldmatrix", TypeClass::any, decode_with<decode_ldmatrix>},
      {"stmatrix", TypeClass::any, decode_with<decode_stmatrix>},
      {"movmatrix", TypeClass::any, decode_with<decode_movmatrix>},
  };
  return table;
}

}  // namespace warpmind::simulator
