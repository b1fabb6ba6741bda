#pragma once
/// \file
/// The command line as values. CLI11 parses it; precedence of settings is config/'s business.

#include "base/model/program_task.h"
#include "base/result.h"
#include "clients/cli/grammar_description.h"
#include "clients/cli/knowledge_options.h"
#include "clients/cli/queue_options.h"
#include "clients/cli/skill_options.h"
#include "clients/cli/task_options.h"
#include "daemon/protocol/guest_messages.h"
#include "daemon/protocol/messages.h"
#include "daemon/protocol/record_messages.h"

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

struct OptimizeOptions : daemon::protocol::JobOptions {
  std::string directory;
  std::string output_file;
  bool detach = false;
  bool verbose = false;
  std::string run;                      ///< of a program: `directory` is a CUDA file then
  std::string build;                    ///< empty = nvcc with our flags
  std::optional<double> run_seconds;    ///< most time of one run, s
  std::string work;                     ///< folder that is kept; empty = FILE.warpmind
  bool no_recorded_inputs = false;      ///< contents of a program's buffers are not kept
  bool assume_shapes = false;           ///< no guards
  std::vector<std::string> host_edits;  ///< "all", or names
  bool as_user = false;                 ///< a program task may be built and run by the client
  std::optional<ProgramPassRule> pass;  ///< of a program task; else the output must be the same
};
struct StatusOptions {};
struct WhyOptions {
  std::string episode;
  std::optional<std::int64_t> step;
  bool profile = false;                 ///< launch by launch; a step without a profile gets one
  bool metrics = false;                 ///< with `profile`: all of them
  std::optional<std::int64_t> against;  ///< with `profile`: step to hold it against
};
/// `export trajectories` and `export concur`; `export kb` is `kb export`.
struct ExportDataOptions : daemon::protocol::ExportWriteParams {};
struct ExportVerifyOptions {
  std::string file;
};
struct ResultOptions {
  std::string job;
  std::string output_file;
  bool verbose = false;
};
struct CancelOptions {
  std::string job;
};
struct AttachOptions {
  std::string job;
  std::string output_file;
  bool verbose = false;
};
struct WaitOptions {
  std::vector<std::string> jobs;
  bool all = false;               ///< those that wait or run now
  std::optional<double> timeout;  ///< s; absent = none
};
struct ValidateOptions {
  std::string directory;
};
/// `explain-moves`: a task folder or one CUDA file.
struct ExplainMovesOptions {
  std::string path;
  std::string technique;
  std::string parameters;
  std::string device;
  bool diff = false;
};
/// `flops`: a task folder, or a file of code.
struct FlopsOptions {
  std::string path;
  std::string task;
  std::string workload;
  std::string device;
  std::string run;    ///< a program: its launches are counted
  std::string build;  ///< how it is built; "" = nvcc
};
/// `baseline`: the best library call for a task.
struct BaselineOptions {
  std::string directory;
  bool again = false;
};
/// `lsp`: the daemon as a language server on standard input and output.
struct LspOptions {};
/// `mcp`: the daemon as an MCP server on standard input and output.
struct McpOptions {
  bool print_http = false;  ///< instead of serving, say where HTTP is
};
struct McpInstallOptions {
  std::string client;
  bool write = false;
};
/// `dashboard`: an address for a browser.
struct DashboardOptions {
  bool open = false;  ///< start the browser, too
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
struct DaemonLogLevelOptions {
  std::string level;  ///< empty = say what holds
  std::string component;
};
struct DaemonUnitsOptions {
  bool write = false;
  std::string directory;  ///< empty = the user's systemd folder
};
/// `episode …`: candidates come from outside.
struct EpisodeOpenOptions : daemon::protocol::EpisodeOpenParams {
  std::string into;  ///< folder for kernel, plan and brief; empty = none is written
};
struct EpisodeBriefOptions {
  std::string job;
};
/// The parameters, with what is still to be read; `job_id` is as typed.
struct EpisodeSubmitOptions : daemon::protocol::EpisodeSubmitParams {
  std::string file;  ///< "-" = standard input; empty = the source stays
  std::string plan_file;
  std::vector<std::string> flags;  ///< `build_flags`, where any are given
};
struct EpisodeCloseOptions {
  std::string job;
  std::string reason;
};
struct WorkerOptions {
  std::string nats;                 ///< address; empty = setting queue.nats
  std::string architecture;         ///< "sm_90", "sim"; empty = setting queue.serve
  std::string token_file;           ///< empty = setting queue.nats_token_file
  std::int64_t slurm = 0;           ///< workers to start as an array job; 0 = be one here
  std::vector<std::string> sbatch;  ///< options for sbatch
};

struct BenchOptions {
  std::vector<std::string> words;  ///< for warpmind-bench, as they were given
};

using CommandOptions =
    std::variant<OptimizeOptions, StatusOptions, ResultOptions, CancelOptions, AttachOptions,
                 WaitOptions, ValidateOptions, KnowledgeOptions, DoctorOptions, ConfigShowOptions,
                 DaemonStartOptions, DaemonStopOptions, DaemonStatusOptions, DaemonLogLevelOptions,
                 DaemonUnitsOptions, WhyOptions, ExportDataOptions, ExportVerifyOptions,
                 BenchOptions, EpisodeOpenOptions, EpisodeBriefOptions, EpisodeSubmitOptions,
                 EpisodeCloseOptions, ExplainMovesOptions, FlopsOptions, BaselineOptions,
                 TaskOptions, LspOptions, McpOptions, McpInstallOptions, SkillOptions, QueueOptions,
                 DashboardOptions, WorkerOptions>;

struct Invocation {
  GlobalOptions globals;
  CommandOptions command;
};

/// `--help`, `--version`, `completion`: text for standard output, and nothing else to do.
struct HelpText {
  std::string text;
};

/// Errors: invalid_argument with one sentence that names the flag and where to read more.
[[nodiscard]] Result<std::variant<Invocation, HelpText>> parse_command_line(
    int argc, const char* const* argv);

/// Every command and flag: what help, completion and the manual page are made of.
[[nodiscard]] CommandDescription describe_command_line();

/// "7" and "j-0000000007" name the same job. Errors: invalid_argument.
[[nodiscard]] Result<std::string> full_job_id(std::string_view text);

/// True when `--json` is among the words: errors of the parse itself honour it too.
[[nodiscard]] bool wants_json(int argc, const char* const* argv);

}  // namespace warpmind::clients
