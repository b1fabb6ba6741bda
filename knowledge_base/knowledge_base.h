#pragma once
/// \file
/// A base with everything that works on it, opened and wired in order.

#include "base/result.h"
#include "knowledge_base/embedding/embedding_options.h"
#include "knowledge_base/store_location.h"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace warpmind::knowledge_base {

class ClaimLog;
class InsightLibrary;
class KnowledgeStore;
class Maintenance;
class PackExchange;
class QueueAgenda;
class QueueRecords;
class ReasoningGraph;
class Retrieval;
class SkillShelf;
class Spending;

/// Threads: the parts say so; all may be used from any thread.
class KnowledgeBase {
 public:
  /// Opens (or makes) the base, finishes an interrupted rebuild, loads the seed, builds the index.
  /// A base that is read-only opens all the same. Errors: as RocksDbKnowledgeStore::open;
  /// invalid_argument for what is wrong in `embedding`.
  [[nodiscard]] static Result<std::unique_ptr<KnowledgeBase>> open(
      const StoreLocation& location, const EmbeddingOptions& embedding = {});
  ~KnowledgeBase();
  KnowledgeBase(const KnowledgeBase&) = delete;
  KnowledgeBase& operator=(const KnowledgeBase&) = delete;

  [[nodiscard]] KnowledgeStore& store();
  [[nodiscard]] InsightLibrary& insights();
  [[nodiscard]] Retrieval& retrieval();
  [[nodiscard]] ReasoningGraph& graph();
  [[nodiscard]] PackExchange& packs();
  [[nodiscard]] ClaimLog& claims();
  [[nodiscard]] SkillShelf& skills();
  [[nodiscard]] Maintenance& maintenance();
  [[nodiscard]] Spending& spending();
  [[nodiscard]] QueueRecords& queue();
  [[nodiscard]] QueueAgenda& agenda();
  /// As OpenBase::on_commit, with what the log calls the changes.
  void on_commit(std::function<void(const std::set<std::string>& kinds)> audience);
  /// What RocksDB says of itself (knowledge_base/engine_figures.h).
  [[nodiscard]] std::map<std::string, double> engine_figures() const;

 private:
  struct Parts;
  explicit KnowledgeBase(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace warpmind::knowledge_base
