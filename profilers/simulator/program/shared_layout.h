#pragma once
/// \file
/// Offsets of a module's shared variables.

#include "profilers/simulator/ptx/syntax.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpmind::simulator {

/// Shared memory as one function sees it.
struct SharedView {
  std::map<std::string, std::uint32_t, std::less<>> offsets;  ///< of the variables it names
  std::uint64_t bytes =
      0;  ///< entries: what they and their callees have, and dynamic memory's start
  bool uses_dynamic = false;  ///< entries: they or their callees name an .extern array
};

/// Beside Module::functions. A kernel has only what it or its callees name; a function that several
/// kernels call sees every variable, and dynamic memory, at the same offset in each of them.
[[nodiscard]] std::vector<SharedView> lay_out_shared(const ptx::Module& module);

}  // namespace warpmind::simulator
