#include "knowledge_base/packs/seed.h"

#include "base/enum_names.h"
#include "config/toml_table_reader.h"
#include "knowledge_base/insights/validation.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace warpmind::knowledge_base {
namespace {

using config::TableReader;
using config::TomlValue;

Result<int> capability_or(const TableReader& table, std::string_view key, int fallback) {
  if (table.find(key) == nullptr) return fallback;
  WARPMIND_TRY(const auto value, table.integer(key, std::string(key) + " = 80"));
  if (value < 0 || value > 999) return table.error_at_key(key, "is no compute capability");
  return static_cast<int>(value);
}

template <class E>
Result<std::vector<E>> enums(const TableReader& table, std::string_view key) {
  WARPMIND_TRY(const auto names, table.texts_or_empty(key));
  std::vector<E> values;
  for (const auto& name : names) {
    const auto value = parse_enum<E>(name);
    if (!value) {
      return table.error_at_key(key, "'" + name + "' is none of " + all_names_of<E>());
    }
    values.push_back(*value);
  }
  return values;
}

Result<std::map<std::string, std::string>> generations(const TableReader& card) {
  std::map<std::string, std::string> notes;
  const TomlValue* value = card.find("generations");
  const auto* table = value == nullptr ? nullptr : value->get<TomlValue::Table>();
  if (table == nullptr) return card.error_at_key("generations", "must be a table");
  for (const auto& entry : *table) {
    const auto* note = entry.value.get<std::string>();
    if (note == nullptr) return card.error_at(entry.place, "must be a text");
    notes[entry.key] = *note;
  }
  return notes;
}

Result<Technique> parse_card(const TableReader& card, const std::string& category,
                             std::int64_t version) {
  WARPMIND_CHECK(
      card.allow_only({"name", "title", "bottlenecks", "capability_min", "capability_max", "when",
                       "when_not", "how", "parameters", "risks", "aliases", "typical_low",
                       "typical_high", "generations", "insight"}));
  Technique technique;
  technique.category = category;
  technique.source = "seed " + std::to_string(version);
  WARPMIND_TRY(technique.name, card.text("name", "name = \"vectorized_loads\""));
  WARPMIND_TRY(technique.title, card.text("title", "title = \"Vector loads\""));
  WARPMIND_TRY(technique.bottlenecks, enums<BottleneckClass>(card, "bottlenecks"));
  WARPMIND_TRY(technique.capability_min, capability_or(card, "capability_min", 0));
  WARPMIND_TRY(technique.capability_max, capability_or(card, "capability_max", 0));
  WARPMIND_TRY(technique.when, card.text("when", "when = \"…\""));
  WARPMIND_TRY(technique.when_not, card.text("when_not", "when_not = \"…\""));
  WARPMIND_TRY(technique.how, card.text("how", "how = \"…\""));
  WARPMIND_TRY(technique.parameters, card.texts_or_empty("parameters"));
  WARPMIND_TRY(technique.risks, card.text("risks", "risks = \"…\""));
  WARPMIND_TRY(technique.aliases, card.texts_or_empty("aliases"));
  WARPMIND_TRY(technique.typical_low, card.number("typical_low", "typical_low = 1.1"));
  WARPMIND_TRY(technique.typical_high, card.number("typical_high", "typical_high = 2"));
  WARPMIND_TRY(technique.generations, generations(card));
  return technique;
}

/// `card` gives what the claim leaves out.
Result<Insight> parse_claim(const TableReader& table, std::vector<std::string> techniques,
                            const Technique& card) {
  Insight insight;
  insight.action.techniques = std::move(techniques);
  WARPMIND_TRY(const auto kind, table.text_or("kind", "positive"));
  const auto parsed = parse_enum<InsightKind>(kind);
  if (!parsed) return table.error_at_key("kind", "is none of " + all_names_of<InsightKind>());
  insight.kind = *parsed;
  WARPMIND_TRY(insight.claim, table.text("claim", "claim = \"…\""));
  WARPMIND_TRY(insight.mechanism, table.text("mechanism", "mechanism = \"…\""));
  WARPMIND_TRY(insight.action.parameters, table.text_or("parameters", ""));
  InsightScope& scope = insight.scope;
  WARPMIND_TRY(scope.operator_families, table.texts_or_empty("families"));
  WARPMIND_TRY(scope.dtypes, enums<Dtype>(table, "dtypes"));
  WARPMIND_TRY(scope.bottlenecks, enums<BottleneckClass>(table, "bottlenecks"));
  if (scope.bottlenecks.empty()) scope.bottlenecks = card.bottlenecks;
  std::erase(scope.bottlenecks, BottleneckClass::unknown);
  WARPMIND_TRY(scope.contracts, table.texts_or_empty("contracts"));
  WARPMIND_TRY(scope.capability_min, capability_or(table, "capability_min", card.capability_min));
  WARPMIND_TRY(scope.capability_max, capability_or(table, "capability_max", card.capability_max));
  insight.provenance.source = std::string(kSeedSource);
  insight.provenance.author = "warpmind";
  insight.provenance.licence = "Apache-2.0";
  normalise(insight);
  insight.id = id_of(insight);
  return insight;
}

Result<void> parse_cards(const TableReader& root, Seed& seed) {
  WARPMIND_TRY(const auto category, root.text("category", "category = \"memory\""));
  WARPMIND_TRY(const auto cards, root.tables("technique", "[[technique]]"));
  for (const auto& card : cards) {
    WARPMIND_TRY(auto technique, parse_card(card, category, seed.version));
    WARPMIND_TRY(const auto* claim, card.need("insight", "[technique.insight]"));
    WARPMIND_TRY(const auto table, TableReader::open(card.file(), "[technique.insight]", *claim));
    WARPMIND_CHECK(
        table.allow_only({"kind", "claim", "mechanism", "parameters", "families", "dtypes",
                          "bottlenecks", "contracts", "capability_min", "capability_max"}));
    WARPMIND_TRY(auto insight, parse_claim(table, {technique.name}, technique));
    seed.insights.push_back(std::move(insight));
    seed.techniques.push_back(std::move(technique));
  }
  return {};
}

/// Claims beside those of the cards. All cards are known by then.
Result<void> parse_free_claims(const TableReader& root, Seed& seed) {
  WARPMIND_TRY(const auto claims, root.tables("insight", "[[insight]]"));
  for (const auto& table : claims) {
    WARPMIND_CHECK(table.allow_only({"technique", "techniques", "kind", "claim", "mechanism",
                                     "parameters", "families", "dtypes", "bottlenecks", "contracts",
                                     "capability_min", "capability_max"}));
    WARPMIND_TRY(auto techniques, table.texts_or_empty("techniques"));
    WARPMIND_TRY(const auto one, table.text_or("technique", ""));
    if (!one.empty()) techniques.insert(techniques.begin(), one);
    if (techniques.empty()) {
      return table.error_at(table.place(), "needs technique = \"…\" or techniques = […]");
    }
    // A claim on several techniques takes no limits from any of them.
    Technique card;
    for (const auto& name : techniques) {
      const auto found =
          std::find_if(seed.techniques.begin(), seed.techniques.end(),
                       [&](const Technique& technique) { return technique.name == name; });
      if (found == seed.techniques.end()) {
        return table.error_at(table.place(), "names the technique " + name + ", which has no card");
      }
      if (techniques.size() == 1) card = *found;
    }
    WARPMIND_TRY(auto insight, parse_claim(table, std::move(techniques), card));
    seed.insights.push_back(std::move(insight));
  }
  return {};
}

Result<void> parse_facts(const TableReader& root, Seed& seed) {
  WARPMIND_TRY(const auto facts, root.tables("fact", "[[fact]]"));
  for (const auto& table : facts) {
    WARPMIND_CHECK(table.allow_only({"name", "unit", "source", "note", "values"}));
    Fact fact;
    WARPMIND_TRY(fact.name, table.text("name", "name = \"warps_per_sm\""));
    WARPMIND_TRY(fact.unit, table.text("unit", "unit = \"warps\""));
    WARPMIND_TRY(fact.source, table.text("source", "source = \"document, section\""));
    WARPMIND_TRY(fact.note, table.text_or("note", ""));
    WARPMIND_TRY(const auto* value, table.need("values", "[fact.values]"));
    WARPMIND_TRY(const auto values, TableReader::open(table.file(), "[fact.values]", *value));
    for (const auto& entry : *value->get<TomlValue::Table>()) {
      fact.subject = entry.key;
      WARPMIND_TRY(fact.value, values.number(entry.key, entry.key + " = 64"));
      seed.facts.push_back(fact);
    }
  }
  return {};
}

Result<void> refuse_doubles(const Seed& seed) {
  std::set<std::string> names;
  for (const auto& technique : seed.techniques) {
    if (!names.insert(technique.name).second) {
      return fail(Errc::conflict, "the seed has two cards named " + technique.name);
    }
  }
  std::map<InsightId, std::string> claims;
  for (const auto& insight : seed.insights) {
    const auto [at, is_new] = claims.emplace(insight.id, insight.claim);
    if (is_new) continue;
    return fail(Errc::conflict, "the seed has two claims with one identity (" + insight.id.str() +
                                    "): '" + at->second + "' and '" + insight.claim + "'");
  }
  std::set<std::pair<std::string, std::string>> facts;
  for (const auto& fact : seed.facts) {
    if (!facts.emplace(fact.subject, fact.name).second) {
      return fail(Errc::conflict, "the seed has two facts " + fact.subject + " " + fact.name);
    }
  }
  return {};
}

}  // namespace

Result<Seed> parse_seed(std::span<const EmbeddedFile> files, std::int64_t version) {
  Seed seed;
  seed.version = version;
  std::vector<TomlValue> documents;
  std::vector<TableReader> roots;
  documents.reserve(files.size());  // the readers view them
  for (const auto& file : files) {
    WARPMIND_TRY(auto document, config::parse_toml(file.content, file.name));
    documents.push_back(std::move(document));
    WARPMIND_TRY(auto root, TableReader::open(file.name, "the file", documents.back()));
    WARPMIND_CHECK(root.allow_only({"category", "technique", "insight", "fact"}));
    roots.push_back(std::move(root));
  }
  for (const auto& root : roots) {
    if (root.find("technique") != nullptr) WARPMIND_CHECK(parse_cards(root, seed));
  }
  for (const auto& root : roots) {
    WARPMIND_CHECK(parse_free_claims(root, seed));
    WARPMIND_CHECK(parse_facts(root, seed));
  }
  WARPMIND_CHECK(refuse_doubles(seed));
  return seed;
}

Result<Seed> embedded_seed() { return parse_seed(seed_files(), kSeedVersion); }

}  // namespace warpmind::knowledge_base
