#pragma once
/// \file
/// What episodes left behind: `episode.explain` and `export.*`.

#include "daemon/handlers/kb_handlers.h"

namespace warpmind::daemon {

void add_explain_methods(Dispatcher& dispatcher, const KnowledgeAccess& access);
void add_export_methods(Dispatcher& dispatcher, const KnowledgeAccess& access);

}  // namespace warpmind::daemon
