#pragma once
/// \file
/// What the comparison refuses and what it lets pass: mutants, honest kernels, calibration.

#include "tests/numerics/family.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace warpmind::numerics {

/// A mutant counts when it changes a byte in any case of a judging (all small workloads, all
/// distributions), and is killed when any case is refused. Beyond 4x: an element is off by more
/// than four of its tolerances.
struct MutationRow {
  std::string family;
  std::int64_t mutants = 0;
  std::int64_t killed = 0;
  std::int64_t beyond4x = 0;
  std::int64_t beyond4x_killed = 0;
  std::vector<std::string> survivors;
};
[[nodiscard]] MutationRow run_mutants(const Family& family, std::uint64_t seed);

/// Every order of summation on `seeds` draws, judged with the error of a baseline from other draws.
struct HonestRow {
  std::string family;
  std::int64_t kernels = 0;
  std::int64_t rejected = 0;
  double worst_ratio = 0;
  double worst_relative_l2 = 0;
  double worst_ulp = 0;
  std::vector<std::string> complaints;
};
[[nodiscard]] HonestRow run_honest(const Family& family, std::int64_t seeds);

/// Both above 1: what cheats is refused, what is honest is not; how far from either.
struct CalibrationRow {
  std::string family;
  std::string dtype;
  std::string tolerance;
  double cheat_ratio = 0;  ///< smallest error of a cheat / tolerance
  std::string cheat;
  double honest_ratio = 0;  ///< tolerance / largest error of an honest order; capped at 1e6
  std::string order;
};
/// For families with a tolerance: not for class exact. Honest errors are counted without the half
/// unit that any kernel loses when it rounds its output.
[[nodiscard]] CalibrationRow calibrate(const Family& family, std::int64_t seeds);

void print(std::ostream& out, const std::vector<MutationRow>& rows);
void print(std::ostream& out, const std::vector<HonestRow>& rows);
void print(std::ostream& out, const std::vector<CalibrationRow>& rows);

}  // namespace warpmind::numerics
