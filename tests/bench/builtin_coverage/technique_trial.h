#pragma once
/// \file
/// What the techniques make of one program's kernels.

#include "base/model/task.h"
#include "tests/integration/builtin/rewrite_comparison.h"

#include <string>
#include <vector>

namespace warpmind::coverage {

struct TrialLimits {
  std::size_t moves = 2;                          ///< tried of each technique, the most promising
  std::uint64_t steps = std::uint64_t{1} << 18U;  ///< a launch of the given kernel; 0 = no runs
};

enum class Simulated {
  no,
  same,
  close,
  unfinished,  ///< it takes 40 times the steps that are given, or more
  different
};

/// One rewrite that was tried.
struct Trial {
  std::string technique;
  std::string parameters;
  bool built = false;
  int registers_before = 0;  ///< largest of the kernels that both have
  int registers_after = 0;
  bool has_new_spills = false;
  Simulated simulated = Simulated::no;
  std::string fault;  ///< why it is wrong: one line; empty when nothing is
};

struct Refusal {
  std::string technique;
  std::string reason;
};

/// One .cu file with its launch record.
struct ProgramTrial {
  std::string name;
  std::string parse_fault;   ///< of a kernel or a device function; empty: parsed cleanly
  std::size_t launches = 0;  ///< on record
  std::size_t lifted = 0;    ///< of them, a repeated sequence once
  std::string lift_fault;    ///< the first reason that a launch was left out
  std::string given_fault;   ///< why the given kernel does not build or run to its end
  std::size_t offered = 0;   ///< moves of all techniques
  std::vector<Trial> trials;
  std::vector<Refusal> refusals;
};

/// `source` and `record` are files; a record that is missing lifts nothing.
[[nodiscard]] ProgramTrial try_program(const rewrites::KernelBuilder& builder,
                                       const std::filesystem::path& source,
                                       const std::filesystem::path& record,
                                       const TrialLimits& limits);

}  // namespace warpmind::coverage
