#pragma once
/// \file
/// Where the facts of a kernel are probed: corners of the grid and of the loops, and points from a
/// fixed seed, the same at every run.

#include "agents/builtin/probe/kernel_prober.h"

namespace warpmind::agents::builtin {

/// The loops around `node`, outermost first.
[[nodiscard]] std::vector<NodeId> loops_around(const CudaSource& source, const Function& function,
                                               NodeId node);

/// Threads of the grid: its corners, the last ones that get to `node`, and `random` others.
[[nodiscard]] std::vector<ThreadPosition> probe_threads(const KernelProber& prober, NodeId node,
                                                        int random);

/// Iterations of the loops around `node` for that thread: all first, all last, all but the
/// innermost first, and `random` others. Loops whose length is not known stay in their first.
[[nodiscard]] std::vector<Iterations> probe_iterations(const KernelProber& prober, NodeId node,
                                                       const ThreadPosition& thread, int random);

}  // namespace warpmind::agents::builtin
