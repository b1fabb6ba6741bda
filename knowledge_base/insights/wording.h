#pragma once
/// \file
/// Sentences about insights, made from their fields: deterministic, short, in one style.

#include "base/model/insight.h"
#include "knowledge_base/insights/insight_event.h"
#include "knowledge_base/insights/insight_fold.h"

#include <string>

namespace warpmind::knowledge_base {

/// "vector_width vec=4", "block_size then unroll".
[[nodiscard]] std::string action_text(const InsightAction& action);
/// " at uncoalesced_access in transpose (f32, sm_9x, NVIDIA H200)"; "" for no limit at all.
[[nodiscard]] std::string scope_text(const InsightScope& scope);
/// "sm_9x" for 90 … 99, "sm_90", "sm_80 to sm_90", "sm_80 and later", "".
[[nodiscard]] std::string capability_text(int least, int most);
/// "block_size block=8x32x1 pays at …", "unroll does not pay at …", "a then b pay together at …".
[[nodiscard]] std::string claim_text(const Insight& insight);
/// "vector_width at uncoalesced_access in transpose (f32, sm_9x): 1.84x mean of 3"
/// of what doing it gained, over the newest evidence. Simulated numbers say so.
[[nodiscard]] std::string lesson_text(const StoredInsight& stored);
/// "claim amended", "evidence for: 1.31x in e-0000000007 step 3".
[[nodiscard]] std::string event_text(const InsightEvent& event);

/// `text` cut at a word to at most `most` bytes, with "…" where it was cut.
[[nodiscard]] std::string shortened(const std::string& text, std::size_t most);

}  // namespace warpmind::knowledge_base
