#pragma once
/// \file
/// The brief of an episode whose candidates come from outside, and what came of one of them.

#include "clients/cli/report/style.h"
#include "daemon/protocol/guest_messages.h"

#include <string>

namespace warpmind::clients {

/// For a person, and as Markdown for a model: the same text.
[[nodiscard]] std::string render_brief(const EpisodeBrief& brief, const Style& style);

[[nodiscard]] std::string render_feedback(const daemon::protocol::EpisodeSubmitResult& feedback,
                                          const Style& style);

}  // namespace warpmind::clients
