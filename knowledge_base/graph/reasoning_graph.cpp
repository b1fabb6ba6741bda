#include "knowledge_base/graph/reasoning_graph.h"

#include "base/hash.h"
#include "knowledge_base/graph/calibration.h"
#include "knowledge_base/graph/edge_reader.h"
#include "knowledge_base/graph/graph_codec.h"
#include "knowledge_base/graph/regrapht_claims.h"
#include "knowledge_base/graph/regrapht_export.h"
#include "knowledge_base/graph/regrapht_reader.h"
#include "knowledge_base/insights/insight_codec.h"
#include "knowledge_base/insights/insight_writer.h"
#include "knowledge_base/insights/validation.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/open_base.h"
#include "knowledge_base/record_codec.h"

#include <algorithm>
#include <limits>
#include <map>
#include <span>

namespace warpmind::knowledge_base {
namespace {

/// Steps of an episode that was not held out, in order, until `visit` returns an error.
template <class Visit>
Result<void> visit_steps(const Database& database, const rocksdb::Snapshot* snapshot,
                         std::int64_t episode, std::int64_t steps, const Visit& visit) {
  for (std::int64_t i = 0; i < steps; ++i) {
    const auto position = static_cast<std::size_t>(i);
    WARPMIND_TRY(const auto bytes,
                 database.get(Family::steps, step_key(episode, position), snapshot));
    if (!bytes) {
      return fail(Errc::corrupt_data, "step " + std::to_string(i) + " of episode " +
                                          std::to_string(episode) + " is missing in the base");
    }
    WARPMIND_TRY(const auto stored, decode_step(*bytes));
    visit(stored.step);
  }
  return {};
}

Result<Calibration> calibration_of(const Database& database, std::optional<Provider> provider) {
  const auto snapshot = database.snapshot();
  std::vector<Forecast> forecasts;
  const Database::Range range{Family::episodes, std::string(), ScanOrder::ascending,
                              snapshot.get()};
  const auto read = [&](std::string_view key, std::string_view value) -> Result<bool> {
    const auto number = number_in_key(key);
    WARPMIND_TRY(const auto stored, decode_episode(value));
    if (!number || (provider && stored.episode.provider != *provider)) return true;
    WARPMIND_CHECK(visit_steps(database, snapshot.get(), *number, stored.referenced_steps,
                               [&](const Step& step) {
                                 const auto forecast = forecast_of(step, stored.episode.provider);
                                 if (forecast) forecasts.push_back(*forecast);
                               }));
    return true;
  };
  WARPMIND_CHECK(database.scan(range, read));
  return calibrate(forecasts);
}

Result<std::vector<StateCluster>> clusters_of(const Database& database) {
  const auto snapshot = database.snapshot();
  EdgeReader reader(database, snapshot.get());
  std::vector<StateCluster> all;
  for (const auto& [bottleneck, name] : EnumNames<BottleneckClass>::table) {
    WARPMIND_TRY(const auto* states, reader.states(bottleneck));
    all.insert(all.end(), states->begin(), states->end());
  }
  return all;
}

Result<std::optional<std::string>> cluster_of_step(const Database& database, std::int64_t episode,
                                                   std::int64_t step) {
  const auto snapshot = database.snapshot();
  const auto position = static_cast<std::size_t>(step);
  WARPMIND_TRY(const auto bytes,
               database.get(Family::edges, step_cluster_key(episode, position), snapshot.get()));
  if (!bytes) return std::optional<std::string>();
  WARPMIND_TRY(const auto cluster, decode_step_cluster(*bytes));
  EdgeReader reader(database, snapshot.get());
  WARPMIND_TRY(auto target, reader.resolve(cluster));
  return std::optional<std::string>(std::move(target));
}

}  // namespace

Result<std::vector<EdgeStatistics>> ReasoningGraph::edges(const EdgeFilter& filter) const {
  return base_.read([&filter](const Database& database, const std::string&) {
    const auto snapshot = database.snapshot();
    return EdgeReader(database, snapshot.get()).edges(filter);
  });
}

Result<std::vector<StateCluster>> ReasoningGraph::clusters() const {
  return base_.read(
      [](const Database& database, const std::string&) { return clusters_of(database); });
}

Result<std::string> ReasoningGraph::cluster_of(BottleneckClass bottleneck,
                                               const std::map<std::string, double>& profile) const {
  return base_.read([bottleneck, &profile](const Database& database, const std::string&) {
    return EdgeReader(database).cluster_of(bottleneck, profile);
  });
}

Result<std::optional<std::string>> ReasoningGraph::cluster_of(const EpisodeId& episode,
                                                              std::int64_t step) const {
  const auto number = number_of(episode);
  if (!number || step < 0 || step > std::numeric_limits<std::uint32_t>::max()) {
    return fail(Errc::invalid_argument,
                "'" + episode.str() + "' step " + std::to_string(step) +
                    " names no step; an episode is e- and ten digits, steps count from 0");
  }
  return base_.read([number, step](const Database& database, const std::string&) {
    return cluster_of_step(database, *number, step);
  });
}

Result<Calibration> ReasoningGraph::calibration(std::optional<Provider> provider) const {
  return base_.read([provider](const Database& database, const std::string&) {
    return calibration_of(database, provider);
  });
}

Result<std::string> ReasoningGraph::export_json() const {
  return base_.read(
      [](const Database& database, const std::string&) { return export_regrapht(database); });
}

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
