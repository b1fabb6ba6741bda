#pragma once
/// \file
/// Launches as statements of host code: which can be replaced by a call, and which follow each
/// other.

#include "agents/builtin/syntax.h"

#include <string>
#include <string_view>
#include <vector>

namespace warpmind::agents::builtin {

/// Launches that stand one behind the other in one block of host code, on one stream. Between them
/// there are only calls that ask for errors or wait.
struct LaunchRun {
  std::vector<const HostLaunch*> launches;
  [[nodiscard]] std::vector<std::string> kernels() const;
};

/// Why the launches of that kernel cannot be replaced by a call of a host function, or empty: one
/// clause. Templates, kernels in a namespace, parameters that cannot be passed on as they are, no
/// launch in the file.
[[nodiscard]] std::string reason_not_to_host(const CudaSource& program, std::string_view kernel);

/// Every launch that reason_not_to_host() has nothing against, in source order; a launch that
/// follows none and is followed by none is a run of one.
[[nodiscard]] std::vector<LaunchRun> launch_runs(const CudaSource& program);

/// "grid, block, shared, stream" of a launch, what is left out as 0.
[[nodiscard]] std::vector<std::string> configuration_of(const CudaSource& program,
                                                        const HostLaunch& launch);

}  // namespace warpmind::agents::builtin
