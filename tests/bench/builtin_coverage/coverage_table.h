#pragma once
/// \file
/// Counts over all programs, as tables on standard output.

#include "tests/bench/builtin_coverage/technique_trial.h"

#include <vector>

namespace warpmind::coverage {

/// A line a program, as it becomes known.
void print_program(const ProgramTrial& program);
/// A line a technique, the faults, then RESULT. The number of rewrites that do not build or differ.
[[nodiscard]] int print_summary(const std::vector<ProgramTrial>& programs);

}  // namespace warpmind::coverage
