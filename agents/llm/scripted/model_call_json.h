#pragma once
/// \file
/// JSON of requests and replies. Include from .cpp files only.

#include "agents/llm/language_model.h"
#include "base/codec/json_types.h"
#include "base/enum_names.h"

namespace warpmind {

WARPMIND_ENUM_NAMES(agents::llm::Speaker, {agents::llm::Speaker::user, "user"},
                    {agents::llm::Speaker::assistant, "assistant"});
WARPMIND_ENUM_NAMES(agents::llm::StopReason, {agents::llm::StopReason::complete, "complete"},
                    {agents::llm::StopReason::length, "length"},
                    {agents::llm::StopReason::refusal, "refusal"});

namespace agents::llm {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Message, speaker, text)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ModelRequest, purpose, system, messages,
                                                schema_name, schema, max_output_tokens)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Usage, input_tokens, cached_tokens, written_tokens,
                                                output_tokens, reasoning_tokens, micro_usd, priced,
                                                reported)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ModelReply, text, reasoning, stop, usage, model,
                                                request_id, retries, seconds, first_token_seconds)

}  // namespace agents::llm
}  // namespace warpmind
