#include "profilers/simulator/ops/atomic_opcodes.h"

#include "profilers/simulator/memory/local_access.h"
#include "profilers/simulator/ops/memory_modifiers.h"
#include "profilers/simulator/ops/statement_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <immintrin.h>
#include <type_traits>

namespace warpmind::simulator {
namespace {

// What atom and red do to one element: the new value from the old one and the operands.

/// Values of 16 bits that are numbers, and pairs of them.
struct HalfNumber {
  std::uint16_t bits = 0;
};
struct BrainNumber {
  std::uint16_t bits = 0;
};
template <class Number>
struct PairOf {
  Number low;
  Number high;
};

inline float widen(HalfNumber value) { return _cvtsh_ss(value.bits); }
inline float widen(BrainNumber value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16U);
}
inline void narrow(float value, HalfNumber& out) {
  out.bits = _cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT);
}
inline void narrow(float value, BrainNumber& out) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U;
  out.bits = static_cast<std::uint16_t>(std::isnan(value) ? 0x7fffU : rounded);
}

template <class T>
inline constexpr bool kIsPair = false;
template <class Number>
inline constexpr bool kIsPair<PairOf<Number>> = true;

/// Applies `op` to a number through float: exact before the one rounding of a sum (24 bits are
/// enough for two of 11).
template <class T, class Op>
inline T through_float(T a, T b, Op op) {
  if constexpr (kIsPair<T>) {
    return {through_float(a.low, b.low, op), through_float(a.high, b.high, op)};
  } else {
    T out;
    narrow(op(widen(a), widen(b)), out);
    return out;
  }
}

struct Add {
  template <class T>
  static T lane_result(T old, T b, T /*c*/) {
    if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(old) + static_cast<U>(b));
    } else if constexpr (std::is_arithmetic_v<T>) {
      return old + b;
    } else {
      return through_float(old, b, [](float x, float y) { return x + y; });
    }
  }
};

struct Minimum {
  template <class T>
  static T lane_result(T old, T b, T /*c*/) {
    if constexpr (std::is_integral_v<T>) {
      return std::min(old, b);
    } else if constexpr (std::is_arithmetic_v<T>) {
      return std::fmin(old, b);
    } else {
      return through_float(old, b, [](float x, float y) { return std::fmin(x, y); });
    }
  }
};
struct Maximum {
  template <class T>
  static T lane_result(T old, T b, T /*c*/) {
    if constexpr (std::is_integral_v<T>) {
      return std::max(old, b);
    } else if constexpr (std::is_arithmetic_v<T>) {
      return std::fmax(old, b);
    } else {
      return through_float(old, b, [](float x, float y) { return std::fmax(x, y); });
    }
  }
};

struct And {
  template <class T>
  static T lane_result(T old, T b, T /*c*/) {
    return old & b;
  }
};
struct Or {
  template <class T>
  static T lane_result(T old, T b, T /*c*/) {
    return old | b;
  }
};
struct Xor {
  template <class T>
  static T lane_result(T old, T b, T /*c*/) {
    return old ^ b;
  }
};
struct Exchange {
  template <class T>
  static T lane_result(T /*old*/, T b, T /*c*/) {
    return b;
  }
};
struct CompareAndSwap {
  template <class T>
  static T lane_result(T old, T b, T c) {
    return old == b ? c : old;
  }
};
struct Increment {
  template <class T>
  static T lane_result(T old, T b, T /*c*/) {
    return old >= b ? 0 : old + 1;
  }
};
struct Decrement {
  template <class T>
  static T lane_result(T old, T b, T /*c*/) {
    return old == 0 || old > b ? b : old - 1;
  }
};

// atom and red. Source: PTX ISA 9.0, 9.7.13.5 and 9.7.13.6. Lanes go in order, lowest first.

/// Lists in Program::slots: `list` the operand, then the old values when there is a destination
/// (Instruction::option2 is 1). Instruction::c is the second operand of cas.
template <class T, class Op>
void atomic(Warp& warp, const Instruction& instruction, Mask active) {
  const std::uint32_t elements = instruction.elements;
  Access access{warp, instruction, active, static_cast<std::uint32_t>(sizeof(T)) * elements,
                true, true};
  access.reads_old = !std::is_same_v<Op, Exchange>;
  gather_addresses(warp, instruction, access.addresses);
  Pointers at;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled for active lanes
  update_memory(access, at);
  const auto& slots = warp.program().slots;
  const bool has_result = instruction.option2 != 0;
  for_lanes(access.active, [&](int lane) {
    const auto i = static_cast<std::size_t>(lane);
    for (std::uint32_t k = 0; k < elements; ++k) {
      std::byte* const place = at[i] + k * sizeof(T);
      T old;
      std::memcpy(&old, place, sizeof old);
      const T b = lanes<T>(warp, slots[instruction.list + k])[i];
      const T c = instruction.c == kNoSlot ? T{} : lanes<T>(warp, instruction.c)[i];
      const T fresh = Op::lane_result(old, b, c);
      std::memcpy(place, &fresh, sizeof fresh);
      if (has_result) lanes<T>(warp, slots[instruction.list + elements + k])[i] = old;
    }
  });
}

