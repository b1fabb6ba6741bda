#include "knowledge_base/retrieval/projection.h"

#include "base/model/verdict_reading.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/retrieval/catalogue_entry.h"
#include "knowledge_base/retrieval/embedder.h"
#include "knowledge_base/retrieval/embedding_records.h"
#include "knowledge_base/retrieval/lift_codec.h"
#include "knowledge_base/retrieval/searched_text.h"
#include "knowledge_base/retrieval/term_index.h"
#include "knowledge_base/retrieval/text_analysis.h"

#include <map>

namespace warpmind::knowledge_base {
namespace {

/// Its postings stay: readers skip a document that has no entry.
void bury(ChangeSet& change, std::int64_t document) {
  change.erase(Family::embeddings, catalogue_key(document));
  for (const Space space : kSpaces) {
    change.erase(Family::embeddings, vector_key(number_of(space), document));
  }
  change.touch_document(document);
}

Result<void> add_document(ChangeSet& change, const Insight& insight, const std::string& text,
                          const std::vector<std::string>& tokens) {
  const auto indexed = index_document(change, insight.document, tokens);
  if (!indexed) return fail(indexed.error());
  for (const Space space : kSpaces) {
    const auto vector =
        space == Space::text ? std::optional(embed_text(text, tokens)) : embed(space, insight);
    if (vector) {
      change.put(Family::embeddings, vector_key(number_of(space), insight.document),
                 encode_vector(space, *vector));
    }
  }
  return {};
}

}  // namespace

Result<void> project_document(ChangeSet& change, const std::optional<Insight>& before,
                              Insight& after) {
  const std::string text = searched_text(after);
  const auto tokens = analyse(text);  // once for all: it costs as much as the rest
  WARPMIND_TRY(const auto entry, catalogue_entry_of(after, tokens));
  std::string bytes = encode_catalogue_entry(entry);
  const bool indexed = before && before->document != 0;
  const bool stays = indexed && same_document(*before, after);
  if (stays) {
    after.document = before->document;
  } else {
    if (indexed) bury(change, before->document);
    after.document = change.state().next_document++;
    WARPMIND_CHECK(add_document(change, after, text, tokens));
  }
  // Also where nothing changed that the search keeps: who shows the insight must read it again.
  change.touch_document(after.document);
  if (stays) {
    WARPMIND_TRY(const auto stored, change.get(Family::embeddings, catalogue_key(after.document)));
    if (stored == bytes) return {};
  }
  change.put(Family::embeddings, catalogue_key(after.document), std::move(bytes));
  return {};
}

namespace {

/// What the steps of one episode say about each insight.
std::map<InsightId, LiftArms> arms_of(const Episode& episode) {
  std::map<InsightId, LiftArms> arms;
  for (const auto& step : episode.steps) {
    const auto outcome = outcome_of(step.verdict);
    if (!outcome || is_own_fault(step.candidate, step.verdict)) continue;
    for (const auto& exposure : step.exposures) {
      // Where chance did not decide there is nothing to compare with. Also refuses NaN.
      const bool by_chance = exposure.propensity > 0 && exposure.propensity < 1;
      if (!by_chance) continue;
      auto& [shown, withheld] = arms[exposure.insight];
      if (exposure.shown) {
        shown.add(*outcome, exposure.propensity);
      } else {
        withheld.add(*outcome, 1 - exposure.propensity);
      }
    }
  }
  return arms;
}

void add(LiftArm& sum, const LiftArm& part) {
  sum.steps += part.steps;
  sum.weight += part.weight;
  sum.weight_squares += part.weight_squares;
  sum.weighted += part.weighted;
  sum.weighted_by_squares += part.weighted_by_squares;
  sum.weighted_squares_twice += part.weighted_squares_twice;
}

}  // namespace

Result<std::vector<InsightId>> project_exposures(ChangeSet& change, const Episode& episode) {
  std::vector<InsightId> harmful;
  if (episode.split == Split::heldout) return harmful;
  for (const auto& [id, arms] : arms_of(episode)) {
    WARPMIND_TRY(const auto stored, change.get(Family::posteriors, lift_key(id)));
    LiftCounts counts;
    if (stored) {
      WARPMIND_TRY(counts, decode_lift(*stored));
    }
    auto& [shown, withheld] = counts.by_provider[episode.provider];
    add(shown, arms.shown);
    add(withheld, arms.withheld);
    WARPMIND_TRY(auto bytes, encode_lift(counts));
    change.put(Family::posteriors, lift_key(id), std::move(bytes));
    if (is_harmful(estimate_lift(counts))) harmful.push_back(id);
  }
  return harmful;
}

}  // namespace warpmind::knowledge_base
