#pragma once
/// \file
/// Edits of host code that make a program wait less: each by itself, with a reason where it does
/// not apply. Kernels are not touched.

#include "agents/builtin/syntax.h"

#include <string>
#include <string_view>
#include <vector>

namespace warpmind::agents::builtin {

struct HostEdit {
  std::string name;                 ///< "drop_redundant_sync"
  std::string rationale;            ///< why it can help, and what it changes besides
  std::string refusal;              ///< one clause why it does not apply; else empty
  std::vector<std::string> places;  ///< what is edited, a clause each
  std::string text;                 ///< the whole source after it; empty when refused
};

/// Every host edit, in the order in which they are to be applied.
[[nodiscard]] std::vector<HostEdit> host_edits(const CudaSource& program);

/// Errors: not_found, with the names that there are.
[[nodiscard]] Result<HostEdit> host_edit(std::string_view name, const CudaSource& program);

}  // namespace warpmind::agents::builtin