template <class Op>
Handler arithmetic_handler(std::string_view type) {
  if (type == "u32") return atomic<std::uint32_t, Op>;
  if (type == "s32") return atomic<std::int32_t, Op>;
  if (type == "u64") return atomic<std::uint64_t, Op>;
  if (type == "s64") return atomic<std::int64_t, Op>;
  if (type == "f32") return atomic<float, Op>;
  if (type == "f64") return atomic<double, Op>;
  if (type == "f16") return atomic<HalfNumber, Op>;
  if (type == "bf16") return atomic<BrainNumber, Op>;
  if (type == "f16x2") return atomic<PairOf<HalfNumber>, Op>;
  if (type == "bf16x2") return atomic<PairOf<BrainNumber>, Op>;
  return nullptr;
}

template <class Op>
Handler bitwise_handler(std::string_view type) {
  if (type == "b32") return atomic<std::uint32_t, Op>;
  if (type == "b64") return atomic<std::uint64_t, Op>;
  return nullptr;
}

template <class Op>
Handler swap_handler(std::string_view type) {
  if (type == "b16") return atomic<std::uint16_t, Op>;
  if (type == "u32" || type == "s32" || type == "f32") return atomic<std::uint32_t, Op>;
  if (type == "u64" || type == "s64") return atomic<std::uint64_t, Op>;
  return bitwise_handler<Op>(type);
}

template <class Op>
Handler counting_handler(std::string_view type) {
  return type == "u32" ? atomic<std::uint32_t, Op> : nullptr;
}

/// Takes the operation's modifier; false when there is none that we know.
bool take_operation(StatementReader& read, std::string_view type, bool& compares) {
  struct Known {
    std::string_view name;
    Handler (*handler)(std::string_view);
  };
  static constexpr std::array<Known, 10> kOperations = {{
      {"add", arithmetic_handler<Add>},
      {"min", arithmetic_handler<Minimum>},
      {"max", arithmetic_handler<Maximum>},
      {"and", bitwise_handler<And>},
      {"or", bitwise_handler<Or>},
      {"xor", bitwise_handler<Xor>},
      {"exch", swap_handler<Exchange>},
      {"cas", swap_handler<CompareAndSwap>},
      {"inc", counting_handler<Increment>},
      {"dec", counting_handler<Decrement>},
  }};
  for (const Known& known : kOperations) {
    if (!read.take(known.name)) continue;
    compares = known.name == "cas";
    read.use(known.handler(type), type);
    return true;
  }
  return false;
}

void decode(StatementReader& read, bool has_result) {
  Instruction& out = read.out;
  // The type stands last: it is taken before anything that has the same name could be.
  const std::string_view type = read.take_type();
  const Space space = take_space(read);
  out.option = static_cast<std::uint16_t>(take_ordering(read) | kStrong);
  const bool has_policy = take_cache_hints(read);
  (void)read.take("noftz");
  out.elements = take_vector(read);
  out.is_store = true;
  bool compares = false;
  if (!take_operation(read, type, compares)) read.fail("an atomic operation that is not known");
  const int bytes = type_bytes(type);
  const ptx::Operand none;
  const ptx::Operand& to = has_result ? read.next() : none;
  const ptx::Operand& where = read.next();
  const ptx::Operand& what = read.next();
  if (read.context().failed()) return;
  out.element_bytes = static_cast<std::uint8_t>(bytes);
  out.register_bytes = out.element_bytes;
  out.c = compares ? read.source(bytes, type) : kNoSlot;
  skip_policy(read, has_policy);
  read.context().address(where, space, out);
  if (out.space != Space::global && out.space != Space::shared && out.space != Space::generic) {
    read.fail("an atomic operation outside global and shared memory");
  }
  out.list = read.context().list(what, bytes, type, false);
  // The slots of the result follow those of the operand.
  if (has_result) {
    (void)read.context().list(to, bytes, type, true);
    out.option2 = 1;
  }
  read.set_cost(Pipe::memory, 1);
  if (type == "f32") read.set_flops(FlopKind::f32, out.elements);
  out.access = read.context().new_access();
}

void decode_atom(StatementReader& read) { decode(read, true); }
void decode_red(StatementReader& read) { decode(read, false); }

}  // namespace

std::span<const OpcodeEntry> atomic_opcodes() {
  static constexpr std::array table = {
      OpcodeEntry{"atom", TypeClass::any, decode_with<decode_atom>},
      OpcodeEntry{"red", TypeClass::any, decode_with<decode_red>},
  };
  return table;
}

}  // namespace warpmind::simulator
