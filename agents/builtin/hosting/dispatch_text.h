#pragma once
/// \file
/// The host function that takes the place of a part's launches.

#include "agents/builtin/hosting/program_parts.h"

#include <map>
#include <string>
#include <string_view>

namespace warpmind::agents::builtin {

struct Dispatch {
  std::string name;         ///< "wm_launch_scale"
  std::string declaration;  ///< "static void wm_launch_scale(…);\n"
  std::string definition;
};

/// Everything that a dispatch is written from; all must outlive the call.
struct DispatchParts {
  const CudaSource& program;
  const profilers::ProgramRecord& record;
  const ProgramPart& part;
  const CudaSource& rewritten;
  const LaunchPlan& plan;                             ///< of the rewritten kernel
  const std::map<std::string, std::string>& kernels;  ///< its kernels, as the program calls them
  bool assume_shapes = false;
};

/// A function with the configuration of each launch, the stream, and all arguments as parameters.
/// When grids, blocks and scalars are those of the record, pointers aligned and buffers apart as
/// they were, it runs the plan, with scratch from the stream's pool; else the given launches.
/// Errors: invalid_argument with one clause.
[[nodiscard]] Result<Dispatch> dispatch_of(const DispatchParts& parts, const std::string& name);

/// What all dispatches of a file call; comes once, before them.
[[nodiscard]] std::string_view dispatch_helpers();

}  // namespace warpmind::agents::builtin
