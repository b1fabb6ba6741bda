#include "base/hash.h"
#include "knowledge_base/graph/reasoning_graph.h"
#include "knowledge_base/graph/regrapht_claims.h"
#include "knowledge_base/graph/regrapht_reader.h"
#include "knowledge_base/insights/insight_codec.h"
#include "knowledge_base/insights/insight_writer.h"
#include "knowledge_base/insights/validation.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/open_base.h"

#include <algorithm>
#include <map>
#include <span>

namespace warpmind::knowledge_base {
namespace {

/// A claim with its history and its entry in the index takes about this much.
constexpr std::int64_t kClaimBytes = 4096;
/// Claims a change: other writers wait for no more.
constexpr std::size_t kClaimsAChange = 500;

using Names = std::map<std::string, std::string>;

/// Technique names of ours by name and alias, as technique_slug() writes them.
Result<Names> known_techniques(const Database& database) {
  Names known;
  Names aliases;
  const auto read = [&](std::string_view, std::string_view bytes) -> Result<bool> {
    WARPMIND_TRY(const auto card, decode_technique(bytes));
    known[technique_slug(card.name)] = card.name;
    for (const auto& alias : card.aliases) aliases.emplace(technique_slug(alias), card.name);
    return true;
  };
  WARPMIND_CHECK(database.scan({Family::techniques, technique_prefix()}, read));
  known.merge(aliases);  // a name of ours goes before an alias
  return known;
}

InsightEvent event_of(Insight claim, const Actor& actor, UnixMillis now) {
  claim.id = id_of(claim);
  InsightEvent event;
  event.insight = claim.id;
  event.actor = actor;
  event.at = now;
  event.content = std::move(claim);
  return event;
}

/// Writes what is not there yet of `claims`; returns how many became insights of their own.
Result<std::int64_t> write_claims(ChangeSet& change, std::span<const Insight> claims,
                                  const Actor& actor, UnixMillis now) {
  InsightWriter writer(change);
  std::int64_t fresh = 0;
  for (const auto& claim : claims) {
    auto event = event_of(claim, actor, now);
    WARPMIND_TRY(const auto stored, change.get(Family::insights, insight_key(event.insight)));
    if (stored) continue;
    WARPMIND_TRY(const auto written, writer.add_or_confirm(std::move(event)));
    if (written.created == change.sequence()) ++fresh;
  }
  std::vector<std::string> ids;
  for (const auto& id : writer.touched()) ids.push_back(id.str());
  change.describe("insights", std::move(ids));
  return fresh;
}

}  // namespace

Result<std::int64_t> ReasoningGraph::import_json(const std::string& json,
                                                 const std::string& source) {
  const std::string origin = source.empty() ? "regrapht:" + short_hash(json) : source;
  WARPMIND_CHECK(check_source(origin));
  WARPMIND_TRY(const auto graph, read_regrapht(json));
  WARPMIND_TRY(const auto known, base_.read([](const Database& database, const std::string&) {
    return known_techniques(database);
  }));
  const auto claims = claims_of(graph, origin, [&known](const std::string& name) {
    const std::string slug = technique_slug(name);
    const auto found = known.find(slug);
    return found == known.end() ? slug : found->second;
  });
  const Actor actor{origin, "import of a reasoning graph"};
  std::int64_t fresh = 0;
  for (std::size_t at = 0; at < claims.size(); at += kClaimsAChange) {
    const auto part = std::span(claims).subspan(at, std::min(kClaimsAChange, claims.size() - at));
    const auto bytes = kClaimBytes * static_cast<std::int64_t>(part.size());
    const auto make = [&](ChangeSet& change) -> Result<void> {
      WARPMIND_TRY(const auto more,
                   write_claims(change, part, actor, base_.location().clock.wall()));
      fresh += more;
      return {};
    };
    WARPMIND_CHECK(base_.write(bytes, make));
  }
  return fresh;
}

}  // namespace warpmind::knowledge_base
