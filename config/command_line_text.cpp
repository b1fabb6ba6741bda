#include "config/command_line_text.h"

#include "base/text.h"

#include <optional>
#include <utility>

namespace warpmind::config {
namespace {

/// What stands before and after `mark`.
std::optional<std::pair<std::string, std::string>> around(std::string_view text,
                                                          std::string_view mark) {
  const auto at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  return std::pair(std::string(text.substr(0, at)), std::string(text.substr(at + mark.size())));
}

}  // namespace

std::string command_line_text(std::string_view text) {
  constexpr std::string_view kConversion = "Could not convert: ";
  if (text.starts_with(kConversion)) {
    if (const auto parts = around(text.substr(kConversion.size()), " = ")) {
      const auto& [name, value] = *parts;
      return name +
             (parse_number<double>(value) ? " must be a whole number" : " must be a number") +
             ", not '" + value + "'";
    }
  }
  if (const auto parts = around(text, ": "); parts && text.ends_with(" missing")) {
    return parts->first + " needs a value";
  }
  if (const auto parts = around(text, " excludes ")) {
    return parts->first + " and " + parts->second + " exclude each other: give one of them";
  }
  return std::string(text);
}

}  // namespace warpmind::config
