#pragma once
/// \file
/// The methods that work on the knowledge base, and what is asked of episodes. What takes as long
/// as the base is large is registered as Execution::slow.

#include "daemon/health_board.h"
#include "daemon/rpc/dispatcher.h"
#include "knowledge_base/knowledge_base.h"

#include <filesystem>
#include <functional>
#include <string>

namespace warpmind::daemon {

/// What the handlers work with. References must outlive the dispatcher.
struct KnowledgeAccess {
  knowledge_base::KnowledgeBase& base;
  HealthBoard& health;
  std::function<bool()> jobs_at_work;  ///< whether any job waits or runs
  std::string user;                    ///< login name of the clients' user
  std::filesystem::path skills = {};   ///< folder of the person's skills, which leave in packs
};

/// Every method whose name starts with "kb." or "export.", and "episode.explain".
void add_knowledge_methods(Dispatcher& dispatcher, const KnowledgeAccess& access);

void add_search_methods(Dispatcher& dispatcher, const KnowledgeAccess& access);
void add_insight_methods(Dispatcher& dispatcher, const KnowledgeAccess& access);
void add_claim_methods(Dispatcher& dispatcher, const KnowledgeAccess& access);
void add_catalogue_methods(Dispatcher& dispatcher, const KnowledgeAccess& access);
void add_graph_methods(Dispatcher& dispatcher, const KnowledgeAccess& access);
void add_upkeep_methods(Dispatcher& dispatcher, const KnowledgeAccess& access);
void add_exchange_methods(Dispatcher& dispatcher, const KnowledgeAccess& access);

}  // namespace warpmind::daemon
