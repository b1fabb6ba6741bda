#pragma once
/// \file
/// `warpmind why`: an episode from its metrics to what it taught. Text that others wrote is made
/// safe to print; what an older build did not record is said to be missing.

#include "clients/cli/report/style.h"
#include "daemon/protocol/record_messages.h"

#include <string>

namespace warpmind::clients {

/// The step that was asked for; else the tree of all steps, the way to the best one, what was
/// taught and what it cost.
[[nodiscard]] std::string render_why(const daemon::protocol::EpisodeExplainResult& result,
                                     const Style& style);

/// Metrics, bottleneck, advice, prediction, result, gradient, reward of the step at `position`.
[[nodiscard]] std::string render_step(const daemon::protocol::EpisodeExplainResult& result,
                                      std::size_t position, const Style& style);

/// Whether the build that stored it recorded search and rewards.
[[nodiscard]] bool records_search(const Episode& episode);

/// "coalesce_rows threads_per_row=256", "the given kernel".
[[nodiscard]] std::string step_title(const Step& step);
/// Position of the step whose kernel `position` edited. Of a record that does not say: the newest
/// accepted one before it.
[[nodiscard]] std::size_t edited_by(const Episode& episode, std::size_t position);

}  // namespace warpmind::clients
