#pragma once
/// \file
/// Fills an evaluation table: judges what the proposer's moves lead to, the most promising first.

#include "agents/benchmark/evaluation_table.h"
#include "agents/proposer.h"
#include "base/clock.h"
#include "config/device_table.h"
#include "profilers/kernel_lab.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace warpmind::agents::benchmark {

struct RecordingLimits {
  std::int64_t kernels_per_task = 60;  ///< the given one not counted
  double seconds = 600;                ///< in all; a task gets its share of what is left
};

/// The references must outlive the call.
struct RecordingParts {
  profilers::KernelLab& lab;
  Proposer& proposer;
  const config::DeviceTable& devices;
  const Clock& clock;
  std::function<void(const std::string&)> report = {};  ///< one line a judged kernel
};

/// Records into `file`, which is made or gone on with: what it holds is not judged again. Expands
/// whole kernels, all moves of one, and always the fastest one that was not: a kernel on a good
/// path has all its alternatives in the table, and paths go deep where they pay. Errors: as the
/// lab; unavailable when the machine would not let us measure; conflict when the file is of another
/// provider or device; cancelled is no error: the table so far is the answer.
[[nodiscard]] Result<EvaluationTable> record_table(const RecordingParts& parts,
                                                   const std::vector<Task>& tasks,
                                                   const RecordingLimits& limits,
                                                   const std::filesystem::path& file,
                                                   const std::stop_token& stop = {});

}  // namespace warpmind::agents::benchmark
