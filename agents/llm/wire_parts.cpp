#include "agents/llm/wire_parts.h"

#include "agents/llm/wire_errors.h"
#include "agents/llm/wire_json.h"
#include "base/codec/json_guard.h"
#include "base/sequence.h"

#include <array>

namespace warpmind::agents::llm {

using nlohmann::json;

Result<void> check_request(const ModelRequest& request) {
  if (request.messages.empty() || request.messages.back().speaker != Speaker::user) {
    return fail(Errc::invalid_argument, "the last message of a request must be the user's");
  }
  if (request.max_output_tokens < 1) {
    return fail(Errc::invalid_argument, "the limit of an answer must be at least 1 token");
  }
  return {};
}

Result<json> schema_of(const ModelRequest& request) {
  auto schema = codec::parse_json(request.schema);
  if (!schema || !schema->is_object()) {
    return fail(Errc::invalid_argument, "the schema '" + request.schema_name + "' is not JSON");
  }
  return schema;
}

std::string_view name_of(Speaker speaker) {
  return speaker == Speaker::user ? "user" : "assistant";
}

Result<json> parse_answer(std::string_view text) {
  auto parsed = codec::parse_json(text);
  if (!parsed) {
    return fail(Errc::external_failure,
                "the server sent something that is not JSON: " + parsed.error().message);
  }
  if (!parsed->is_object()) {
    return fail(Errc::external_failure, "the server sent JSON that is no object");
  }
  return parsed;
}

Error server_error(const json& error) {
  const json* inner = member_of(error, "error");
  if (inner != nullptr && inner->is_string()) {
    return {Errc::unavailable, one_line(inner->get<std::string>())};
  }
  const json& what = inner != nullptr && inner->is_object() ? *inner : error;
  constexpr std::array<std::string_view, 11> kOurs{
      "invalid_request_error", "authentication_error", "permission_error",       "not_found_error",
      "request_too_large",     "billing_error",        "invalid_prompt",         "invalid_api_key",
      "insufficient_quota",    "model_not_found",      "context_length_exceeded"};
  std::string said = text_of(what, "message");
  Errc code = Errc::unavailable;
  for (const char* name : {"code", "type"}) {
    const std::string kind = text_of(what, name);
    if (contains(kOurs, kind)) code = Errc::invalid_argument;
    if (said.empty() && kind != "error") said = kind;
  }
  return {code, said.empty() ? "the server gave no reason" : one_line(said)};
}

}  // namespace warpmind::agents::llm
