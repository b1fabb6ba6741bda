#pragma once
/// \file
/// A program task: somebody's own program as it is, with the rule that tells a right run from a
/// wrong one (docs/program_tasks.md). Values only.

#include <string>
#include <vector>

namespace warpmind {

/// What a run must do to pass. Patterns are POSIX extended regular expressions, tried on each line
/// of standard output by itself.
struct ProgramPassRule {
  int exit_code = 0;
  std::string output;  ///< some line must match; empty = any output will do
  std::string never;   ///< no line may match; empty = none is forbidden
  bool operator==(const ProgramPassRule&) const = default;
};

/// Commands are lines for /bin/sh in the task's folder. In the build command `{arch}` stands for
/// the device's architecture ("sm_90").
struct ProgramTask {
  std::string name;
  std::string build;  ///< empty = there is nothing to build
  std::string run;    ///< one simple command: a running program cannot start others
  ProgramPassRule pass;
  std::vector<std::string> kernels;   ///< patterns for whole names of kernels to time; not empty
  std::vector<std::string> editable;  ///< files that a proposer may change, relative; not empty
  std::vector<std::string> needs;     ///< absolute folders that are mounted read-only
  double build_seconds = 300;         ///< most time of the build, s
  double run_seconds = 120;           ///< most time of one run, s
  std::string origin;                 ///< "hecbench", "kernelblaster"; empty = written by the user
  std::string restricted;  ///< why its text must not be passed on (a licence); empty = it may be
  bool operator==(const ProgramTask&) const = default;
};

}  // namespace warpmind
