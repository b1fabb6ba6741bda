#include "profilers/simulator/ops/decoders.h"
#include "profilers/simulator/ops/float_extremes.h"
#include "profilers/simulator/ops/rounding.h"

namespace warpmind::simulator {
namespace {

struct AbsoluteReal {
  template <class T>
  static T apply(T a) {
    return std::fabs(a);
  }
};
struct NegateReal {
  template <class T>
  static T apply(T a) {
    return -a;
  }
};
/// a's sign on b.
struct CopySign {
  template <class T>
  static T apply(T a, T b) {
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

}  // namespace

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

}  // namespace warpmind::simulator
