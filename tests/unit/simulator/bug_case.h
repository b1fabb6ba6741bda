#pragma once
/// \file
/// The kernels of tests/data/bugs, each with what it must be found to do.

#include "profilers/simulator/exec/launch.h"

#include <filesystem>
#include <iosfwd>
#include <set>
#include <string>
#include <vector>

namespace warpmind::simulator {

/// The first lines of a .cu file:
///   // expect: clean | shared race | …      a kind of finding (a defect; waste when it says so)
///   // ends: completed | fault | step limit | deadlock     without it: completed
///   // launch: grid 2,1 block 64 shared 256 steps 1000 cooperative yes
///   // argument: buffer BYTES ramp|count|zero|unset|freed [at OFFSET] | int N | null | host
/// and "// here" behind each line where the finding may be.
struct BugCase {
  std::string name;
  std::string expected;
  std::string ends = "completed";
  std::string launch;
  std::vector<std::string> arguments;
  std::set<int> lines;
};

/// All files of the folder, by name.
[[nodiscard]] std::vector<BugCase> read_bug_cases(const std::filesystem::path& folder);

/// For GoogleTest.
void PrintTo(const BugCase& bug, std::ostream* out);

/// Runs the case's kernel from `ptx` with every check. Errors: as parse_ptx and run_launch.
[[nodiscard]] Result<LaunchRecord> run_bug_case(const BugCase& bug, const std::string& ptx,
                                                bool reversed);

}  // namespace warpmind::simulator
