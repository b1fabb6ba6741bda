#pragma once
/// \file
/// What Linux says of a process in /proc.

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>

namespace warpmind {

/// Source: proc_pid_stat(5).
struct ProcessStat {
  char state = 0;           ///< field 3: 'R', 'S', 'Z' …
  pid_t parent = 0;         ///< field 4
  std::uint32_t flags = 0;  ///< field 9: PF_… of linux/sched.h
  std::string start;  ///< field 22: clock ticks after the boot, which with the pid name a process
};

/// nullopt when there is no such process, or no /proc.
[[nodiscard]] std::optional<ProcessStat> process_stat(pid_t pid);

/// "pid:[4026531836]": a number means nothing outside of its PID namespace. Empty without /proc.
[[nodiscard]] std::string pid_namespace();

}  // namespace warpmind
