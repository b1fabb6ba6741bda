#include "knowledge_base/insights/technique_records.h"

#include "knowledge_base/insights/insight_codec.h"
#include "knowledge_base/key_codec.h"

namespace warpmind::knowledge_base {
namespace {

/// Adds a record or replaces it.
void write(ChangeSet& change, Family family, std::string key, std::string bytes, bool known) {
  if (known) {
    change.put(family, std::move(key), std::move(bytes));
  } else {
    change.add(family, std::move(key), std::move(bytes));
  }
}

}  // namespace

Result<std::optional<Technique>> load_technique(const ChangeSet& change, const std::string& name) {
  WARPMIND_TRY(const auto bytes, change.get(Family::techniques, technique_key(name)));
  if (!bytes) return std::optional<Technique>();
  WARPMIND_TRY(auto technique, decode_technique(*bytes));
  return std::optional<Technique>(std::move(technique));
}

Result<bool> store_technique(ChangeSet& change, const Technique& technique, const Actor& actor) {
  WARPMIND_TRY(auto before, load_technique(change, technique.name));
  if (before == technique) return false;
  WARPMIND_TRY(auto bytes, encode_technique(technique));
  if (before) {
    WARPMIND_TRY(auto old, encode_technique_version(
                               {std::move(*before), actor.name, actor.reason, change.sequence()}));
    change.put(Family::techniques, technique_history_key(technique.name, change.sequence()),
               std::move(old));
  }
  write(change, Family::techniques, technique_key(technique.name), std::move(bytes),
        before.has_value());
  return true;
}

Result<bool> store_fact(ChangeSet& change, const Fact& fact) {
  const std::string key = fact_key(fact.subject, fact.name);
  WARPMIND_TRY(const auto before, change.get(Family::facts, key));
  WARPMIND_TRY(auto bytes, encode_fact(fact));
  if (before == bytes) return false;
  write(change, Family::facts, key, std::move(bytes), before.has_value());
  return true;
}

}  // namespace warpmind::knowledge_base
