#include "agents/writing/json_reader.h"

#include "base/sequence.h"
#include "base/text.h"
#include "config/nearest_name.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace warpmind::agents::writing {
namespace {

constexpr std::size_t kExpressionBytes = 200;

bool is_one_line(const std::string& text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

}  // namespace

Error JsonReader::error(std::string_view member, const std::string& what) const {
  std::string at = where_;
  if (!member.empty()) at += (at.empty() ? "" : ".") + std::string(member);
  return {Errc::invalid_argument, (at.empty() ? "the answer" : at) + ": " + what};
}

const nlohmann::json* JsonReader::find(std::string_view member) const {
  const auto found = value().find(std::string(member));
  return found == value().end() || found->is_null() ? nullptr : &*found;
}

bool JsonReader::has(std::string_view member) const { return find(member) != nullptr; }

Result<void> JsonReader::allow_only(std::initializer_list<std::string_view> members) const {
  if (!value().is_object()) return fail(error("", "must be a JSON object"));
  for (const auto& [key, unused] : value().items()) {
    if (!contains(members, key)) {
      return fail(error(
          key.substr(0, 60),
          "no such member" + config::suggestion(key, std::vector<std::string_view>(members))));
    }
  }
  return {};
}

Result<std::string> JsonReader::line(std::string_view member, std::size_t limit,
                                     std::string fallback) const {
  const auto* found = find(member);
  if (found == nullptr) return fallback;
  if (!found->is_string()) return fail(error(member, "must be a string"));
  const auto& text = found->get_ref<const std::string&>();
  if (text.size() > limit) {
    return fail(error(member, "has " + std::to_string(text.size()) + " bytes; the limit is " +
                                  std::to_string(limit)));
  }
  if (!is_one_line(text)) return fail(error(member, "must be one line without control characters"));
  return text;
}

Result<std::string> JsonReader::wanted_line(std::string_view member, std::size_t limit) const {
  WARPMIND_TRY(std::string text, line(member, limit, ""));
  if (text.empty()) return fail(error(member, "is missing or empty"));
  return text;
}

Result<double> JsonReader::number(std::string_view member, double least, double most) const {
  const auto* found = find(member);
  if (found == nullptr || !found->is_number()) return fail(error(member, "must be a number"));
  const auto value = found->get<double>();
  if (!std::isfinite(value) || value < least || value > most) {
    return fail(error(member, "must be within " + fixed(least, 2) + " and " + fixed(most, 2)));
  }
  return value;
}

Result<std::int64_t> JsonReader::integer(std::string_view member, std::int64_t least,
                                         std::int64_t most) const {
  const auto* found = find(member);
  const bool fits = found != nullptr && found->is_number_integer() &&
                    !(found->is_number_unsigned() &&
                      found->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX));
  if (!fits) return fail(error(member, "must be an integer"));
  const auto value = found->get<std::int64_t>();
  if (value < least || value > most) {
    return fail(
        error(member, "must be within " + std::to_string(least) + " and " + std::to_string(most)));
  }
  return value;
}

Result<std::vector<JsonReader>> JsonReader::list(std::string_view member, std::size_t limit) const {
  std::vector<JsonReader> elements;
  const auto* found = find(member);
  if (found == nullptr) return elements;
  if (!found->is_array()) return fail(error(member, "must be a list"));
  if (found->size() > limit) {
    return fail(error(member, "has " + std::to_string(found->size()) + " entries; the limit is " +
                                  std::to_string(limit)));
  }
  const std::string prefix = (where_.empty() ? "" : where_ + ".") + std::string(member);
  for (std::size_t i = 0; i < found->size(); ++i) {
    elements.emplace_back((*found)[i], prefix + "[" + std::to_string(i) + "]");
  }
  return elements;
}

Result<std::string> expression_of(const JsonReader& element) {
  const auto& value = element.value();
  if (value.is_number_integer()) return value.dump();
  if (!value.is_string()) return fail(element.error("", "must be an expression or an integer"));
  const auto& text = value.get_ref<const std::string&>();
  if (text.empty() || text.size() > kExpressionBytes || !is_one_line(text)) {
    return fail(element.error("", "must be one line of 1 to 200 bytes"));
  }
  return text;
}

}  // namespace warpmind::agents::writing
