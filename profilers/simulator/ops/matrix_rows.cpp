/// \file
/// ldmatrix, stmatrix and movmatrix. Source: PTX ISA 9.0, 9.7.14.5.15 to 9.7.14.5.17.
///
/// A matrix is 8 rows of 16 bytes in shared memory. Lanes 8i … 8i + 7 give the addresses of matrix
/// i's rows; its register i holds in lane 4g + t the elements 2t and 2t + 1 of row g (.trans: of
/// column g).

#include "profilers/simulator/memory/shared_access.h"
#include "profilers/simulator/ops/memory_modifiers.h"
#include "profilers/simulator/ops/tensor_decoders.h"

#include <cstring>
#include <string>

namespace warpmind::simulator {
namespace {

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

void run_load(Warp& warp, const Instruction& in, Mask active) {
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

void run_store(Warp& warp, const Instruction& in, Mask active) {
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

}  // namespace

void decode_ldmatrix(StatementReader& read) {
  read_modifiers(read);
  const Space space = take_space(read);
  const ptx::Operand& registers = read.next();
  const ptx::Operand& address = read.next();
  build_rows(read, registers, address, space);
  read.out.handler = run_load;
}

void decode_stmatrix(StatementReader& read) {
  read.out.is_store = true;
  read_modifiers(read);
  const Space space = take_space(read);
  const ptx::Operand& address = read.next();
  const ptx::Operand& registers = read.next();
  build_rows(read, registers, address, space);
  read.out.handler = run_store;
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

}  // namespace warpmind::simulator
