#include "profilers/simulator/ops/move_opcodes.h"

#include "profilers/simulator/memory/device_memory.h"
#include "profilers/simulator/ops/lanes.h"
#include "profilers/simulator/ops/statement_reader.h"

#include <algorithm>
#include <array>

namespace warpmind::simulator {
namespace {

// Generic addresses: windows of them are shared and local memory, the rest is global.

/// Instruction::immediate is what to add.
void run_cvta(Warp& warp, const Instruction& in, Mask active) {
  const auto* const from = lanes<const std::uint64_t>(warp, in.a);
  const auto offset = static_cast<std::uint64_t>(in.immediate);
  alignas(64) std::uint64_t values[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) values[lane] = from[lane] + offset;
  store_lanes(lanes<std::uint64_t>(warp, in.d), values, active);
}

/// .shared::cta is .shared; a cluster's other blocks are not reached this way.
std::optional<Space> take_space(StatementReader& read) {
  switch (read.take_one_of(
      {"global", "shared", "shared::cta", "local", "const", "param", "param::entry"})) {
    case 0: return Space::global;
    case 1:
    case 2: return Space::shared;
    case 3: return Space::local;
    case 4: return Space::constant;
    case 5:
    case 6: return Space::param;
    default: return std::nullopt;
  }
}

std::uint64_t window_of(Space space) {
  if (space == Space::shared) return kSharedWindow;
  return space == Space::local ? kLocalWindow : 0;
}

bool is_constant(Warp& warp, std::uint64_t address) {
  for (const auto& [name, placed] : warp.launch->module->variables) {
    (void)name;
    const bool inside = address - placed.address < placed.variable.bytes;
    if (placed.variable.space == Space::constant && inside) return true;
  }
  return false;
}

bool lies_in(Warp& warp, std::uint64_t address, Space space) {
  const bool is_shared = address - kSharedWindow < kWindowBytes;
  const bool is_local = address - kLocalWindow < kWindowBytes;
  switch (space) {
    case Space::shared: return is_shared;
    case Space::local: return is_local;
    case Space::constant: return is_constant(warp, address);
    case Space::global: return !is_shared && !is_local && !is_constant(warp, address);
    default: return false;  // parameters have no generic address
  }
}

void run_isspacep(Warp& warp, const Instruction& in, Mask active) {
  const auto* const address = lanes<const std::uint64_t>(warp, in.a);
  Mask result = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (is_active(active, lane) && lies_in(warp, address[lane], in.space)) {
      result |= Mask{1} << static_cast<unsigned>(lane);
    }
  }
  store_predicate(warp, in.d, result, active);
}

void decode_cvta(StatementReader& read) {
  const bool to_space = read.take("to");
  const std::optional<Space> space = take_space(read);
  const std::string_view type = read.take_type();
  read.use(type == "u64" ? run_cvta : nullptr, type);
  if (!space) return read.fail("the address space of cvta");
  if (*space == Space::param) return read.fail("cvta.param: a parameter has no generic address");
  const std::uint64_t window = window_of(*space);
  read.read_operands(1, 8, type);
  read.out.immediate = static_cast<std::int64_t>(to_space ? 0 - window : window);
  read.set_cost(Pipe::alu, 0.5F);
}

void decode_isspacep(StatementReader& read) {
  const std::optional<Space> space = take_space(read);
  if (!space) return read.fail("the address space of isspacep");
  read.use(run_isspacep, "u64");
  read.out.space = *space;
  read.out.d = read.destination(0);
  read.out.a = read.source(8, "u64");
  read.set_cost(Pipe::alu, 2);
}

template <class T>
void run_mov(Warp& warp, const Instruction& in, Mask active) {
  const T* const from = lanes<const T>(warp, in.a);
  if (active == kAllLanes) {
    std::memmove(lanes<T>(warp, in.d), from, sizeof(T) * kLanes);
  } else {
    blend_lanes(lanes<T>(warp, in.d), from, active);
  }
}

/// 16 bytes a lane, as two words of 8 side by side.
using Quad = std::array<std::uint64_t, 2>;

void store_quads(Warp& warp, Slot slot, const Quad* values, Mask active) {
  auto* const to = lanes<Quad>(warp, slot);
  for (int lane = 0; lane < kLanes; ++lane) {
    if (is_active(active, lane)) to[lane] = values[lane];
  }
}

void run_mov_128(Warp& warp, const Instruction& in, Mask active) {
  std::array<Quad, kLanes> values{};
  std::memcpy(values.data(), lanes<const Quad>(warp, in.a), sizeof values);
  store_quads(warp, in.d, values.data(), active);
}

/// {a, b, …} to one register, the first lowest. `Part` is the elements' register.
template <class Word, class Part, unsigned Count>
void run_pack(Warp& warp, const Instruction& in, Mask active) {
  constexpr unsigned kBits = 8 * sizeof(Word) / Count;
  constexpr Word kPart = (Word{1} << kBits) - 1;
  const std::array<Slot, 4> slots = source_slots(in);
  alignas(64) Word values[kLanes] = {};
  for (unsigned i = 0; i < Count; ++i) {
    const auto* const from = lanes<const Part>(warp, slots[i]);
    for (int lane = 0; lane < kLanes; ++lane) {
      const auto part = static_cast<Word>((static_cast<Word>(from[lane]) & kPart) << (kBits * i));
      values[lane] = static_cast<Word>(values[lane] | part);
    }
  }
  store_lanes(lanes<Word>(warp, in.d), values, active);
}

/// The destinations are d, b, c and e.
template <class Word, class Part, unsigned Count>
void run_unpack(Warp& warp, const Instruction& in, Mask active) {
  constexpr unsigned kBits = 8 * sizeof(Word) / Count;
  constexpr Word kPart = (Word{1} << kBits) - 1;
  const std::array<Slot, 4> slots = {in.d, in.b, in.c, in.e};
  alignas(64) Word words[kLanes];
  std::memcpy(words, lanes<const Word>(warp, in.a), sizeof words);
  for (unsigned i = 0; i < Count; ++i) {
    alignas(64) Part values[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) {
      values[lane] = static_cast<Part>((words[lane] >> (kBits * i)) & kPart);
    }
    store_lanes(lanes<Part>(warp, slots[i]), values, active);
  }
}

void run_pack_128(Warp& warp, const Instruction& in, Mask active) {
  std::array<Quad, kLanes> values{};
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    values[lane] = {lanes<const std::uint64_t>(warp, in.a)[lane],
                    lanes<const std::uint64_t>(warp, in.b)[lane]};
  }
  store_quads(warp, in.d, values.data(), active);
}

