#include "profilers/simulator/ops/float_opcodes.h"

#include "profilers/simulator/ops/float_extremes.h"
#include "profilers/simulator/ops/rounding.h"
#include "profilers/simulator/ops/special_functions.h"
#include "profilers/simulator/ops/statement_reader.h"
#include "profilers/simulator/ops/type_dispatch.h"

namespace warpmind::simulator {
namespace {

struct AddReal {
  template <class T>
  static T lane_result(T a, T b) {
    return a + b;
  }
};
struct SubtractReal {
  template <class T>
  static T lane_result(T a, T b) {
    return a - b;
  }
};
struct MultiplyReal {
  template <class T>
  static T lane_result(T a, T b) {
    return a * b;
  }
};
struct FusedMultiplyAdd {
  template <class T>
  static T lane_result(T a, T b, T c) {
    return std::fma(a, b, c);
  }
};
struct DivideReal {
  template <class T>
  static T lane_result(T a, T b) {
    return a / b;
  }
};
/// div.approx: past 2^126 the reciprocal is subnormal, which the machine takes for zero.
struct DivideApproximately {
  static float lane_result(float a, float b) {
    constexpr float kMost = 0x1p126F;
    const float size = std::fabs(b);
    const bool is_huge = size > kMost && size <= std::numeric_limits<float>::max();
    return is_huge ? a * std::copysign(0.0F, b) : a / b;
  }
};
struct Reciprocal {
  template <class T>
  static T lane_result(T a) {
    return T{1} / a;
  }
};
struct SquareRoot {
  template <class T>
  static T lane_result(T a) {
    return std::sqrt(a);
  }
};
/// In double for f32, so that the result is correctly rounded but for rare ties.
struct ReciprocalSquareRoot {
  static float lane_result(float a) {
    return static_cast<float>(1.0 / std::sqrt(static_cast<double>(a)));
  }
  static double lane_result(double a) { return 1.0 / std::sqrt(a); }
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
  static double lane_result(double a) { return upper(flushed(F::lane_result(flushed(upper(a))))); }
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

struct AbsoluteReal {
  template <class T>
  static T lane_result(T a) {
    return std::fabs(a);
  }
};
struct NegateReal {
  template <class T>
  static T lane_result(T a) {
    return -a;
  }
};
/// a's sign on b.
struct CopySign {
  template <class T>
  static T lane_result(T a, T b) {
    return std::copysign(b, a);
  }
};

template <class F, class... Float>
Handler single_handler(bool flushes) {
  return flushes ? apply_lanes<Rounded<F, true, false>, float, Float...>
                 : apply_lanes<Rounded<F, false, false>, float, Float...>;
}

template <class F>
Handler extreme_handler(bool flushes, bool keeps_nan, bool is_xorsign) {
  if (is_xorsign) {
    return keeps_nan ? single_handler<XorSign<KeepNan<F>>, float, float>(flushes)
                     : single_handler<XorSign<F>, float, float>(flushes);
  }
  return keeps_nan ? single_handler<KeepNan<F>, float, float>(flushes)
                   : single_handler<F, float, float>(flushes);
}

template <class F>
void decode_extreme(StatementReader& read) {
  const bool flushes = read.take("ftz");
  const bool keeps_nan = read.take("NaN");
  const bool is_xorsign = read.take("xorsign");
  if (is_xorsign && !read.take("abs")) read.fail("the modifier .xorsign without .abs");
  const std::string_view type = read.take_type();
  const bool is_plain = !flushes && !keeps_nan && !is_xorsign;
  Handler handler = nullptr;
  if (type == "f32") handler = extreme_handler<F>(flushes, keeps_nan, is_xorsign);
  if (type == "f64" && is_plain) handler = apply_lanes<F, double, double, double>;
  read.use(handler, type);
  read.read_operands(2, type_bytes(type), type);
  read.set_cost(type == "f64" ? Pipe::fp64 : Pipe::alu, type == "f64" ? 4.0F : 1.0F);
}

/// Mostly a modifier of the next instruction's operand.
template <class F>
void decode_sign(StatementReader& read) {
  const bool flushes = read.take("ftz");
  const std::string_view type = read.take_type();
  Handler handler = nullptr;
  if (type == "f32") handler = single_handler<F, float>(flushes);
  if (type == "f64" && !flushes) handler = apply_lanes<F, double, double>;
  read.use(handler, type);
  read.read_operands(1, type_bytes(type), type);
  read.set_cost(Pipe::alu, 0.3F);
}

void decode_float_min(StatementReader& read) { decode_extreme<MinimumReal>(read); }
void decode_float_max(StatementReader& read) { decode_extreme<MaximumReal>(read); }
void decode_float_abs(StatementReader& read) { decode_sign<AbsoluteReal>(read); }
void decode_float_neg(StatementReader& read) { decode_sign<NegateReal>(read); }

void decode_copysign(StatementReader& read) {
  const std::string_view type = read.take_type();
  Handler handler = nullptr;
  if (type == "f32") handler = apply_lanes<CopySign, float, float, float>;
  if (type == "f64") handler = apply_lanes<CopySign, double, double, double>;
  read.use(handler, type);
  read.read_operands(2, type_bytes(type), type);
  read.set_cost(Pipe::alu, type == "f64" ? 2.0F : 1.0F);
}

// The .approx functions. Results are those of an accurate function, within an ulp or two; the
// machine's own differ from it by as much (PTX ISA, 9.7.3), so they agree to a tolerance only.

struct Sine {
  static float lane_result(float a) { return std::sin(a); }
};
struct Cosine {
  static float lane_result(float a) { return std::cos(a); }
};
struct Logarithm {
  static float lane_result(float a) { return std::log2(a); }
};
struct Exponential {
  static float lane_result(float a) { return exponential_2(a); }
};
struct HyperbolicTangent {
  static float lane_result(float a) { return std::tanh(a); }
};

template <class F>
void decode_special(StatementReader& read, float cost) {
  if (!read.take("approx")) read.fail("a form other than .approx");
  const bool flushes = read.take("ftz");
  const std::string_view type = read.take_type();
  const Handler handler = flushes ? apply_lanes<Rounded<F, true, false>, float, float>
                                  : apply_lanes<Rounded<F, false, false>, float, float>;
  read.use(type == "f32" ? handler : nullptr, type);
  read.read_operands(1, 4, type);
  read.set_cost(Pipe::special, cost);
  read.set_flops(FlopKind::f32, 1);
}

/// Zero is neither normal nor subnormal.
struct IsFinite {
  template <class T>
  static bool lane_result(T a) {
    return std::fabs(a) <= std::numeric_limits<T>::max();
  }
};
struct IsInfinite {
  template <class T>
  static bool lane_result(T a) {
    return std::fabs(a) > std::numeric_limits<T>::max();
  }
};
struct IsNumber {
  template <class T>
  static bool lane_result(T a) {
    return a == a;
  }
};
struct IsNan {
  template <class T>
  static bool lane_result(T a) {
    return a != a;
  }
};
struct IsNormal {
  template <class T>
  static bool lane_result(T a) {
    return IsFinite::lane_result(a) && std::fabs(a) >= std::numeric_limits<T>::min();
  }
};
struct IsSubnormal {
  template <class T>
  static bool lane_result(T a) {
    return a != 0 && std::fabs(a) < std::numeric_limits<T>::min();
  }
};

template <class F, class T>
void run_test(Warp& warp, const Instruction& in, Mask active) {
  store_predicate(warp, in.d, lanes_where<F>(lanes<const T>(warp, in.a)), active);
}

template <class T>
Handler test_handler(int property) {
  constexpr Handler kHandlers[] = {run_test<IsFinite, T>, run_test<IsInfinite, T>,
                                   run_test<IsNumber, T>, run_test<IsNan, T>,
                                   run_test<IsNormal, T>, run_test<IsSubnormal, T>};
  return property < 0 ? nullptr : kHandlers[property];
}

void decode_sin(StatementReader& read) { decode_special<Sine>(read, 2); }
void decode_cos(StatementReader& read) { decode_special<Cosine>(read, 2); }
void decode_lg2(StatementReader& read) { decode_special<Logarithm>(read, 2); }
void decode_ex2(StatementReader& read) { decode_special<Exponential>(read, 2); }
void decode_tanh(StatementReader& read) { decode_special<HyperbolicTangent>(read, 1); }

void decode_testp(StatementReader& read) {
  const int property =
      read.take_one_of({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  const std::string_view type = read.take_type();
  Handler handler = nullptr;
  if (type == "f32") handler = test_handler<float>(property);
  if (type == "f64") handler = test_handler<double>(property);
  read.use(handler, type);
  read.out.d = read.destination(0);
  read.out.a = read.source(type_bytes(type), type);
  read.set_cost(Pipe::alu, 1);
}

}  // namespace

std::span<const OpcodeEntry> float_opcodes() {
  static constexpr OpcodeEntry table[] = {
      {"add", TypeClass::real, decode_with<decode_float_add>},
      {"sub", TypeClass::real, decode_with<decode_float_sub>},
      {"mul", TypeClass::real, decode_with<decode_float_mul>},
      {"fma", TypeClass::real, decode_with<decode_float_fma>},
      {"mad", TypeClass::real, decode_with<decode_float_fma>},
      {"div", TypeClass::real, decode_with<decode_float_div>},
      {"min", TypeClass::real, decode_with<decode_float_min>},
      {"max", TypeClass::real, decode_with<decode_float_max>},
      {"abs", TypeClass::real, decode_with<decode_float_abs>},
      {"neg", TypeClass::real, decode_with<decode_float_neg>},
      {"copysign", TypeClass::any, decode_with<decode_copysign>},
      {"rcp", TypeClass::any, decode_with<decode_rcp>},
      {"sqrt", TypeClass::any, decode_with<decode_sqrt>},
      {"rsqrt", TypeClass::any, decode_with<decode_rsqrt>},
      {"sin", TypeClass::any, decode_with<decode_sin>},
      {"cos", TypeClass::any, decode_with<decode_cos>},
      {"lg2", TypeClass::any, decode_with<decode_lg2>},
      {"ex2", TypeClass::real, decode_with<decode_ex2>},
      {"tanh", TypeClass::real, decode_with<decode_tanh>},
      {"testp", TypeClass::any, decode_with<decode_testp>},
  };
  return table;
}

}  // namespace warpmind::simulator
