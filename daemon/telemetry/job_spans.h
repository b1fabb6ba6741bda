#pragma once
/// \file
/// A job that ended as a trace: job, episode, steps, the stages of judging, language models.

#include "base/model/job.h"
#include "daemon/telemetry/span.h"

#include <string>
#include <vector>

namespace warpmind::daemon {

/// Parents before children. Durations are those that were measured; only job and episode have times
/// of day, so steps and stages are laid end to end from the start of the episode (attribute
/// `warpmind.laid_out`). The same job gives the same ids: sending it twice makes no second trace.
/// Names of tasks, techniques and models are in it; no source, prompt, answer or compiler text.
[[nodiscard]] std::vector<Span> spans_of(const Job& job, const std::string& model_provider);

}  // namespace warpmind::daemon