void run_unpack_128(Warp& warp, const Instruction& in, Mask active) {
  alignas(64) std::uint64_t low[kLanes];
  alignas(64) std::uint64_t high[kLanes];
  const auto* const from = lanes<const Quad>(warp, in.a);
  for (int lane = 0; lane < kLanes; ++lane) {
    low[lane] = from[lane][0];
    high[lane] = from[lane][1];
  }
  store_lanes(lanes<std::uint64_t>(warp, in.d), low, active);
  store_lanes(lanes<std::uint64_t>(warp, in.b), high, active);
}

struct VectorHandlers {
  Handler pack = nullptr;
  Handler unpack = nullptr;
};
template <class Word, class Part, unsigned Count>
constexpr VectorHandlers vector_handlers() {
  return {run_pack<Word, Part, Count>, run_unpack<Word, Part, Count>};
}

VectorHandlers find_vector_handlers(int bytes, std::size_t count) {
  if (bytes == 4 && count == 2) return vector_handlers<std::uint32_t, std::uint16_t, 2>();
  if (bytes == 4 && count == 4) return vector_handlers<std::uint32_t, std::uint16_t, 4>();
  if (bytes == 8 && count == 2) return vector_handlers<std::uint64_t, std::uint32_t, 2>();
  if (bytes == 8 && count == 4) return vector_handlers<std::uint64_t, std::uint16_t, 4>();
  if (bytes == 2 && count == 2) return vector_handlers<std::uint16_t, std::uint16_t, 2>();
  if (bytes == 16 && count == 2) return {run_pack_128, run_unpack_128};
  return {};
}

std::string_view bits_type(int bytes) {
  if (bytes == 8) return "b64";
  return bytes == 4 ? "b32" : "b16";
}

void read_pack(StatementReader& read, int bytes, std::string_view type) {
  read.out.d = read.destination(bytes);
  const auto& elements = read.next().elements;
  read.use(find_vector_handlers(bytes, elements.size()).pack, type);
  if (read.out.handler == nullptr) return;
  const int part = std::max(2, bytes / static_cast<int>(elements.size()));
  const std::array<Slot*, 4> slots = {&read.out.a, &read.out.b, &read.out.c, &read.out.e};
  for (std::size_t i = 0; i < elements.size(); ++i) {
    *slots[i] = read.context().source(elements[i], part, bits_type(part));
  }
}

void read_unpack(StatementReader& read, int bytes, std::string_view type) {
  const auto& elements = read.next().elements;
  read.out.a = read.source(bytes, type);
  read.use(find_vector_handlers(bytes, elements.size()).unpack, type);
  if (read.out.handler == nullptr) return;
  const int part = std::max(2, bytes / static_cast<int>(elements.size()));
  const std::array<Slot*, 4> slots = {&read.out.d, &read.out.b, &read.out.c, &read.out.e};
  for (std::size_t i = 0; i < elements.size(); ++i) {
    *slots[i] = read.context().destination(elements[i], part);
  }
}

Handler mov_handler(int bytes) {
  switch (bytes) {
    case 2: return run_mov<std::uint16_t>;
    case 4: return run_mov<std::uint32_t>;
    case 8: return run_mov<std::uint64_t>;
    case 16: return run_mov_128;
    default: return nullptr;
  }
}

bool is_vector(const StatementReader& read, std::size_t operand) {
  const auto& operands = read.statement().operands;
  return operand < operands.size() && operands[operand].kind == ptx::OperandKind::vector;
}

void decode_mov(StatementReader& read) {
  const std::string_view type = read.take_type();
  const int bytes = type_bytes(type);
  if (is_vector(read, 0)) {
    read_unpack(read, bytes, type);
    read.set_cost(Pipe::alu, 0.5F);
  } else if (is_vector(read, 1)) {
    read_pack(read, bytes, type);
    read.set_cost(Pipe::alu, 0.5F);
  } else {
    read.use(mov_handler(bytes), type);
    read.read_operands(1, bytes, type);
    read.set_cost(Pipe::alu, bytes >= 8 ? 1.0F : 0.5F);
  }
}

}  // namespace

std::span<const OpcodeEntry> move_opcodes() {
  static constexpr OpcodeEntry table[] = {
      {"mov", TypeClass::any, decode_with<decode_mov>},
      {"cvta", TypeClass::any, decode_with<decode_cvta>},
      {"isspacep", TypeClass::any, decode_with<decode_isspacep>},
  };
  return table;
}

}  // namespace warpmind::simulator
