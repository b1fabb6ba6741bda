/// \file
/// The .approx functions. Results are those of an accurate function, within an ulp or two; the
/// machine's own differ from it by as much (PTX ISA, 9.7.3), so they agree to a tolerance only.

#include "profilers/simulator/ops/decoders.h"
#include "profilers/simulator/ops/rounding.h"
#include "profilers/simulator/ops/special_functions.h"

namespace warpmind::simulator {
namespace {

struct Sine {
  static float apply(float a) { return std::sin(a); }
};
struct Cosine {
  static float apply(float a) { return std::cos(a); }
};
struct Logarithm {
  static float apply(float a) { return std::log2(a); }
};
struct Exponential {
  static float apply(float a) { return exponential_2(a); }
};
struct HyperbolicTangent {
  static float apply(float a) { return std::tanh(a); }
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
  static bool apply(T a) {
    return std::fabs(a) <= std::numeric_limits<T>::max();
  }
};
struct IsInfinite {
  template <class T>
  static bool apply(T a) {
    return std::fabs(a) > std::numeric_limits<T>::max();
  }
};
struct IsNumber {
  template <class T>
  static bool apply(T a) {
    return a == a;
  }
};
struct IsNan {
  template <class T>
  static bool apply(T a) {
    return a != a;
  }
};
struct IsNormal {
  template <class T>
  static bool apply(T a) {
    return IsFinite::apply(a) && std::fabs(a) >= std::numeric_limits<T>::min();
  }
};
struct IsSubnormal {
  template <class T>
  static bool apply(T a) {
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

}  // namespace

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

}  // namespace warpmind::simulator
