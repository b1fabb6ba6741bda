#include "config/prompt_template.h"

#include "config/source_text.h"

#include <algorithm>
#include <utility>

namespace warpmind::config {
namespace {

constexpr std::string_view kOpen = "{{";
constexpr std::string_view kClose = "}}";

struct ParsedSlot {
  std::string name;
  SlotType type = SlotType::text;
};

Result<ParsedSlot> parse_slot(std::string_view body, const std::string& where) {
  const std::size_t bar = body.find('|');
  const std::string name(body.substr(0, bar));
  if (!is_identifier(name)) {
    return fail(Errc::invalid_argument,
                where + ": '" + name + "' is no name of a slot; write {{name|type}}");
  }
  if (bar == std::string_view::npos) {
    return fail(Errc::invalid_argument, where + ": slot '" + name + "' has no type; write {{" +
                                            name + "|" + all_names_of<SlotType>() + "}}");
  }
  const auto type = parse_enum<SlotType>(body.substr(bar + 1));
  if (!type) {
    return fail(Errc::invalid_argument, where + ": slot '" + name + "' has the type '" +
                                            std::string(body.substr(bar + 1)) +
                                            "', which is none of " + all_names_of<SlotType>());
  }
  return ParsedSlot{name, *type};
}

std::string in_fence(std::string_view info, std::string_view value) {
  std::size_t longest = 2;
  std::size_t run = 0;
  for (const char c : value) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  std::string text = fence + std::string(info) + "\n" + std::string(value);
  if (!text.ends_with('\n')) text += '\n';
  return text + fence;
}

std::string one_line(std::string_view value) {
  std::string text(value);
  std::replace_if(
      text.begin(), text.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return text;
}

}  // namespace

std::string written_as(SlotType type, std::string_view value) {
  switch (type) {
    case SlotType::text: return std::string(value);
    case SlotType::line: return one_line(value);
    case SlotType::code: return in_fence("cuda", value);
    case SlotType::data: return in_fence("data", value);
  }
  return {};
}

Result<PromptTemplate> PromptTemplate::parse(std::string_view text, std::string name) {
  PromptTemplate out;
  out.name_ = std::move(name);
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t open = text.find(kOpen, at);
    if (open != at) out.parts_.emplace_back(std::string(text.substr(at, open - at)));
    if (open == std::string_view::npos) break;
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(open), '\n');
    const std::string where = out.name_ + ":" + std::to_string(line);
    const std::size_t begin = open + kOpen.size();
    const std::size_t close = text.find(kClose, begin);
    if (close == std::string_view::npos) {
      return fail(Errc::invalid_argument, where + ": a slot is opened by {{ and not closed by }}");
    }
    WARPMIND_TRY(ParsedSlot slot, parse_slot(text.substr(begin, close - begin), where));
    const auto [known, added] = out.slots_.emplace(slot.name, slot.type);
    if (!added && known->second != slot.type) {
      return fail(Errc::invalid_argument,
                  where + ": slot '" + slot.name + "' has two types in this file");
    }
    out.parts_.emplace_back(Slot{std::move(slot.name), slot.type});
    at = close + kClose.size();
  }
  return out;
}

Result<std::string> PromptTemplate::render(const SlotValues& values) const {
  for (const auto& [name, type] : slots_) {
    const auto found = values.find(name);
    if (found == values.end()) {
      return fail(Errc::invalid_argument, name_ + ": nothing was given for slot '" + name + "'");
    }
    if (found->second.type != type) {
      return fail(Errc::invalid_argument, name_ + ": slot '" + name + "' is of type " +
                                              std::string(name_of(type)) + ", its value is " +
                                              std::string(name_of(found->second.type)));
    }
  }
  for (const auto& [name, value] : values) {
    if (!slots_.contains(name)) {
      return fail(Errc::invalid_argument, name_ + ": no slot takes the value '" + name + "'");
    }
  }
  std::string text;
  for (const auto& part : parts_) {
    if (const auto* words = std::get_if<std::string>(&part)) {
      text += *words;
    } else {
      const Slot& slot = std::get<Slot>(part);
      text += written_as(slot.type, values.find(slot.name)->second.value);
    }
  }
  return text;
}

}  // namespace warpmind::config
