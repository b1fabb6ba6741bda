#pragma once
/// \file
/// The process's environment.

#include <string>

namespace warpmind {

/// The value of the variable, "" where it is not set. Not while another thread changes the
/// environment, which warpmind's programs never do.
[[nodiscard]] std::string environment_variable(const char* name);

}  // namespace warpmind
