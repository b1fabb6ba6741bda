#pragma once
/// \file
/// As much of a Makefile as it takes to see how its program is run.

#include <map>
#include <string>
#include <string_view>

namespace warpmind::config {

struct MakefileRun {
  std::map<std::string, std::string> variables;  ///< simple assignments, expanded
  std::string command;  ///< first line of the target `run`, expanded; empty = there is none
};

/// Conditionals, functions and patterns are not looked at: what cannot be expanded becomes empty.
[[nodiscard]] MakefileRun read_makefile(std::string_view text);

}  // namespace warpmind::config
