#pragma once
/// \file
/// The command line as values. CLI11 parses it; precedence of settings is config/'s business.

#include "base/result.h"
#include "clients/cli/knowledge_options.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace warpmind::clients {

/// Flags that every command takes, before or after its name.
struct GlobalOptions {
  std::string socket;                    ///< empty = setting daemon.socket
  std::string config;                    ///< empty = the default file
  std::vector<std::string> assignments;  ///< `name=value`, in order
  bool no_start = false;                 ///< never start a daemon
  bool json = false;
};

struct OptimizeOptions {
  std::string directory;
  std::optional<std::int64_t> evaluations;
  std::optional<double> seconds;
  std::string provider;  ///< empty = setting lab.provider
  std::string proposer;
  std::string replay_file;
  std::string fixture_directory;
  std::string device;
  std::string output_file;
  bool detach = false;
};
struct StatusOptions {};
struct ResultOptions {
  std::string job;
  std::string output_file;
};
struct CancelOptions {
  std::string job;
};
struct ValidateOptions {
  std::string directory;
};
struct DoctorOptions {};
struct ConfigShowOptions {
  bool origin = false;
};
struct DaemonStartOptions {};
struct DaemonStopOptions {
  bool finish = false;
};
struct DaemonStatusOptions {};

using CommandOptions =
    std::variant<OptimizeOptions, StatusOptions, ResultOptions, CancelOptions, ValidateOptions,
                 KnowledgeOptions, DoctorOptions, ConfigShowOptions, DaemonStartOptions,
                 DaemonStopOptions, DaemonStatusOptions>;

struct Invocation {
  GlobalOptions globals;
  CommandOptions command;
};

/// `--help` or `--version`: text for standard output, and nothing else to do.
struct HelpText {
  std::string text;
};

/// Errors: invalid_argument with one sentence that names the flag and where to read more.
[[nodiscard]] Result<std::variant<Invocation, HelpText>> parse_command_line(
    int argc, const char* const* argv);

/// "7" and "j-0000000007" name the same job. Errors: invalid_argument.
[[nodiscard]] Result<std::string> full_job_id(std::string_view text);

/// True when `--json` is among the words: errors of the parse itself honour it too.
[[nodiscard]] bool wants_json(int argc, const char* const* argv);

}  // namespace warpmind::clients
