#include "knowledge_base/retrieval/projection.h"

#include "knowledge_base/key_codec.h"
#include "knowledge_base/retrieval/catalogue_entry.h"
#include "knowledge_base/retrieval/embedder.h"
#include "knowledge_base/retrieval/embedding_records.h"
#include "knowledge_base/retrieval/searched_text.h"
#include "knowledge_base/retrieval/term_index.h"
#include "knowledge_base/retrieval/text_analysis.h"

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

}  // namespace warpmind::knowledge_base
