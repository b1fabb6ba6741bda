#pragma once
/// \file
/// The identity of a request to a language model: what is recorded, and what a replay looks for.

#include "agents/llm/language_model.h"
#include "base/hash.h"

#include <string>

namespace warpmind::agents::llm {

/// SHA-256 of every member, in hex.
[[nodiscard]] inline std::string hash_of(const ModelRequest& request) {
  std::string messages;
  for (const auto& message : request.messages) {
    messages += hash_input({message.speaker == Speaker::user ? "user" : "assistant", message.text});
  }
  return to_hex(sha256(hash_input({request.purpose, request.system, messages, request.schema_name,
                                   request.schema, std::to_string(request.max_output_tokens)})));
}

}  // namespace warpmind::agents::llm
