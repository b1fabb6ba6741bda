#include "profilers/simulator/ops/decoders.h"
#include "profilers/simulator/ops/rounding.h"
#include "profilers/simulator/ops/type_dispatch.h"

namespace warpmind::simulator {
namespace {

struct AddReal {
  template <class T>
  static T apply(T a, T b) {
    return a + b;
  }
};
struct SubtractReal {
  template <class T>
  static T apply(T a, T b) {
    return a - b;
  }
};
struct MultiplyReal {
  template <class T>
  static T apply(T a, T b) {
    return a * b;
  }
};
struct FusedMultiplyAdd {
  template <class T>
  static T apply(T a, T b, T c) {
    return std::fma(a, b, c);
  }
};
struct DivideReal {
  template <class T>
  static T apply(T a, T b) {
    return a / b;
  }
};
/// div.approx: past 2^126 the reciprocal is subnormal, which the machine takes for zero.
struct DivideApproximately {
  static float apply(float a, float b) {
    constexpr float kMost = 0x1p126F;
    const float size = std::fabs(b);
    const bool is_huge = size > kMost && size <= std::numeric_limits<float>::max();
    return is_huge ? a * std::copysign(0.0F, b) : a / b;
  }
};
struct Reciprocal {
  template <class T>
  static T apply(T a) {
    return T{1} / a;
  }
};
struct SquareRoot {
  template <class T>
  static T apply(T a) {
    return std::sqrt(a);
  }
};
/// In double for f32, so that the result is correctly rounded but for rare ties.
struct ReciprocalSquareRoot {
  static float apply(float a) {
    return static_cast<float>(1.0 / std::sqrt(static_cast<double>(a)));
  }
  static double apply(double a) { return 1.0 / std::sqrt(a); }
};
/// The .approx.ftz.f64 forms look at the upper half of a and give the upper half of the result.
template <class F>
struct UpperHalf {
  static double upper(double value) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) & ~0xffff'ffffULL);
  }
  static double flushed(double value) {
    return std::fabs(value) < std::numeric_limits<double>::min() ? std::copysign(0.0, value)
                                                                 : value;
  }
  static double apply(double a) { return upper(flushed(F::apply(flushed(upper(a))))); }
};

/// Rounded to the nearest without MXCSR, in any other way with it.
template <class F, bool Flush, bool Saturate, class... T>
Handler rounded_handler(Rounding rounding) {
  using Wrapped = Rounded<F, Flush, Saturate>;
  using D = std::tuple_element_t<0, std::tuple<T...>>;
  if (rounding == Rounding::nearest_even) return apply_lanes<Wrapped, D, T...>;
  return apply_rounded<Wrapped, D, T...>;
}

template <class F, class... Float>
Handler single_handler(Rounding rounding, bool flushes, bool saturates) {
  if (flushes) {
    return saturates ? rounded_handler<F, true, true, Float...>(rounding)
                     : rounded_handler<F, true, false, Float...>(rounding);
  }
  return saturates ? rounded_handler<F, false, true, Float...>(rounding)
                   : rounded_handler<F, false, false, Float...>(rounding);
}

float cost_of(std::string_view type) { return type == "f64" ? 2.0F : 1.0F; }

/// Reads .ftz, .sat, the rounding and the type; T stands for as many sources as F takes.
template <class F, class Single, class Double>
struct Choice;
template <class F, class... Single, class... Double>
struct Choice<F, std::tuple<Single...>, std::tuple<Double...>> {
  static std::string_view read_handler(StatementReader& read) {
    const Rounding rounding = read.take_rounding().value_or(Rounding::nearest_even);
    const std::string_view type = read.take_type();
    Handler handler = nullptr;
    if (type == "f32") {
      const bool flushes = read.take("ftz");
      const bool saturates = read.take("sat");
      handler = single_handler<F, Single...>(rounding, flushes, saturates);
    } else if (type == "f64") {
      handler = rounded_handler<F, false, false, Double...>(rounding);
    }
    read.use(handler, type);
    read.out.option = static_cast<std::uint16_t>(rounding);
    return type;
  }
};
template <class F>
using Unary = Choice<F, std::tuple<float>, std::tuple<double>>;
template <class F>
using Binary = Choice<F, std::tuple<float, float>, std::tuple<double, double>>;
template <class F>
using Ternary = Choice<F, std::tuple<float, float, float>, std::tuple<double, double, double>>;

