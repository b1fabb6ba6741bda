#include "agents/builtin/technique.h"

#include <charconv>

namespace warpmind::agents::builtin {

std::string divided_text(const std::string& extent, std::int64_t by) {
  return "ceil_div(" + extent + ", " + std::to_string(by) + ")";
}

std::optional<std::string> parameter_text(std::string_view parameters, std::string_view key) {
  while (!parameters.empty()) {
    const auto end = std::min(parameters.find(';'), parameters.size());
    const auto part = parameters.substr(0, end);
    const auto equals = part.find('=');
    if (equals != std::string_view::npos && part.substr(0, equals) == key) {
      return std::string(part.substr(equals + 1));
    }
    parameters.remove_prefix(std::min(end + 1, parameters.size()));
  }
  return std::nullopt;
}

std::optional<std::int64_t> parameter_number(std::string_view parameters, std::string_view key) {
  const auto text = parameter_text(parameters, key);
  if (!text) return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || end != text->data() + text->size()) return std::nullopt;
  return value;
}

}  // namespace warpmind::agents::builtin
