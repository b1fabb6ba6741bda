#include "agents/builtin/technique.h"

#include "base/text.h"

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
  return text ? parse_number<std::int64_t>(*text) : std::nullopt;
}

}  // namespace warpmind::agents::builtin
