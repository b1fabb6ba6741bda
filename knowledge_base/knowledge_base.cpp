#include "knowledge_base/knowledge_base.h"

#include "base/log.h"
#include "knowledge_base/engine_figures.h"
#include "knowledge_base/graph/reasoning_graph.h"
#include "knowledge_base/insights/insight_library.h"
#include "knowledge_base/maintenance/maintenance.h"
#include "knowledge_base/open_base.h"
#include "knowledge_base/packs/claim_log.h"
#include "knowledge_base/packs/pack_exchange.h"
#include "knowledge_base/packs/skill_shelf.h"
#include "knowledge_base/queue_agenda.h"
#include "knowledge_base/queue_records.h"
#include "knowledge_base/retrieval/retrieval.h"
#include "knowledge_base/rocksdb_knowledge_store.h"
#include "knowledge_base/spending.h"

#include <utility>

namespace warpmind::knowledge_base {

/// In the order of their making; destruction in reverse closes the base last.
struct KnowledgeBase::Parts {
  Parts(std::unique_ptr<OpenBase> opened, std::unique_ptr<Retrieval> index)
      : base(std::move(opened)),
        retrieval(std::move(index)),
        store(*base, retrieval.get()),
        insights(*base),
        graph(*base),
        packs(*base),
        claims(*base),
        skills(*base),
        maintenance(*base, *retrieval),
        spending(*base),
        queue(*base),
        agenda(*base) {}

  std::unique_ptr<OpenBase> base;
  std::unique_ptr<Retrieval> retrieval;
  RocksDbKnowledgeStore store;
  InsightLibrary insights;
  ReasoningGraph graph;
  PackExchange packs;
  ClaimLog claims;
  SkillShelf skills;
  Maintenance maintenance;
  Spending spending;
  QueueRecords queue;
  QueueAgenda agenda;
};

KnowledgeBase::KnowledgeBase(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
KnowledgeBase::~KnowledgeBase() {
  const auto saved = parts_->retrieval->save();
  if (!saved) {
    log::warn("knowledge_base", "the search index was not saved; it is built again at the start",
              {{"why", saved.error().message}});
  }
}

Result<std::unique_ptr<KnowledgeBase>> KnowledgeBase::open(const StoreLocation& location,
                                                           const EmbeddingOptions& embedding) {
  WARPMIND_TRY(auto base, OpenBase::open(location));
  WARPMIND_TRY(auto retrieval, Retrieval::open(*base, {}, embedding));
  auto parts = std::make_unique<Parts>(std::move(base), std::move(retrieval));
  // What a read-only base refuses now, it gets at a later start.
  const auto continued = parts->maintenance.finish_interrupted();
  const auto seeded = parts->packs.load_seed();
  for (const auto* refused :
       {continued ? nullptr : &continued.error(), seeded ? nullptr : &seeded.error()}) {
    if (refused == nullptr) continue;
    if (refused->code != Errc::unavailable) return fail(*refused);
    log::warn("knowledge_base", "left for a later start", {{"why", refused->message}});
  }
  return std::unique_ptr<KnowledgeBase>(new KnowledgeBase(std::move(parts)));
}

KnowledgeStore& KnowledgeBase::store() { return parts_->store; }
InsightLibrary& KnowledgeBase::insights() { return parts_->insights; }
Retrieval& KnowledgeBase::retrieval() { return *parts_->retrieval; }
ReasoningGraph& KnowledgeBase::graph() { return parts_->graph; }
PackExchange& KnowledgeBase::packs() { return parts_->packs; }
ClaimLog& KnowledgeBase::claims() { return parts_->claims; }
SkillShelf& KnowledgeBase::skills() { return parts_->skills; }
Maintenance& KnowledgeBase::maintenance() { return parts_->maintenance; }
Spending& KnowledgeBase::spending() { return parts_->spending; }
QueueRecords& KnowledgeBase::queue() { return parts_->queue; }
QueueAgenda& KnowledgeBase::agenda() { return parts_->agenda; }
void KnowledgeBase::on_commit(std::function<void(const std::set<std::string>&)> audience) {
  if (!audience) return parts_->base->on_commit(nullptr);
  parts_->base->on_commit(
      [audience = std::move(audience)](const Committed& committed) { audience(committed.kinds); });
}
std::map<std::string, double> KnowledgeBase::engine_figures() const {
  return knowledge_base::engine_figures(*parts_->base);
}

}  // namespace warpmind::knowledge_base
