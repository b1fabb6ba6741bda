#pragma once
/// \file
/// What tools about kernels answer: the daemon's answers, cut to what an agent can use. For the
/// .cpp files of this folder.

#include "daemon/mcp/tool.h"

#include <string>

namespace warpmind::daemon::mcp {

/// Of `kernel.analyze`.
[[nodiscard]] ToolReply analysis_reply(const nlohmann::json& answer);
[[nodiscard]] ToolReply profile_reply(const nlohmann::json& answer, bool metrics);
/// The compiler's text, cut.
[[nodiscard]] std::string diagnostics_of(const nlohmann::json& answer);
/// Insights of all kernels, each once.
[[nodiscard]] nlohmann::json insights_of(const nlohmann::json& answer);
/// Of `moves.explain`: techniques that apply, with their best move.
[[nodiscard]] nlohmann::json brief_moves(const nlohmann::json& answer);
/// The answer of `episode.explain` for the step that `job` and `step` name, the best one by
/// default. Errors: not_found.
[[nodiscard]] Result<nlohmann::json> explained_step(const nlohmann::json& arguments,
                                                    const Backend& backend);
/// What limited the kernel that this step edited; of step 0, the given kernel.
[[nodiscard]] const nlohmann::json& state_before(const nlohmann::json& explained);
/// What limits a kernel and what to do first about it: `bottleneck`, `advice` and `built` as
/// `kernel.analyze` has them, `card` of the advised technique; what is not known may be absent.
/// Adds to `data`.
[[nodiscard]] ToolReply explanation_reply(const nlohmann::json& explained, nlohmann::json data);
/// Of `episode.profile`; `metrics`: with every metric of each launch that is not 0.
[[nodiscard]] ToolReply step_profile_reply(const nlohmann::json& answer, bool metrics);

/// Of `episode.open` and `episode.brief`.
[[nodiscard]] ToolReply brief_reply(const nlohmann::json& brief);
/// Of `episode.submit`.
[[nodiscard]] ToolReply verdict_reply(const nlohmann::json& judged);

}  // namespace warpmind::daemon::mcp
