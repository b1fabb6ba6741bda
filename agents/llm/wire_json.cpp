#include "agents/llm/wire_json.h"

namespace warpmind::agents::llm {

using nlohmann::json;

const json* member_of(const json& value, const char* name) {
  if (!value.is_object()) return nullptr;
  const auto found = value.find(name);
  return found == value.end() ? nullptr : &*found;
}

std::string text_of(const json& value, const char* name) {
  const json* found = member_of(value, name);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<std::int64_t> count_of(const json& value, const char* name) {
  constexpr std::int64_t kMost = 1'000'000'000;
  const json* found = member_of(value, name);
  if (found == nullptr || !found->is_number_integer()) return std::nullopt;
  if (found->is_number_unsigned() && found->get<std::uint64_t>() > kMost) return std::nullopt;
  const auto count = found->get<std::int64_t>();
  if (count < 0 || count > kMost) return std::nullopt;
  return count;
}

bool is_no_count(const json& value, const char* name) {
  const json* found = member_of(value, name);
  return found != nullptr && !found->is_null() && !count_of(value, name);
}

}  // namespace warpmind::agents::llm
