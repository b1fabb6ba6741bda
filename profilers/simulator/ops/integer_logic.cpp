#include "profilers/simulator/ops/decoders.h"
#include "profilers/simulator/ops/lanes.h"
#include "profilers/simulator/ops/type_dispatch.h"

namespace warpmind::simulator {
namespace {

struct And {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
struct Not {
  template <class T>
  static T apply(T a) {
    return static_cast<T>(~a);
  }
};
/// C's !a.
struct LogicalNot {
  template <class T>
  static T apply(T a) {
    return static_cast<T>(a == 0 ? 1 : 0);
  }
};

/// Amounts of the width and more give zero, or copies of the sign.
struct ShiftLeft {
  template <class T>
  static T apply(T a, std::uint32_t amount) {
    return amount >= 8 * sizeof(T) ? T{0} : static_cast<T>(a << amount);
  }
};
struct ShiftRight {
  template <class T>
  static T apply(T a, std::uint32_t amount) {
    constexpr std::uint32_t kMost = 8 * sizeof(T) - 1;
    if constexpr (std::is_signed_v<T>) {
      return static_cast<T>(a >> (amount < kMost ? amount : kMost));
    } else {
      return amount > kMost ? T{0} : static_cast<T>(a >> amount);
    }
  }
};

/// A window on b:a. `Left`: its upper word after a shift to the left.
template <bool Left, bool Clamp>
struct FunnelShift {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    std::uint32_t amount = c & 31U;
    if (Clamp) amount = c < 32 ? c : 32;
    const std::uint64_t both = (std::uint64_t{b} << 32U) | a;
    return static_cast<std::uint32_t>(both >> (Left ? 32 - amount : amount));
  }
};

template <class F>
void decode_bitwise(StatementReader& read, int sources, float cost) {
  const std::string_view type = read.take_type();
  read.use(for_bits(type,
                    [&]<class T>(std::type_identity<T> /*type*/) -> Handler {
                      if constexpr (std::is_same_v<F, Not> || std::is_same_v<F, LogicalNot>) {
                        return apply_lanes<F, T, T>;
                      } else {
                        return apply_lanes<F, T, T, T>;
                      }
                    }),
           type);
  const int bytes = type_bytes(type);
  read.read_operands(sources, bytes, type);
  read.set_cost(Pipe::alu, bytes == 8 ? 2 * cost : cost);
}

void read_shift(StatementReader& read, Handler handler, std::string_view type) {
  read.use(handler, type);
  const int bytes = type_bytes(type);
  read.out.d = read.destination(bytes);
  read.out.a = read.source(bytes, type);
  read.out.b = read.source(4, "u32");
  read.set_cost(Pipe::alu, bytes == 8 ? 2.0F : 1.0F);
}

/// Instruction::immediate is the truth table: bit (a, b, c) of it.
void run_lop3(Warp& warp, const Instruction& in, Mask active) {
  std::uint32_t chosen[8];
  for (unsigned i = 0; i < 8; ++i) {
    chosen[i] = ((static_cast<std::uint64_t>(in.immediate) >> i) & 1U) != 0 ? ~0U : 0U;
  }
  const auto* const a = lanes<const std::uint32_t>(warp, in.a);
  const auto* const b = lanes<const std::uint32_t>(warp, in.b);
  const auto* const c = lanes<const std::uint32_t>(warp, in.c);
  alignas(64) std::uint32_t values[kLanes];
#pragma GCC ivdep
  for (int i = 0; i < kLanes; ++i) {
    const std::uint32_t x = a[i];
    const std::uint32_t y = b[i];
    const std::uint32_t z = c[i];
    const std::uint32_t without_x =
        (~y & ((~z & chosen[0]) | (z & chosen[1]))) | (y & ((~z & chosen[2]) | (z & chosen[3])));
    const std::uint32_t with_x =
        (~y & ((~z & chosen[4]) | (z & chosen[5]))) | (y & ((~z & chosen[6]) | (z & chosen[7])));
    values[i] = (~x & without_x) | (x & with_x);
  }
  store_lanes(lanes<std::uint32_t>(warp, in.d), values, active);
}

struct Same {
  static Mask apply(Mask a, Mask /*b*/) { return a; }
};
struct Invert {
  static Mask apply(Mask a, Mask /*b*/) { return ~a; }
};

// Instruction::option
constexpr unsigned kNegatesA = 1;
constexpr unsigned kNegatesB = 2;

template <class F>
void run_predicate(Warp& warp, const Instruction& in, Mask active) {
  Mask a = predicate(warp, in.a);
  Mask b = predicate(warp, in.b);
  if ((in.option & kNegatesA) != 0) a = ~a;
  if ((in.option & kNegatesB) != 0) b = ~b;
  store_predicate(warp, in.d, F::apply(a, b), active);
}

template <class F>
void decode_predicate(StatementReader& read, int sources) {
  const std::string_view type = read.take_type();
  read.use(type == "pred" ? run_predicate<F> : nullptr, type);
  read.out.d = read.destination(0);
  bool negates_a = false;
  bool negates_b = false;
  read.out.a = read.predicate_source(negates_a);
  read.out.b = sources > 1 ? read.predicate_source(negates_b) : read.out.a;
  read.out.option =
      static_cast<std::uint16_t>((negates_a ? kNegatesA : 0U) | (negates_b ? kNegatesB : 0U));
  read.set_cost(Pipe::alu, 0.5F);
}

}  // namespace

void decode_and(StatementReader& read) { decode_bitwise<And>(read, 2, 1); }
void decode_or(StatementReader& read) { decode_bitwise<Or>(read, 2, 1); }
void decode_xor(StatementReader& read) { decode_bitwise<Xor>(read, 2, 1); }
void decode_not(StatementReader& read) { decode_bitwise<Not>(read, 1, 1); }
void decode_cnot(StatementReader& read) { decode_bitwise<LogicalNot>(read, 1, 2); }

void decode_lop3(StatementReader& read) {
  const std::string_view type = read.take_type();
  read.use(type == "b32" ? run_lop3 : nullptr, type);
  read.read_operands(3, 4, type);
  read.out.immediate = static_cast<std::int64_t>(read.literal());
  read.set_cost(Pipe::alu, 1);
}

void decode_shl(StatementReader& read) {
  const std::string_view type = read.take_type();
  read_shift(read,
             for_bits(type,
                      []<class T>(std::type_identity<T> /*type*/) -> Handler {
                        return apply_lanes<ShiftLeft, T, T, std::uint32_t>;
                      }),
             type);
}

void decode_shr(StatementReader& read) {
  const std::string_view type = read.take_type();
  const auto make = []<class T>(std::type_identity<T> /*type*/) -> Handler {
    return apply_lanes<ShiftRight, T, T, std::uint32_t>;
  };
  const Handler handler = is_signed_type(type) ? for_integer(type, make) : for_bits(type, make);
  read_shift(read, handler, type);
}

void decode_shf(StatementReader& read) {
  const bool is_left = read.take_one_of({"r", "l"}) == 1;
  const bool clamps = read.take_one_of({"wrap", "clamp"}) == 1;
  const std::string_view type = read.take_type();
  using Word = std::uint32_t;
  Handler handler = is_left
                        ? (clamps ? apply_lanes<FunnelShift<true, true>, Word, Word, Word, Word>
                                  : apply_lanes<FunnelShift<true, false>, Word, Word, Word, Word>)
                        : (clamps ? apply_lanes<FunnelShift<false, true>, Word, Word, Word, Word>
                                  : apply_lanes<FunnelShift<false, false>, Word, Word, Word, Word>);
  read.use(type == "b32" ? handler : nullptr, type);
  read.read_operands(3, 4, type);
  read.set_cost(Pipe::alu, 1);
}

void decode_predicate_and(StatementReader& read) { decode_predicate<And>(read, 2); }
void decode_predicate_or(StatementReader& read) { decode_predicate<Or>(read, 2); }
void decode_predicate_xor(StatementReader& read) { decode_predicate<Xor>(read, 2); }
void decode_predicate_not(StatementReader& read) { decode_predicate<Invert>(read, 1); }
void decode_predicate_mov(StatementReader& read) { decode_predicate<Same>(read, 1); }

}  // namespace warpmind::simulator
