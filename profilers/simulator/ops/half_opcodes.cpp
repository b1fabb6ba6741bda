#include "profilers/simulator/ops/half_opcodes.h"

#include "profilers/simulator/ops/float_extremes.h"
#include "profilers/simulator/ops/half.h"
#include "profilers/simulator/ops/special_functions.h"
#include "profilers/simulator/ops/statement_reader.h"

namespace warpmind::simulator {
namespace {

// f16, bf16 and their pairs, each value computed with one rounding (half.h says how).

// Instruction::option
constexpr unsigned kFlushes = 1;
constexpr unsigned kSaturates = 2;
constexpr unsigned kRelu = 4;

struct AddHalf {
  static float lane_result(float a, float b) { return a + b; }
};
struct SubtractHalf {
  static float lane_result(float a, float b) { return a - b; }
};
/// lane_result() where the product is a float, lane_result_wide() for all products: a double holds
/// them.
struct MultiplyHalf {
  static bool fits(float a, float b) { return product_fits(a, b); }
  static float lane_result(float a, float b) { return a * b; }
  static float lane_result_wide(float a, float b) {
    return odd_float(static_cast<double>(a) * static_cast<double>(b));
  }
};
struct FusedHalf {
  static bool fits(float a, float b, float /*c*/) { return product_fits(a, b); }
  static float lane_result(float a, float b, float c) { return odd_sum(a * b, c); }
  static float lane_result_wide(float a, float b, float c) {
    return odd_float(
        odd_sum(static_cast<double>(a) * static_cast<double>(b), static_cast<double>(c)));
  }
};
// Functions of floats that need no care: their results are halves, or approximate anyway.
struct AbsoluteFloat {
  static float lane_result(float a) { return std::fabs(a); }
};
struct NegateFloat {
  static float lane_result(float a) { return -a; }
};
struct ExponentialFloat {
  static float lane_result(float a) { return exponential_2(a); }
};
struct TangentFloat {
  static float lane_result(float a) { return std::tanh(a); }
};

/// to[i] = F::lane_result(sources[i]...). The wide way is the same for all, or the loop would
/// branch.
template <class F, bool ProductsFit, class... S>
void compute_halves(float* to, int count, const S*... sources) {
  if constexpr (!ProductsFit && requires { F::fits(*sources...); }) {
    int misfits = 0;
    for (int i = 0; i < count; ++i) misfits |= F::fits(sources[i]...) ? 0 : 1;
    if (misfits != 0) {
      for (int i = 0; i < count; ++i) to[i] = F::lane_result_wide(sources[i]...);
      return;
    }
  }
#pragma GCC ivdep
  for (int i = 0; i < count; ++i) to[i] = F::lane_result(sources[i]...);
}

/// Clamps and canonical NaN, before the rounding: the limits are halves themselves.
inline void finish_floats(float* values, int count, unsigned option) {
  if ((option & kSaturates) != 0) {
    for (int i = 0; i < count; ++i) values[i] = saturate(values[i]);
  }
  if ((option & kRelu) != 0) {
    for (int i = 0; i < count; ++i) values[i] = values[i] <= 0.0F ? 0.0F : values[i];
  }
  for (int i = 0; i < count; ++i) values[i] = canonical(values[i]);
}

template <class Format, int Count>
void widen_source(Warp& warp, Slot slot, unsigned option, float* to) {
  const auto* const from = lanes<const std::uint16_t>(warp, slot);
  if ((option & kFlushes) == 0) {
    Format::widen(from, to, Count);
    return;
  }
  alignas(64) std::uint16_t flushed[Count];
  std::memcpy(flushed, from, sizeof flushed);
  flush_halves<Format>(flushed, Count);
  Format::widen(flushed, to, Count);
}

/// A pair's halves lie side by side, so that 32 pairs are 64 values in a row.
template <class Format, class F, int Sources, int Each>
void run_half(Warp& warp, const Instruction& in, Mask active) {
  constexpr int kCount = kLanes * Each;
  alignas(64) float a[kCount];
  alignas(64) float b[kCount];
  alignas(64) float c[kCount];
  widen_source<Format, kCount>(warp, in.a, in.option, a);
  if constexpr (Sources > 1) widen_source<Format, kCount>(warp, in.b, in.option, b);
  if constexpr (Sources > 2) widen_source<Format, kCount>(warp, in.c, in.option, c);
  constexpr bool kFit = Format::kProductsFit;
  if constexpr (Sources == 1) compute_halves<F, kFit>(a, kCount, a);
  if constexpr (Sources == 2) compute_halves<F, kFit>(a, kCount, a, b);
  if constexpr (Sources == 3) compute_halves<F, kFit>(a, kCount, a, b, c);
  finish_floats(a, kCount, in.option);
  alignas(64) std::uint16_t values[kCount];
  Format::narrow(a, values, kCount);
  if ((in.option & kFlushes) != 0) flush_halves<Format>(values, kCount);
  if constexpr (Each == 1) {
    store_lanes(lanes<std::uint16_t>(warp, in.d), values, active);
  } else {
    store_lanes(lanes<std::uint32_t>(warp, in.d), reinterpret_cast<const std::uint32_t*>(values),
                active);
  }
}

template <class F, int Sources>
Handler half_handler(std::string_view type) {
  if (type == "f16") return run_half<Float16, F, Sources, 1>;
  if (type == "f16x2") return run_half<Float16, F, Sources, 2>;
  if (type == "bf16") return run_half<Bfloat16, F, Sources, 1>;
  if (type == "bf16x2") return run_half<Bfloat16, F, Sources, 2>;
  return nullptr;
}

/// Reads .ftz, .sat and .relu, the type and the operands.
template <class F, int Sources>
void decode_half(StatementReader& read, float cost, int flops) {
  unsigned option = read.take("ftz") ? kFlushes : 0;
  if (read.take("sat")) option |= kSaturates;
  if (read.take("relu")) option |= kRelu;
  const std::string_view type = read.take_type();
  read.use(half_handler<F, Sources>(type), type);
  const bool is_pair = type == "f16x2" || type == "bf16x2";
  read.read_operands(Sources, is_pair ? 4 : 2, is_pair ? "b32" : type);
  read.out.option = static_cast<std::uint16_t>(option);
  read.set_cost(Pipe::half, cost);
  if (flops != 0) read.set_flops(FlopKind::f16, is_pair ? 2 * flops : flops);
}

template <class F>
void decode_half_extreme(StatementReader& read) {
  const bool keeps_nan = read.take("NaN");
  const bool is_xorsign = read.take("xorsign");
  if (is_xorsign && !read.take("abs")) read.fail("the modifier .xorsign without .abs");
  if (is_xorsign && keeps_nan) {
    decode_half<XorSign<KeepNan<F>>, 2>(read, 1, 0);
  } else if (is_xorsign) {
    decode_half<XorSign<F>, 2>(read, 1, 0);
  } else if (keeps_nan) {
    decode_half<KeepNan<F>, 2>(read, 1, 0);
  } else {
    decode_half<F, 2>(read, 1, 0);
  }
}

void take_nearest(StatementReader& read) {
  read.take("rn");  // the only rounding there is
}

void take_approximate(StatementReader& read) {
  if (!read.take("approx")) read.fail("a form other than .approx");
}

void decode_half_add(StatementReader& read) {
  take_nearest(read);
  decode_half<AddHalf, 2>(read, 1, 1);
}
void decode_half_sub(StatementReader& read) {
  take_nearest(read);
  decode_half<SubtractHalf, 2>(read, 1, 1);
}
void decode_half_mul(StatementReader& read) {
  take_nearest(read);
  decode_half<MultiplyHalf, 2>(read, 1, 1);
}
void decode_half_fma(StatementReader& read) {
  take_nearest(read);
  decode_half<FusedHalf, 3>(read, 1, 2);
}
void decode_half_min(StatementReader& read) { decode_half_extreme<MinimumReal>(read); }
void decode_half_max(StatementReader& read) { decode_half_extreme<MaximumReal>(read); }
void decode_half_abs(StatementReader& read) { decode_half<AbsoluteFloat, 1>(read, 0.5F, 0); }
void decode_half_neg(StatementReader& read) { decode_half<NegateFloat, 1>(read, 0.5F, 0); }
void decode_half_ex2(StatementReader& read) {
  take_approximate(read);
  decode_half<ExponentialFloat, 1>(read, 2, 1);
}
void decode_half_tanh(StatementReader& read) {
  take_approximate(read);
  decode_half<TangentFloat, 1>(read, 1, 1);
}

}  // namespace

std::span<const OpcodeEntry> half_opcodes() {
  static constexpr OpcodeEntry table[] = {
      {"add", TypeClass::half, decode_with<decode_half_add>},
      {"sub", TypeClass::half, decode_with<decode_half_sub>},
      {"mul", TypeClass::half, decode_with<decode_half_mul>},
      {"fma", TypeClass::half, decode_with<decode_half_fma>},
      {"min", TypeClass::half, decode_with<decode_half_min>},
      {"max", TypeClass::half, decode_with<decode_half_max>},
      {"abs", TypeClass::half, decode_with<decode_half_abs>},
      {"neg", TypeClass::half, decode_with<decode_half_neg>},
      {"ex2", TypeClass::half, decode_with<decode_half_ex2>},
      {"tanh", TypeClass::half, decode_with<decode_half_tanh>},
  };
  return table;
}

}  // namespace warpmind::simulator
