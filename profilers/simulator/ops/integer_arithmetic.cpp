#include "profilers/simulator/ops/decoders.h"
#include "profilers/simulator/ops/integer_functors.h"
#include "profilers/simulator/ops/lanes.h"
#include "profilers/simulator/ops/type_dispatch.h"

namespace warpmind::simulator {
namespace {

float cost_of(int bytes) { return bytes == 8 ? 2.0F : 1.0F; }

template <class F>
Handler binary_handler(std::string_view type) {
  return for_integer(type, []<class T>(std::type_identity<T> /*type*/) -> Handler {
    return apply_lanes<F, T, T, T>;
  });
}

/// Two operands of one type; the packed types only where `packed` says so.
template <class F>
void decode_binary(StatementReader& read, float cost_32, float cost_64) {
  const std::string_view type = read.take_type();
  const bool is_packed = type == "u16x2" || type == "s16x2";
  Handler handler = binary_handler<F>(type);
  if (type == "u16x2") {
    handler = apply_lanes<Halves<F, std::uint16_t>, std::uint32_t, std::uint32_t, std::uint32_t>;
  } else if (type == "s16x2") {
    handler = apply_lanes<Halves<F, std::int16_t>, std::uint32_t, std::uint32_t, std::uint32_t>;
  }
  read.use(handler, type);
  const int bytes = is_packed ? 4 : type_bytes(type);
  read.read_operands(2, bytes, is_packed ? "b32" : type);
  read.set_cost(Pipe::alu, bytes == 8 ? cost_64 : cost_32);
}

/// add.sat and sub.sat.
template <class F>
struct Saturated {
  static std::int32_t apply(std::int32_t a, std::int32_t b) {
    return clamp_to<std::int32_t>(F::apply(std::int64_t{a}, std::int64_t{b}));
  }
};

template <class F>
void decode_saturated(StatementReader& read) {
  const std::string_view type = read.take_type();
  read.use(
      type == "s32" ? apply_lanes<Saturated<F>, std::int32_t, std::int32_t, std::int32_t> : nullptr,
      type);
  read.read_operands(2, 4, type);
  read.set_cost(Pipe::alu, 3);
}

/// Low 24 bits, sign-extended where T is signed.
template <class T>
std::int64_t low_24(T value) {
  const auto bits = static_cast<std::uint32_t>(value) & 0xff'ffffU;
  const bool negative = std::is_signed_v<T> && (bits & 0x80'0000U) != 0;
  return std::int64_t{bits} - (negative ? 0x100'0000 : 0);
}
/// Bits 0 to 31, or 16 to 47, of a product of 24-bit numbers.
template <unsigned Shift>
struct Multiply24 {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(static_cast<std::uint64_t>(low_24(a) * low_24(b)) >> Shift);
  }
};
/// mad.hi.sat and mad24.hi.sat.
template <class Multiply>
struct SaturatedMultiplyAdd {
  static std::int32_t apply(std::int32_t a, std::int32_t b, std::int32_t c) {
    return clamp_to<std::int32_t>(std::int64_t{Multiply::apply(a, b)} + c);
  }
};

template <class F>
Handler multiply_add_handler(std::string_view type) {
  return for_integer(type, []<class T>(std::type_identity<T> /*type*/) -> Handler {
    return apply_lanes<MultiplyAdd<F>, T, T, T, T>;
  });
}

/// d is twice as wide as a and b.
Handler wide_handler(std::string_view type, bool adds) {
  return for_integer(type, [&]<class T>(std::type_identity<T> /*type*/) -> Handler {
    if constexpr (sizeof(T) == 8) {
      return nullptr;
    } else if (adds) {
      return apply_lanes<MultiplyAdd<MultiplyWide>, Wider<T>, T, T, Wider<T>>;
    } else {
      return apply_lanes<MultiplyWide, Wider<T>, T, T>;
    }
  });
}

float multiply_cost(int bytes, bool is_high) {
  if (bytes == 8) return is_high ? 8.0F : 4.0F;
  return is_high ? 2.0F : 1.0F;
}

void decode_wide(StatementReader& read, bool adds) {
  const std::string_view type = read.take_type();
  read.use(wide_handler(type, adds), type);
  const int bytes = type_bytes(type);
  read.out.d = read.destination(2 * bytes);
  read.out.a = read.source(bytes, type);
  read.out.b = read.source(bytes, type);
  if (adds) {
    std::string_view sum = type.front() == 's' ? "s64" : "u64";
    if (bytes == 2) sum = type.front() == 's' ? "s32" : "u32";
    read.out.c = read.source(2 * bytes, sum);
  }
  read.set_cost(Pipe::integer_multiply, bytes == 4 ? 2.0F : 1.0F);
}

Handler handler_24(std::string_view type, bool is_high, bool adds) {
  const auto make = [&]<class T>(std::type_identity<T> /*type*/) -> Handler {
    if (adds) {
      return is_high ? apply_lanes<MultiplyAdd<Multiply24<16>>, T, T, T, T>
                     : apply_lanes<MultiplyAdd<Multiply24<0>>, T, T, T, T>;
    }
    return is_high ? apply_lanes<Multiply24<16>, T, T, T> : apply_lanes<Multiply24<0>, T, T, T>;
  };
  if (type == "u32") return make(std::type_identity<std::uint32_t>());
  if (type == "s32") return make(std::type_identity<std::int32_t>());
  return nullptr;
}

template <class F>
void decode_unary_signed(StatementReader& read) {
  const std::string_view type = read.take_type();
  Handler handler = nullptr;
  if (type == "s32") handler = apply_lanes<F, std::int32_t, std::int32_t>;
  if (type == "s64") handler = apply_lanes<F, std::int64_t, std::int64_t>;
  if (type == "s16") handler = apply_lanes<F, std::int16_t, std::int16_t>;
  read.use(handler, type);
  const int bytes = type_bytes(type);
  read.read_operands(1, bytes, type);
  read.set_cost(Pipe::alu, cost_of(bytes));
}

template <class F>
void decode_extreme(StatementReader& read) {
  if (!read.take("relu")) {
    decode_binary<F>(read, 1, 3);
    return;
  }
  const std::string_view type = read.take_type();
  using Word = std::uint32_t;
  Handler handler = nullptr;
  if (type == "s32") {
    handler = apply_lanes<ReluInteger<F>, std::int32_t, std::int32_t, std::int32_t>;
  } else if (type == "s16x2") {
    handler = apply_lanes<Halves<ReluInteger<F>, std::int16_t>, Word, Word, Word>;
  }
  read.use(handler, type);
  read.read_operands(2, 4, "b32");
  read.set_cost(Pipe::alu, 1);
}

}  // namespace

void decode_integer_add(StatementReader& read) {
  if (read.take("cc")) return decode_carry(read, CarryOperation::add, false, true);
  if (read.take("sat")) return decode_saturated<AddInteger>(read);
  decode_binary<AddInteger>(read, 1, 2);
}

void decode_integer_sub(StatementReader& read) {
  if (read.take("cc")) return decode_carry(read, CarryOperation::subtract, false, true);
  if (read.take("sat")) return decode_saturated<SubtractInteger>(read);
  decode_binary<SubtractInteger>(read, 1, 2);
}

void decode_integer_mul(StatementReader& read) {
  if (read.take("wide")) return decode_wide(read, false);
  const bool is_high = read.take_one_of({"lo", "hi"}) == 1;
  const std::string_view type = read.take_type();
  read.use(is_high ? binary_handler<MultiplyHigh>(type) : binary_handler<MultiplyLow>(type), type);
  const int bytes = type_bytes(type);
  read.read_operands(2, bytes, type);
  read.set_cost(Pipe::integer_multiply, multiply_cost(bytes, is_high));
}

void decode_integer_mad(StatementReader& read) {
  if (read.take("cc")) return decode_carry_mad(read, false, true);
  if (read.take("wide")) return decode_wide(read, true);
  const bool is_high = read.take_one_of({"lo", "hi"}) == 1;
  const bool is_saturated = is_high && read.take("sat");
  const std::string_view type = read.take_type();
  Handler handler =
      is_high ? multiply_add_handler<MultiplyHigh>(type) : multiply_add_handler<MultiplyLow>(type);
  if (is_saturated) {
    using Int = std::int32_t;
    handler = type == "s32" ? apply_lanes<SaturatedMultiplyAdd<MultiplyHigh>, Int, Int, Int, Int>
                            : nullptr;
  }
  read.use(handler, type);
  const int bytes = type_bytes(type);
  read.read_operands(3, bytes, type);
  read.set_cost(Pipe::integer_multiply, multiply_cost(bytes, is_high));
}

void decode_mul24(StatementReader& read) {
  const bool is_high = read.take_one_of({"lo", "hi"}) == 1;
  const std::string_view type = read.take_type();
  read.use(handler_24(type, is_high, false), type);
  read.read_operands(2, 4, type);
  read.set_cost(Pipe::integer_multiply, 3);
}

void decode_mad24(StatementReader& read) {
  const bool is_high = read.take_one_of({"lo", "hi"}) == 1;
  const bool is_saturated = is_high && read.take("sat");
  const std::string_view type = read.take_type();
  Handler handler = handler_24(type, is_high, true);
  if (is_saturated) {
    using Int = std::int32_t;
    handler = type == "s32" ? apply_lanes<SaturatedMultiplyAdd<Multiply24<16>>, Int, Int, Int, Int>
                            : nullptr;
  }
  read.use(handler, type);
  read.read_operands(3, 4, type);
  read.set_cost(Pipe::integer_multiply, 4);
}

void decode_integer_div(StatementReader& read) {
  // By a constant the compiler multiplies.
  const auto& operands = read.statement().operands;
  const bool by_constant = operands.size() == 3 && operands[2].kind == ptx::OperandKind::integer;
  decode_binary<DivideInteger>(read, by_constant ? 4 : 18, by_constant ? 8 : 70);
}

void decode_integer_rem(StatementReader& read) {
  const auto& operands = read.statement().operands;
  const bool by_constant = operands.size() == 3 && operands[2].kind == ptx::OperandKind::integer;
  decode_binary<RemainderInteger>(read, by_constant ? 5 : 18, by_constant ? 9 : 70);
}

void decode_integer_abs(StatementReader& read) { decode_unary_signed<AbsoluteInteger>(read); }
void decode_integer_neg(StatementReader& read) { decode_unary_signed<NegateInteger>(read); }
void decode_integer_min(StatementReader& read) { decode_extreme<MinimumInteger>(read); }
void decode_integer_max(StatementReader& read) { decode_extreme<MaximumInteger>(read); }

void decode_sad(StatementReader& read) {
  const std::string_view type = read.take_type();
  read.use(for_integer(type,
                       []<class T>(std::type_identity<T> /*type*/) -> Handler {
                         return apply_lanes<SumOfAbsoluteDifference, T, T, T, T>;
                       }),
           type);
  const int bytes = type_bytes(type);
  read.read_operands(3, bytes, type);
  read.set_cost(Pipe::alu, cost_of(bytes));
}

}  // namespace warpmind::simulator
