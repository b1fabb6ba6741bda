#include "profilers/sandbox/control_groups.h"

#include "base/file.h"
#include "base/process_stat.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace warpmind::profilers {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kPrefix = "warpmind-";
constexpr std::size_t kTextLimit = std::size_t{4} * 1024 * 1024;

struct Hierarchy {
  fs::path mount;
  int version = 2;
  std::string options;  ///< v1: "rw,memory"
};

std::vector<Hierarchy> hierarchies_of(std::string_view mounts) {
  std::vector<Hierarchy> found;
  std::istringstream lines{std::string(mounts)};
  for (std::string line; std::getline(lines, line);) {
    // "36 25 0:31 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory"
    const std::size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream head(line.substr(0, dash));
    std::istringstream tail(line.substr(dash + 3));
    std::string word;
    std::string mount;
    for (int i = 0; i < 5 && head >> word; ++i) mount = word;
    std::string type;
    std::string source;
    std::string options;
    tail >> type >> source >> options;
    if (type == "cgroup2") found.push_back({mount, 2, ""});
    if (type == "cgroup") found.push_back({mount, 1, "," + options + ","});
  }
  return found;
}

/// The daemon's own group in a hierarchy: "/" when the text has none.
std::string own_group(std::string_view own, const Hierarchy& hierarchy) {
  std::istringstream lines{std::string(own)};
  for (std::string line; std::getline(lines, line);) {
    // "4:memory:/some/group", version 2: "0::/some/group"
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool match =
        hierarchy.version == 2
            ? controllers.empty()
            : !controllers.empty() &&
                  hierarchy.options.find("," + controllers + ",") != std::string::npos;
    if (match) return line.substr(second + 1);
  }
  return "/";
}

bool put(const fs::path& file, const std::string& value) {
  const UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  return fd && ::write(fd.get(), value.data(), value.size()) == static_cast<ssize_t>(value.size());
}

/// Of the names of our groups: the numbers in them mean processes of this PID namespace.
std::string name_end() {
  std::string end = "-";
  for (const char c : pid_namespace()) {
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) end += c;
  }
  return end;
}

/// Groups of a daemon that was killed. Only empty ones can be removed; one of a daemon in another
/// container is empty as well until its job starts.
void remove_leftovers(const fs::path& parent) {
  const std::string end = name_end();
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator(parent, ec)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kPrefix) || !name.ends_with(end)) continue;
    pid_t pid = 0;
    std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), pid);
    if (pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH) ::rmdir(entry.path().c_str());
  }
}

std::string fresh_name() {
  static std::atomic<unsigned> count{0};
  return std::string(kPrefix) + std::to_string(::getpid()) + "-" + std::to_string(++count) +
         name_end();
}

}  // namespace

ControlGroups ControlGroups::probe() {
  return probe(read_file("/proc/self/mountinfo", kTextLimit).value_or(""),
               read_file("/proc/self/cgroup", kTextLimit).value_or(""));
}

ControlGroups ControlGroups::probe(std::string_view mounts, std::string_view own) {
  ControlGroups groups;
  for (const auto& hierarchy : hierarchies_of(mounts)) {
    const fs::path group = own_group(own, hierarchy);
    // Version 2 allows no group with both processes and bounded children: then the neighbours'
    // parent, which a user's session or a delegated unit may write.
    std::vector<fs::path> parents{hierarchy.mount / group.relative_path()};
    if (hierarchy.version == 2 && group.has_relative_path()) {
      parents.push_back(parents.front().parent_path());
    }
    for (const auto& parent : parents) {
      Place place{parent, hierarchy.version, false, false};
      remove_leftovers(parent);
      const fs::path trial = parent / fresh_name();
      if (::mkdir(trial.c_str(), 0755) != 0) continue;
      const bool v1 = hierarchy.version == 1;
      place.memory =
          ::access((trial / (v1 ? "memory.limit_in_bytes" : "memory.max")).c_str(), W_OK) == 0 &&
          !groups.bounds_memory();
      place.processes =
          ::access((trial / "pids.max").c_str(), W_OK) == 0 && !groups.bounds_processes();
      ::rmdir(trial.c_str());
      if (!place.memory && !place.processes) continue;
      groups.places_.push_back(std::move(place));
      break;
    }
  }
  return groups;
}

bool ControlGroups::bounds_memory() const {
  return std::any_of(places_.begin(), places_.end(), [](const Place& p) { return p.memory; });
}

bool ControlGroups::bounds_processes() const {
  return std::any_of(places_.begin(), places_.end(), [](const Place& p) { return p.processes; });
}

std::string ControlGroups::describe(std::string_view controller) const {
  for (const auto& place : places_) {
    if (controller == "memory" ? place.memory : place.processes) {
      return "cgroup v" + std::to_string(place.version) + " " + place.parent.string();
    }
  }
  return "no control group with the controller '" + std::string(controller) + "' can be made here";
}

Result<JobGroup> ControlGroups::make(const GroupLimits& limits) const {
  JobGroup group;
  for (const auto& place : places_) {
    const fs::path folder = place.parent / fresh_name();
    const auto complain = [&](const char* what) {
      return fail(Errc::external_failure, std::string("cannot ") + what + " the control group " +
                                              folder.string() + ": " + std::strerror(errno));
    };
    if (::mkdir(folder.c_str(), 0755) != 0) return complain("make");
    group.add(folder, UniqueFd(::open((folder / "cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC)));
    if (!group.doors().back()) return complain("open");
    const std::string memory = std::to_string(limits.memory_bytes);
    const bool v1 = place.version == 1;
    if (place.memory && !put(folder / (v1 ? "memory.limit_in_bytes" : "memory.max"), memory)) {
      return complain("bound the memory of");
    }
    if (place.memory) {  // where swap is counted: the bound holds for both together
      put(folder / (v1 ? "memory.memsw.limit_in_bytes" : "memory.swap.max"), v1 ? memory : "0");
      if (!v1) put(folder / "memory.oom.group", "1");
    }
    if (place.processes && !put(folder / "pids.max", std::to_string(limits.processes))) {
      return complain("bound the processes of");
    }
  }
  return group;
}

std::uint64_t most_memory_bytes() {
  const auto pages = static_cast<std::uint64_t>(std::max(1L, ::sysconf(_SC_PHYS_PAGES)));
  const auto page = static_cast<std::uint64_t>(std::max(1L, ::sysconf(_SC_PAGESIZE)));
  return pages / 4 * 3 * page;
}

}  // namespace warpmind::profilers
