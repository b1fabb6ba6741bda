#include "clients/cli/program_run/user_program.h"

#include "base/compiler_complaint.h"
#include "base/environment.h"
#include "base/text.h"
#include "clients/cli/report/text.h"
#include "config/device_table.h"
#include "config/installation.h"
#include "config/toolkit_search.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unistd.h>

namespace warpmind::clients {
namespace {

constexpr std::chrono::minutes kBuildLimit{10};
/// Of runs that only tell more about others.
constexpr std::chrono::milliseconds kControlLimit{60'000};

/// WSL has its own node in the place of the driver's.
bool has_gpu() { return ::access("/dev/nvidiactl", F_OK) == 0 || ::access("/dev/dxg", F_OK) == 0; }

/// nvcc and what its toolkit's layout asks for. What is missing matters only to who builds with it.
Result<void> add_toolkit(const config::Settings& settings, ProgramRuntime& runtime) {
  const auto search = config::toolkit_search(settings.toolchain);
  const auto toolkit = config::choose_toolkit(config::find_toolkits(search), search);
  if (!toolkit) {
    runtime.nvcc_problem = toolkit.error().message;
    return {};
  }
  WARPMIND_TRY(const auto use, config::use_toolkit(*toolkit, settings.toolchain.cache_directory));
  runtime.nvcc = toolkit->nvcc.string();
  runtime.runtime_name = toolkit->runtime;
  runtime.runtime_folder = toolkit->libraries;
  for (const auto& flag : use.flags) {
    runtime.nvcc_flags += " " + shell_word(flag);
    runtime.nvcc_prepended += (runtime.nvcc_prepended.empty() ? "" : " ") + flag;
  }
  // Behind what is on PATH: a build command keeps the compilers that it had.
  const std::string bin = toolkit->nvcc.parent_path().string();
  runtime.build_environment = {"PATH=" + environment_variable("PATH") + ":" + bin};
  if (environment_variable("CUDA_HOME").empty()) {
    runtime.build_environment.push_back("CUDA_HOME=" + toolkit->root.string());
  }
  if (toolkit->place != "PATH" && !runtime.nvcc_prepended.empty() &&
      environment_variable("NVCC_PREPEND_FLAGS").empty()) {
    runtime.build_environment.push_back("NVCC_PREPEND_FLAGS=" + runtime.nvcc_prepended);
  }
  return {};
}

std::string last_line(const std::string& text) {
  std::string last;
  for (const auto line : split_lines(text)) {
    if (!line.empty()) last = clip(clean_line(line), 200);
  }
  return last;
}

Result<std::string> compute_flags(const std::string& key) {
  WARPMIND_TRY(const DeviceSpec device, config::device_table().need(key));
  const std::string capability =
      std::to_string(device.compute_major) + std::to_string(device.compute_minor);
  return "-gencode arch=compute_" + capability + ",code=compute_" + capability;
}

}  // namespace

Result<ProgramRuntime> program_runtime(const config::Settings& settings, bool simulated,
                                       const std::string& device) {
  ProgramRuntime runtime;
  runtime.is_simulated = simulated || !has_gpu();
  WARPMIND_CHECK(add_toolkit(settings, runtime));
  if (!runtime.is_simulated) {
    runtime.target = "-arch=native";
    WARPMIND_TRY(runtime.library, config::find_recorder());
    return runtime;
  }
  runtime.device = device.empty() ? settings.lab.target : device;
  WARPMIND_TRY(runtime.target, compute_flags(runtime.device));
  WARPMIND_TRY(runtime.library, config::find_simulator(settings.lab, runtime.runtime_name));
  return runtime;
}

bool UserProgram::can_build_others() const {
  return commands_.build.empty() || (commands_.build.find("{source}") != std::string::npos &&
                                     commands_.build.find("{program}") != std::string::npos);
}

Result<void> UserProgram::build(const std::filesystem::path& source) const {
  if (commands_.build.empty() && runtime_.nvcc.empty()) {
    return fail(Errc::unavailable, runtime_.nvcc_problem + ", or say how to build with --build");
  }
  const std::string usual = shell_word(runtime_.nvcc) + runtime_.nvcc_flags +
                            " -std=c++17 -O3 -lineinfo -cudart shared " + runtime_.target + " -I " +
                            shell_word(origin_.string()) + " {source} -o {program}";
  std::string command = commands_.build.empty() ? usual : commands_.build;
  command = replace_text(command, "{source}", shell_word(source.string()));
  command = replace_text(command, "{program}", shell_word(program().string()));
  auto end = run_shell(command, runtime_.build_environment, {kBuildLimit}, interrupt_);
  if (!end) return fail(std::move(end).error().while_doing("building the program"));
  if (end->exit_code == 0) return {};
  return fail(
      Errc::invalid_argument,
      "the program does not build: " + clean_line(first_complaint(end->errors + end->output)) +
          (commands_.build.empty() ? "; --build says how to build it otherwise" : ""));
}

std::string UserProgram::run_command() const {
  const std::string path = shell_word(program().string());
  if (commands_.run.find("{program}") != std::string::npos) {
    return replace_text(commands_.run, "{program}", path);
  }
  const bool is_ours =
      commands_.build.empty() || commands_.build.find("{program}") != std::string::npos;
  if (!is_ours) return commands_.run;
  const auto begin = std::min(commands_.run.find_first_not_of(' '), commands_.run.size());
  const auto end = std::min(commands_.run.find(' ', begin), commands_.run.size());
  return path + commands_.run.substr(end);
}

std::vector<std::string> UserProgram::environment_of(const std::filesystem::path& record,
                                                     RunKind kind) const {
  std::vector<std::string> environment;
  const bool is_recorded = kind == RunKind::recorded || kind == RunKind::with_checks;
  const std::string contents = is_recorded && commands_.keeps_contents ? "on" : "off";
  if (runtime_.is_simulated) {
    environment = {
        "LD_LIBRARY_PATH=" + runtime_.library.string(), "CUDASIM_DEVICE=" + runtime_.device,
        "CUDASIM_TRACE=" + record.string(), "CUDASIM_CONTENTS=" + contents,
        std::string("CUDASIM_CHECKS=") + (kind == RunKind::with_checks ? "all" : "none"),
        std::string("CUDASIM_NULL_KERNELS=") + (kind == RunKind::without_kernels ? "on" : "off"),
        // Predicted times repeat themselves, those of a device do not.
        std::string("CUDASIM_TIME_SCALE=") + (kind == RunKind::again ? "1.618" : "1")};
  } else {
    environment = {"LD_PRELOAD=" + runtime_.library.string(), "CUDARECORD_FILE=" + record.string(),
                   "CUDARECORD_CONTENTS=" + contents,
                   std::string("CUDARECORD_NULL_KERNELS=") +
                       (kind == RunKind::without_kernels ? "on" : "off")};
    if (!runtime_.runtime_folder.empty()) {  // last: only what the loader finds nowhere else
      const std::string folders = environment_variable("LD_LIBRARY_PATH");
      environment.push_back("LD_LIBRARY_PATH=" + folders + (folders.empty() ? "" : ":") +
                            runtime_.runtime_folder.string());
    }
  }
  return environment;
}

Result<ShellEnd> UserProgram::run(const std::filesystem::path& record, RunKind kind) const {
  std::error_code ec;
  std::filesystem::remove(record, ec);
  std::filesystem::remove_all(record.string() + ".contents", ec);
  const bool is_control = kind == RunKind::with_checks || kind == RunKind::without_kernels;
  const auto limit = is_control ? std::min(commands_.limit, kControlLimit) : commands_.limit;
  auto end = run_shell(run_command(), environment_of(record, kind), {limit}, interrupt_);
  if (!end) {
    Error error = std::move(end).error();
    if (error.code == Errc::timeout && !is_control) {
      error = {Errc::invalid_argument,
               "the program did not end within " + std::to_string(commands_.limit.count() / 1000) +
                   " s; give it less work, or more time with --run-seconds"};
    } else if (error.code == Errc::corrupt_data) {
      error = {Errc::invalid_argument, "the program was stopped: " + error.message};
    }
    return fail(std::move(error));
  }
  if (end->exit_code == 0) return end;
  const std::string said = last_line(end->errors);
  return fail(Errc::invalid_argument,
              (end->exit_code > 128
                   ? "the program died of signal " + std::to_string(end->exit_code - 128)
                   : "the program ended with exit code " + std::to_string(end->exit_code)) +
                  (said.empty() ? "" : ": " + said));
}

}  // namespace warpmind::clients
