#pragma once
/// \file
/// The command line of builtin_speed.

#include "base/result.h"
#include "config/settings.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <regex>
#include <string>
#include <vector>

namespace warpmind::speed {

struct Options {
  std::string provider = "sim";
  std::string policy = "auto";
  std::string device = "h200";
  std::int64_t evaluations = 12;
  double seconds = 600;  ///< a task: no candidate is begun later
  bool quick = false;
  std::size_t shard = 1;   ///< this one …
  std::size_t shards = 1;  ///< … of so many
  std::optional<std::regex> only;
  std::filesystem::path records;  ///< folder of NAME.cu and NAME.record
  std::filesystem::path json;
  std::filesystem::path write;         ///< write the tasks there instead of running them
  std::vector<std::string> overrides;  ///< of settings: "lab.device=1"
  std::vector<std::filesystem::path> tasks;
};

/// Errors: invalid_argument with the usage.
[[nodiscard]] Result<Options> read_options(int count, char** words);

/// Settings of this machine; with --quick those of a short judging: as many seeds, processes and
/// quads as the rules ask for at least, no hardware counters, no simulation before the GPU.
[[nodiscard]] Result<config::Settings> read_settings(const Options& options);

}  // namespace warpmind::speed
