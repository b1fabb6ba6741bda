#pragma once
/// \file
/// The command line of warpmind-bench as values.

#include "agents/benchmark/experiment.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

namespace warpmind::agents::benchmark {

struct BenchOptions : ExperimentTerms {
  std::string provider = "table";  ///< table, sim or gpu
  std::filesystem::path table;     ///< to replay
  std::filesystem::path record;    ///< to record into; empty = a file that is thrown away
  bool record_only = false;
  std::vector<std::string> tasks;  ///< task folders, or folders of them
  std::string device;              ///< of the simulator; empty = setting lab.target
  std::int64_t kernels_per_task = 60;
  double seconds = 600;

  std::int64_t samples = 10'000;  ///< of the bootstrap
  std::vector<std::string> arms;  ///< empty = all
  std::string arm;                ///< of the RESULT line; empty = the product's
  std::filesystem::path svg;
  bool json = false;

  std::string config;                    ///< configuration file; empty = the default one
  std::vector<std::string> assignments;  ///< `name=value`, in order
};

/// `--help` or `--version`.
struct BenchHelp {
  std::string text;
};

/// Errors: invalid_argument with one sentence.
[[nodiscard]] Result<std::variant<BenchOptions, BenchHelp>> parse_bench_options(
    int argc, const char* const* argv);

}  // namespace warpmind::agents::benchmark
