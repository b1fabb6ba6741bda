#include "profilers/sandbox/sandbox.h"

#include "base/container.h"
#include "base/text.h"
#include "profilers/process/child_process.h"
#include "profilers/process/owner_mark.h"
#include "profilers/sandbox/mounts.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace warpmind::profilers {
namespace fs = std::filesystem;
namespace {

constexpr auto kTrialTime = std::chrono::seconds(20);  // takes 10 ms on an idle machine
constexpr std::uint64_t kOpenFiles = 4096;
constexpr const char* kLimiter = "/usr/bin/prlimit";  // of util-linux, mounted with /usr

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
  order.environment = {"PATH=/usr/bin:/bin", "LANG=C", owner_mark()};
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
  add_seal(arguments);
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
  if (!container_sign().empty()) {
    return "allow unprivileged user namespaces in this container (docker run --security-opt "
           "seccomp=unconfined "
           "--security-opt apparmor=unconfined --security-opt systempaths=unconfined), or set "
           "lab.unsafe_no_sandbox=true to run candidates unprotected";
  }
  return "allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1, "
         "user.max_user_namespaces > 0, and on Ubuntu an AppArmor profile for bwrap), or set "
         "lab.unsafe_no_sandbox=true to run candidates unprotected";
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
  end_orphans();
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
                    ": install it (apt-get install bubblewrap), or set lab.unsafe_no_sandbox=true "
                    "to run candidates unprotected");
  }
  const fs::path program = fs::absolute(bubblewrap, ec);
  WARPMIND_TRY(const auto version, run_plain({program.string(), "--version"}, {}));
  // Old versions cannot switch off nested namespaces, nor can any where /proc/sys is read-only.
  WARPMIND_TRY(const auto strict, run_trial(program, true));
  if (!strict.end.success()) {
    WARPMIND_TRY(const auto plain, run_trial(program, false));
    if (!plain.end.success()) {
      return fail(Errc::unavailable, "the sandbox does not start (" +
                                         first_line(plain.diagnostics) +
                                         "): " + remedy_for(plain.diagnostics));
    }
  }
  Sandbox sandbox(program, strict.end.success(), first_line(version.output));
  sandbox.groups_ = ControlGroups::probe();
  // Root's processes are never counted, not even as uid 65534 of a namespace that root made.
  const bool counted = ::getuid() != 0 && fs::is_regular_file(kLimiter, ec);
  if (counted && !sandbox.groups_.bounds_processes()) sandbox.limiter_ = kLimiter;
  return sandbox;
}

SandboxLayer Sandbox::process_layer() const {
  const std::string most = "at most " + std::to_string(kMostProcesses) + ", ";
  if (groups_.bounds_processes()) return {"processes", true, most + groups_.describe("pids")};
  if (!limiter_.empty()) return {"processes", true, most + "RLIMIT_NPROC of the namespace"};
  return {"processes", false, groups_.describe("pids") + "; the deadline ends a fork bomb"};
}

SandboxLayers Sandbox::layers() const {
  if (!enabled()) return {};
  const std::string mib = std::to_string(kTemporaryBytes >> 20U) + " MiB";
  return {
      {{"mounts", true, "an allow-list; all but the job's own folders read-only"},
       {"namespaces", true, "user, mount, pid, net, ipc, uts, cgroup"},
       {"identity", true, "uid 65534, no capabilities, no new privileges"},
       {"nested namespaces", recent_,
        recent_ ? "switched off"
                : "only seccomp refuses them: bubblewrap before 0.8, or /proc/sys is read-only"},
       {"seccomp", true, "sockets but AF_UNIX, ptrace, io_uring, bpf, perf, keys, mounts"},
       {"memory", groups_.bounds_memory(), groups_.describe("memory")},
       process_layer(),
       {"temporary space", recent_, recent_ ? mib : "this bubblewrap cannot bound a tmpfs"},
       {"deadline", true, "SIGKILL to the first process of the pid namespace"}}};
}

Result<void> Sandbox::equip(const SandboxedCommand& command, UniqueFd filter,
                            ProcessOrder& order) const {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return fail(Errc::external_failure, std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  order.namespace_report = UniqueFd(ends[0]);
  order.inherited.push_back(std::move(filter));  // 4
  order.inherited.emplace_back(ends[1]);         // 5
  if (!order.limits.open_files) order.limits.open_files = kOpenFiles;
  GroupLimits limits;
  limits.memory_bytes = command.memory_bytes.value_or(most_memory_bytes());
  limits.processes = kMostProcesses;
  WARPMIND_TRY(order.group, groups_.make(limits));
  return {};
}

Result<ProcessOrder> Sandbox::wrap(SandboxRole role, SandboxedCommand command) const {
  ProcessOrder order;
  order.limits = command.limits;
  order.kill_grace = command.kill_grace;
  order.environment = environment_of(command, enabled());
  if (!enabled()) {
    order.command = std::move(command.command);
    order.working_directory = command.job_directory;
    return order;
  }
  const bool checked = role == SandboxRole::checked_runner;
  const bool runner = role == SandboxRole::runner || checked;
  WARPMIND_TRY(auto filter, make_seccomp_filter(role == SandboxRole::runner ? NewProcesses::refused
                                                                            : NewProcesses::allowed,
                                                checked ? Sockets::loopback : Sockets::local));
  WARPMIND_CHECK(equip(command, std::move(filter), order));

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
  add_seal(arguments);
  arguments.insert(arguments.end(),
                   {"--chdir", kJobMount, "--info-fd", "5", "--seccomp", "4", "--"});
  if (!limiter_.empty()) {
    const std::string most = std::to_string(kMostProcesses);
    arguments.insert(arguments.end(), {limiter_.string(), "--nproc=" + most, "--"});
  }
  arguments.insert(arguments.end(), command.command.begin(), command.command.end());
  order.command = std::move(arguments);
  order.environment = {"PATH=/usr/bin:/bin", owner_mark()};
  return order;
}

fs::path Sandbox::inside(const fs::path& job_directory, const fs::path& path) const {
  if (!enabled()) return path;
  const fs::path below = path.lexically_relative(job_directory);
  return below == "." ? fs::path(kJobMount) : fs::path(kJobMount) / below;
}

}  // namespace warpmind::profilers
