// Read off what ptxas 13.0 makes of each instruction alone; it is the same for sm_86 and sm_90.
#include "profilers/flops/counter_mix.h"

#include <algorithm>
#include <array>
#include <string>

namespace warpmind::profilers {
namespace {

struct Expansion {
  std::string_view opcode;
  CounterMix mix;  // fadd, fmul, ffma, dadd, dmul, dfma
};

/// Those left out (sqrt.approx, rsqrt.approx.f32, ex2, lg2, tanh, every .approx.ftz but sin and
/// cos) are one MUFU, with products for denormal operands under a guard that is hardly ever true.
constexpr std::array kExpansions = {
    Expansion{"div.rn.f32", {0, 0, 5, 0, 0, 0}},
    Expansion{"div.rn.ftz.f32", {0, 0, 5, 0, 0, 0}},
    Expansion{"div.full.f32", {0, 1, 0, 0, 0, 0}},
    Expansion{"div.full.ftz.f32", {0, 1, 0, 0, 0, 0}},
    Expansion{"div.approx.f32", {0, 1, 0, 0, 0, 0}},
    Expansion{"div.approx.ftz.f32", {0, 1, 0, 0, 0, 0}},
    Expansion{"rcp.rn.f32", {1, 0, 2, 0, 0, 0}},
    Expansion{"rcp.rn.ftz.f32", {1, 0, 2, 0, 0, 0}},
    Expansion{"rcp.approx.f32", {0, 2, 0, 0, 0, 0}},
    Expansion{"sqrt.rn.f32", {0, 2, 2, 0, 0, 0}},
    Expansion{"sqrt.rn.ftz.f32", {0, 2, 2, 0, 0, 0}},
    Expansion{"sin.approx.f32", {0, 1, 0, 0, 0, 0}},
    Expansion{"sin.approx.ftz.f32", {0, 1, 0, 0, 0, 0}},
    Expansion{"cos.approx.f32", {0, 1, 0, 0, 0, 0}},
    Expansion{"cos.approx.ftz.f32", {0, 1, 0, 0, 0, 0}},
    // The quotient's exponent is checked in single precision.
    Expansion{"div.rn.f64", {0, 0, 1, 0, 1, 7}},
    Expansion{"rcp.rn.f64", {0, 0, 0, 0, 0, 5}},
    Expansion{"sqrt.rn.f64", {0, 0, 0, 0, 3, 5}},
    Expansion{"rsqrt.approx.f64", {0, 0, 0, 0, 2, 3}},
};

}  // namespace

void CounterMix::add(const CounterMix& other, double times) {
  fadd += other.fadd * times;
  fmul += other.fmul * times;
  ffma += other.ffma * times;
  dadd += other.dadd * times;
  dmul += other.dmul * times;
  dfma += other.dfma * times;
}

CounterMix counter_mix_of(std::string_view opcode) {
  const auto found = std::find_if(kExpansions.begin(), kExpansions.end(),
                                  [&](const Expansion& one) { return one.opcode == opcode; });
  if (found != kExpansions.end()) return found->mix;
  const OperationShare share = share_of_ptx(opcode);
  CounterMix mix;
  switch (share.operation) {
    case Operation::f32_add: mix.fadd = share.operations; break;
    case Operation::f32_mul: mix.fmul = share.operations; break;
    case Operation::f32_fma: mix.ffma = share.operations; break;
    case Operation::f64_add: mix.dadd = share.operations; break;
    case Operation::f64_mul: mix.dmul = share.operations; break;
    case Operation::f64_fma: mix.dfma = share.operations; break;
    default: break;
  }
  return mix;
}

CounterMix counter_mix_of(const simulator::LaunchRecord& launch) {
  CounterMix mix;
  if (launch.blocks_run == 0) return mix;
  const double scale = static_cast<double>(launch.blocks) / static_cast<double>(launch.blocks_run);
  for (const auto& one : launch.instructions) {
    mix.add(counter_mix_of(one.opcode), static_cast<double>(one.lanes) * scale);
  }
  return mix;
}

}  // namespace warpmind::profilers
