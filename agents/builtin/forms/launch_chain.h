#pragma once
/// \file
/// Launches that follow each other on the same grid, the later ones on what the earlier ones have
/// stored, as if one kernel did the work of all of them.

#include "agents/builtin/forms/only_launch.h"
#include "agents/builtin/loops/parallel_loop.h"

#include <map>
#include <string>
#include <vector>

namespace warpmind::agents::builtin {

struct LaunchChain {
  std::vector<OnlyLaunch> launches;
  std::vector<const Function*> functions;
  /// Of all of them together, and what the plan gives for them.
  std::vector<Parameter> parameters;
  std::vector<std::string> arguments;
  /// For each function its parameters by what they are called among those.
  std::vector<std::map<std::string, Parameter, std::less<>>> names;
  /// With the parameters of all of them; one for each workload, those that are timed first.
  std::vector<SceneLaunch> shapes;
};

/// The `count` launches from `first` on. Errors: not_found with a clause.
[[nodiscard]] Result<LaunchChain> launch_chain(const Scene& scene, std::size_t first,
                                               std::size_t count);

/// Two parameters get one name when any of the launches binds them to one buffer. The chain must
/// outlive it.
[[nodiscard]] BufferNames buffer_names(const LaunchChain& chain);

}  // namespace warpmind::agents::builtin
