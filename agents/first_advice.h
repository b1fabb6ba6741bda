#pragma once
/// \file
/// What to do first about a kernel, in one line, without a model and without memory.

#include "agents/proposer.h"

namespace warpmind::agents {

/// Against the costliest cause of `context.bottleneck`, and only what fits this kernel: each line
/// of the table behind it has a test on what the kernel computes and how. "Nothing known" and
/// "nothing to do: it is at the limit" are answers. Looks at task, kernel, bottleneck and device.
[[nodiscard]] FirstAdvice advise_first(const ProposalContext& context);

/// Sets `advice.first`, and takes out of `advice` the techniques that do not fit: those of the
/// built-in agent that do not apply to the kernel, and others that nobody measured at this
/// bottleneck.
void keep_what_fits(const ProposalContext& context, Advice& advice);

}  // namespace warpmind::agents
