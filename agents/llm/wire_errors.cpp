#include "agents/llm/wire_errors.h"

#include "agents/llm/wire_json.h"
#include "base/codec/json_guard.h"

namespace warpmind::agents::llm {

using nlohmann::json;

std::string one_line(std::string_view text) {
  constexpr std::size_t kMost = 300;
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool starts_character = (byte & 0xc0U) != 0x80U;
    if (out.size() >= kMost && starts_character) {
      out += "…";
      break;
    }
    out += byte < 0x20 || byte == 0x7f ? ' ' : c;
  }
  return out;
}

std::string error_text(std::string_view body) {
  const auto parsed = codec::parse_json(body);
  if (!parsed) return one_line(body);
  // Some gateways wrap the object in a list.
  const json& value = parsed->is_array() && !parsed->empty() ? parsed->front() : *parsed;
  const json* inner = member_of(value, "error");
  if (inner != nullptr && inner->is_object()) return one_line(text_of(*inner, "message"));
  if (inner != nullptr && inner->is_string()) return one_line(inner->get<std::string>());
  for (const char* name : {"message", "detail"}) {
    const std::string text = text_of(value, name);
    if (!text.empty()) return one_line(text);
  }
  return one_line(body);
}

}  // namespace warpmind::agents::llm
