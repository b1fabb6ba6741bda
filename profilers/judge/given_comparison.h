#pragma once
/// \file
/// Judges a case by the given kernel, where the task has no reference (decision 0019).

#include "base/model/task.h"
#include "base/model/verdict.h"
#include "base/result.h"
#include "profilers/job/judge_job.h"
#include "profilers/judge/input_generator.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::profilers {

/// A case that the candidate and the given kernel have run, each in a process of its own.
struct GivenCase {
  const Task& task;
  const Sizes& sizes;
  const PreparedCase& prepared;
  std::filesystem::path directory;  ///< of the candidate's runner
  std::filesystem::path expected;   ///< of the given kernel's runner
  bool partial = false;             ///< only some of the candidate's blocks ran
  Probe probe = Probe::none;
  /// The given kernel's perturbed runs, whose files lie beside its outputs; empty = none ran.
  std::vector<PerturbedRun> perturbed = {};
};

/// What the given kernel made of an output.
struct OutputTrace {
  std::size_t hash = 0;  ///< of its bytes
  bool is_written = false;
};

struct GivenComparison {
  Correctness correctness;
  std::map<std::string, OutputTrace> expected;  ///< by argument
  std::string worst_output;
  /// More of an output than kMostIllConditioned is moved by rounding alone, and nothing is off by
  /// more than that: neither right nor wrong.
  bool is_silent = false;
};

/// Share of an output's elements that may be ill-conditioned in a case that says something.
inline constexpr double kMostIllConditioned = 1.0 / 32;

/// `itself`: the candidate is the given kernel, which must compute the same bytes again unless the
/// contract allows it not to. With perturbed runs its repetitions must be as near to its first run
/// as any other kernel. Errors: the given kernel left no file of the right size.
[[nodiscard]] Result<GivenComparison> compare_with_given(const GivenCase& one, bool itself);

/// Why the given kernel's outputs cannot tell right from wrong: there are none, one is never
/// written, or one is the same for all inputs. One clause, or nullopt. Of a single case only the
/// first is known.
[[nodiscard]] std::optional<std::string> find_degenerate(const std::vector<GivenComparison>& cases);

}  // namespace warpmind::profilers
