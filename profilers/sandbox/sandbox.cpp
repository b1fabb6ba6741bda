#include "profilers/sandbox/sandbox.h"

#include "profilers/process/child_process.h"
#include "profilers/sandbox/mounts.h"

#include <chrono>
#include <cstdlib>
#include <unistd.h>
#include <utility>

namespace warpmind::profilers {
namespace fs = std::filesystem;
namespace {

constexpr auto kTrialTime = std::chrono::seconds(20);  // takes 10 ms on an idle machine

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::vector<std::string> environment_of(const SandboxedCommand& command, bool sandboxed) {
  const std::string temporary = sandboxed ? "/tmp" : command.job_directory.string();
  std::vector<std::string> environment{"PATH=/usr/bin:/bin", "HOME=" + temporary,
                                       "TMPDIR=" + temporary, "LANG=C"};
  for (const auto& variable : command.environment) {
    if (variable.starts_with("PATH=")) {
      environment.front() = variable;
    } else {
      environment.push_back(variable);
    }
  }
  return environment;
}

Result<ProcessOutcome> run_plain(std::vector<std::string> command,
                                 std::vector<UniqueFd> inherited) {
  ProcessOrder order;
  order.command = std::move(command);
  order.environment = {"PATH=/usr/bin:/bin", "LANG=C"};
  order.inherited = std::move(inherited);
  RunLimits limits;
  limits.deadline = std::chrono::steady_clock::now() + kTrialTime;
  return run_process(std::move(order), limits, {});
}

/// Runs `true` as a compiler would be run. The outcome's text says what is missing.
Result<ProcessOutcome> run_trial(const fs::path& bubblewrap, bool recent) {
  BubblewrapArguments arguments{bubblewrap.string()};
  add_isolation(arguments, recent);
  add_system(arguments, recent);
  arguments.insert(arguments.end(), {"--seccomp", "4", "--", "/usr/bin/true"});
  WARPMIND_TRY(auto filter, make_seccomp_filter(NewProcesses::refused));
  std::vector<UniqueFd> inherited;
  inherited.push_back(std::move(filter));
  return run_plain(std::move(arguments), std::move(inherited));
}

std::string remedy_for(const std::string& refusal) {
  if (refusal.find("seccomp") != std::string::npos) {
    return "this kernel has no seccomp filters; use one with CONFIG_SECCOMP_FILTER";
  }
  return "allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1, "
         "user.max_user_namespaces > 0, and on Ubuntu an AppArmor profile for bwrap), or set "
         "lab.unsafe_no_sandbox to run candidates unprotected";
}

}  // namespace

fs::path find_program(std::string_view name, std::string_view search_path) {
  while (!search_path.empty()) {
    const std::size_t colon = search_path.find(':');
    fs::path candidate = fs::path(search_path.substr(0, colon)) / name;
    search_path = colon == std::string_view::npos ? "" : search_path.substr(colon + 1);
    std::error_code ec;
    if (candidate.is_absolute() && fs::is_regular_file(candidate, ec) &&
        ::access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
  }
  return {};
}

Result<Sandbox> Sandbox::create(const config::LabSettings& settings) {
  if (settings.unsafe_no_sandbox) return Sandbox({}, false, "off (lab.unsafe_no_sandbox)");
  const char* search_path = std::getenv("PATH");
  const fs::path bubblewrap =
      !settings.bubblewrap.empty()
          ? settings.bubblewrap
          : find_program("bwrap", search_path == nullptr ? "/usr/bin:/bin" : search_path);
  std::error_code ec;
  if (bubblewrap.empty() || !fs::is_regular_file(bubblewrap, ec)) {
    return fail(Errc::unavailable,
                (bubblewrap.empty() ? std::string("bubblewrap (bwrap) is not on PATH")
                                    : "bubblewrap is not at " + bubblewrap.string()) +
                    ": install it (apt-get install bubblewrap), or set lab.unsafe_no_sandbox to "
                    "run candidates unprotected");
  }
  const fs::path program = fs::absolute(bubblewrap, ec);
  WARPMIND_TRY(const auto version, run_plain({program.string(), "--version"}, {}));
  // Old versions cannot switch off nested namespaces, nor can any where /proc/sys is read-only.
  WARPMIND_TRY(const auto strict, run_trial(program, true));
  if (strict.end.success()) return Sandbox(program, true, first_line(version.output));
  WARPMIND_TRY(const auto plain, run_trial(program, false));
  if (plain.end.success()) return Sandbox(program, false, first_line(version.output));
  return fail(Errc::unavailable, "the sandbox does not start: " + first_line(plain.diagnostics) +
                                     " (" + describe(plain.end) + "); " +
                                     remedy_for(plain.diagnostics));
}

Result<ProcessOrder> Sandbox::wrap(SandboxRole role, SandboxedCommand command) const {
  ProcessOrder order;
  order.limits = command.limits;
  order.environment = environment_of(command, enabled());
  if (!enabled()) {
    order.command = std::move(command.command);
    order.working_directory = command.job_directory;
    return order;
  }
  const bool runner = role == SandboxRole::runner;
  WARPMIND_TRY(auto filter,
               make_seccomp_filter(runner ? NewProcesses::refused : NewProcesses::allowed));
  order.inherited.push_back(std::move(filter));

  BubblewrapArguments arguments{bubblewrap_.string()};
  add_isolation(arguments, recent_);
  add_system(arguments, recent_);
  if (runner) add_devices(arguments);
  for (const auto& path : command.read_only) add_extra(arguments, path);
  const auto bind = [&](const char* how, const fs::path& path) {
    arguments.insert(arguments.end(),
                     {how, path.string(), inside(command.job_directory, path).string()});
  };
  bind(runner ? "--ro-bind" : "--bind", command.job_directory);
  for (const auto& path : command.writable) bind("--bind", path);
  for (const auto& variable : order.environment) {
    const std::size_t equals = variable.find('=');
    arguments.insert(arguments.end(),
                     {"--setenv", variable.substr(0, equals), variable.substr(equals + 1)});
  }
  arguments.insert(arguments.end(), {"--chdir", kJobMount, "--seccomp", "4", "--"});
  arguments.insert(arguments.end(), command.command.begin(), command.command.end());
  order.command = std::move(arguments);
  order.environment = {"PATH=/usr/bin:/bin"};
  return order;
}

fs::path Sandbox::inside(const fs::path& job_directory, const fs::path& path) const {
  if (!enabled()) return path;
  const fs::path below = path.lexically_relative(job_directory);
  return below == "." ? fs::path(kJobMount) : fs::path(kJobMount) / below;
}

}  // namespace warpmind::profilers
