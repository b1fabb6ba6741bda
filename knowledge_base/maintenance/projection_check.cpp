#include "knowledge_base/maintenance/projection_check.h"

#include "knowledge_base/graph/graph_codec.h"
#include "knowledge_base/insights/insight_codec.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/packs/skill_records.h"
#include "knowledge_base/record_codec.h"
#include "knowledge_base/retrieval/catalogue_entry.h"
#include "knowledge_base/retrieval/postings.h"

#include <cstdint>
#include <string>

namespace warpmind::knowledge_base {
namespace {

using References = std::vector<Reference>;

template <class T>
Result<References> without_references(const Result<T>& decoded) {
  if (!decoded) return fail(decoded.error());
  return References{};
}

Result<References> check_insight(std::string_view key, std::string_view value) {
  WARPMIND_TRY(const auto stored, decode_stored_insight(value));
  const Insight& insight = stored.insight;
  const std::string& id = insight.id.str();
  if (key != insight_key(insight.id)) {
    return fail(Errc::corrupt_data, "insight " + id + " lies at another key");
  }
  References found;
  if (insight.document != 0) {
    found.push_back({Family::embeddings, catalogue_key(insight.document),
                     "the catalogue entry of insight " + id});
  }
  for (const auto& evidence : insight.evidence) {
    if (const auto episode = number_of(evidence.episode)) {
      found.push_back({Family::episodes, episode_key(*episode),
                       "episode " + evidence.episode.str() + ", evidence of insight " + id});
    }
  }
  for (const auto& other : insight.supersedes) {
    found.push_back({Family::insights, insight_key(other), "what insight " + id + " supersedes"});
  }
  return found;
}

Result<References> check_event(std::string_view value) {
  WARPMIND_TRY(const auto event, decode_event(value));
  if (event.insight.str().empty()) return References{};  // about a source
  return References{{Family::insights, insight_key(event.insight),
                     "insight " + event.insight.str() + " of an event"}};
}

Result<References> check_history(std::string_view key) {
  const auto event = event_in_history_key(key);
  if (!event) return fail(Errc::corrupt_data, "a key of an insight's history is damaged");
  return References{
      {Family::insights, insight_event_key(event->first, event->second),
       "event " + std::to_string(event->second) + " of change " + std::to_string(event->first)}};
}

/// The number in the last four bytes of a key.
std::int64_t document_in(std::string_view key) {
  std::uint32_t number = 0;
  for (const char c : key.substr(key.size() - 4)) {
    number = (number << 8U) | static_cast<unsigned char>(c);
  }
  return number;
}

}  // namespace

Result<References> check_insights(std::string_view key, std::string_view value) {
  if (key.starts_with(insight_prefix())) return check_insight(key, value);
  if (key.starts_with(insight_event_prefix(0).substr(0, 1))) return check_event(value);
  if (key.starts_with(insight_history_prefix())) return check_history(key);
  if (key.starts_with(source_prefix())) return without_references(decode_source(value));
  if (key.starts_with(insight_count_prefix())) return without_references(decode_number(value));
  return References{};
}

Result<References> check_techniques(std::string_view key, std::string_view value) {
  if (is_record_key(key)) return without_references(decode_technique(value));
  if (key.starts_with(skill_prefix())) return without_references(decode_skill(value));
  return without_references(decode_technique_version(value));
}

Result<References> check_edges(std::string_view key, std::string_view value) {
  if (is_record_key(key)) return without_references(decode_edge(value));
  if (key.starts_with(cluster_prefix())) return without_references(decode_cluster(value));
  WARPMIND_TRY(const auto cluster, decode_step_cluster(value));
  constexpr std::size_t kBytes = 1 + 8 + 4;
  const auto episode = number_in_key(key.substr(0, 1 + 8));
  if (key.size() != kBytes || !episode) {
    return fail(Errc::corrupt_data, "the key of a step's cluster is damaged");
  }
  const auto position = static_cast<std::size_t>(document_in(key));
  return References{{Family::steps, step_key(*episode, position),
                     "the step that cluster " + cluster + " took in"}};
}

Result<References> check_embeddings(std::string_view key, std::string_view value) {
  if (key.size() < 1 + 4) return fail(Errc::corrupt_data, "a key of the catalogue is damaged");
  const auto document = document_in(key);
  const std::string name = "document " + std::to_string(document);
  if (!key.starts_with(catalogue_prefix())) {
    return References{{Family::embeddings, catalogue_key(document), "the entry of " + name}};
  }
  WARPMIND_TRY(const auto entry, decode_catalogue_entry(value));
  return References{
      {Family::insights, insight_key(insight_id_of(entry)), "the insight of " + name}};
}

Result<References> check_terms(std::string_view value) {
  WARPMIND_TRY(const auto postings, PostingsView::over(value));
  if (postings.ascending()) return References{};
  return fail(Errc::corrupt_data, "postings are out of order");
}

}  // namespace warpmind::knowledge_base
