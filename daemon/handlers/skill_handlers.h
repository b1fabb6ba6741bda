#pragma once
/// \file
/// The methods `skill.*`. What handlers capture must outlive the dispatcher.

#include "agents/analysis/kernel_analyst.h"
#include "config/settings.h"
#include "daemon/protocol/skill_messages.h"
#include "daemon/rpc/dispatcher.h"
#include "knowledge_base/knowledge_base.h"

#include <string>

namespace warpmind::daemon {

struct SkillAccess {
  agents::KernelAnalyst* analyst = nullptr;  ///< may be null: then kernels of tests are not run
  const config::Settings& settings;
  knowledge_base::KnowledgeBase& base;
  std::string user;  ///< login name of the clients' user
};

void add_skill_methods(Dispatcher& dispatcher, const SkillAccess& access);

}  // namespace warpmind::daemon
