#include "knowledge_base/packs/foreign_claims.h"

#include "base/text.h"
#include "knowledge_base/insights/insight_codec.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/open_base.h"

namespace warpmind::knowledge_base {
namespace {

std::string as_name(std::string_view text) {
  constexpr std::size_t kMostName = 64;
  std::string name;
  for (const char c : lower_case(text)) {
    if (is_letter_or_digit(c)) {
      name.push_back(c);
    } else if (!name.empty() && name.back() != '_') {
      name.push_back('_');
    }
    if (name.size() == kMostName) break;
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name;
}

}  // namespace

TechniqueNames names_of(const std::vector<Technique>& cards) {
  TechniqueNames names;
  for (const auto& card : cards) {
    for (const auto& alias : card.aliases) names.emplace(as_name(alias), card.name);
  }
  for (const auto& card : cards) names[as_name(card.name)] = card.name;
  return names;
}

Result<TechniqueNames> known_techniques(const OpenBase& base) {
  std::vector<Technique> cards;
  const auto collect = [&](const Database& database, const std::string&) {
    return database.scan({Family::techniques, technique_prefix()},
                         [&](std::string_view, std::string_view value) -> Result<bool> {
                           WARPMIND_TRY(auto card, decode_technique(value));
                           cards.push_back(std::move(card));
                           return true;
                         });
  };
  WARPMIND_CHECK(base.read(collect));
  return names_of(cards);
}

std::string technique_named(const TechniqueNames& names, std::string_view foreign) {
  const std::string name = as_name(foreign);
  const auto found = names.find(name);
  return found == names.end() ? name : found->second;
}

std::string plain_text(std::string_view text, std::size_t most) {
  std::string plain;
  for (const char c : text) {
    const bool is_plain = is_letter_or_digit(c) ||
                          std::string_view(" .,;:+-*/%=()_'").find(c) != std::string_view::npos;
    const char next = is_plain ? c : ' ';
    if (next == ' ' && (plain.empty() || plain.back() == ' ')) continue;
    plain.push_back(next);
  }
  if (plain.size() > most) {
    plain.resize(most);
    const std::size_t space = plain.rfind(' ');
    if (space != std::string::npos && space > most / 2) plain.resize(space);
  }
  while (!plain.empty() && plain.back() == ' ') plain.pop_back();
  return plain;
}

}  // namespace warpmind::knowledge_base
