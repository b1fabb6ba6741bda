#pragma once
/// \file
/// What the counters of a GPU would show: floating-point instructions of the machine, which makes
/// several of one division or root.

#include "profilers/flops/operation.h"
#include "profilers/simulator/profile/launch_record.h"

#include <string_view>

namespace warpmind::profilers {

/// Thread instructions, guards considered: smsp__sass_thread_inst_executed_op_…_pred_on. Sums are
/// below 2^53.
struct CounterMix {
  double fadd = 0;
  double fmul = 0;
  double ffma = 0;
  double dadd = 0;
  double dmul = 0;
  double dfma = 0;

  /// ptxas makes one FFMA of an FADD and an FMUL where rounding allows it: flops are comparable,
  /// the members above only as far as it did not.
  [[nodiscard]] double f32_flops() const { return fadd + fmul + 2 * ffma; }
  [[nodiscard]] double f64_flops() const { return dadd + dmul + 2 * dfma; }
  void add(const CounterMix& other, double times);
  bool operator==(const CounterMix&) const = default;
};

/// One PTX instruction for one lane, on its main path: operands that are neither denormal nor
/// infinite, and slow paths behind a CALL not taken. Half precision, matrix instructions and
/// atomics are not in these counters.
[[nodiscard]] CounterMix counter_mix_of(std::string_view opcode);

/// Of what the simulator executed; scaled where not every block ran.
[[nodiscard]] CounterMix counter_mix_of(const simulator::LaunchRecord& launch);

}  // namespace warpmind::profilers