void set_real_flops(StatementReader& read, std::string_view type, int flops) {
  read.set_flops(type == "f64" ? FlopKind::f64 : FlopKind::f32, flops);
}
Pipe pipe_of(std::string_view type) { return type == "f64" ? Pipe::fp64 : Pipe::fma; }

template <class F>
void decode_binary(StatementReader& read) {
  const std::string_view type = Binary<F>::read_handler(read);
  read.read_operands(2, type_bytes(type), type);
  read.set_cost(pipe_of(type), 1);
  set_real_flops(read, type, 1);
}

/// `approximate` and `exact` are SASS instructions of the f32 forms.
template <class F>
void decode_unary(StatementReader& read, float approximate, float exact) {
  if (read.take("approx")) {
    const bool flushes = read.take("ftz");
    const std::string_view type = read.take_type();
    Handler handler = nullptr;
    if (type == "f32") {
      handler = single_handler<F, float>(Rounding::nearest_even, flushes, false);
    } else if (type == "f64") {
      handler =
          flushes ? apply_lanes<UpperHalf<F>, double, double> : apply_lanes<F, double, double>;
    }
    read.use(handler, type);
    read.read_operands(1, type_bytes(type), type);
    read.set_cost(Pipe::special, approximate);
    set_real_flops(read, type, 1);
    return;
  }
  const std::string_view type = Unary<F>::read_handler(read);
  read.read_operands(1, type_bytes(type), type);
  read.set_cost(Pipe::special, exact * cost_of(type));
  set_real_flops(read, type, 1);
}

}  // namespace

void decode_float_add(StatementReader& read) { decode_binary<AddReal>(read); }
void decode_float_sub(StatementReader& read) { decode_binary<SubtractReal>(read); }
void decode_float_mul(StatementReader& read) { decode_binary<MultiplyReal>(read); }

void decode_float_fma(StatementReader& read) {
  const std::string_view type = Ternary<FusedMultiplyAdd>::read_handler(read);
  read.read_operands(3, type_bytes(type), type);
  read.set_cost(pipe_of(type), 1);
  set_real_flops(read, type, 2);
}

void decode_float_div(StatementReader& read) {
  const int kind = read.take_one_of({"approx", "full"});
  std::string_view type = "f32";
  if (kind < 0) {
    type = Binary<DivideReal>::read_handler(read);
  } else {
    const bool flushes = read.take("ftz");
    type = read.take_type();
    const Handler handler = kind == 0 ? single_handler<DivideApproximately, float, float>(
                                            Rounding::nearest_even, flushes, false)
                                      : single_handler<DivideReal, float, float>(
                                            Rounding::nearest_even, flushes, false);
    read.use(type == "f32" ? handler : nullptr, type);
  }
  read.read_operands(2, type_bytes(type), type);
  constexpr float kCosts[] = {9, 2, 6};
  read.set_cost(Pipe::special, kCosts[kind + 1] * cost_of(type));
  set_real_flops(read, type, 1);
}

void decode_rcp(StatementReader& read) { decode_unary<Reciprocal>(read, 1, 6); }
void decode_sqrt(StatementReader& read) { decode_unary<SquareRoot>(read, 2, 8); }
void decode_rsqrt(StatementReader& read) { decode_unary<ReciprocalSquareRoot>(read, 1, 8); }

}  // namespace warpmind::simulator
