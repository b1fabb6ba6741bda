#pragma once
/// \file
/// Workers as an array job of Slurm: the words that sbatch is called with, and the script it gets.

#include "base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warpmind::clients {

struct SlurmJob {
  std::int64_t workers = 1;
  bool wants_gpu = true;
  std::vector<std::string> worker;   ///< words of the command that each task becomes
  std::vector<std::string> options;  ///< for sbatch, as they are: "--partition=gpu"
};

/// A shell script that becomes the worker. Slurm ends it with SIGTERM, and the worker gives its
/// evaluation back.
[[nodiscard]] std::string slurm_script(const SlurmJob& job);
/// Without the name of sbatch itself.
[[nodiscard]] std::vector<std::string> slurm_words(const SlurmJob& job, const std::string& script);
/// Of what `sbatch --parsable` printed: "17" or "17;cluster". Errors: corrupt_data.
[[nodiscard]] Result<std::string> slurm_job_id(const std::string& output);

}  // namespace warpmind::clients
