#pragma once
/// \file
/// `moves.explain`, `flops.count`, `program.lift` and `program.rewrite`: what can be said
/// of, or written into, sources. What handlers capture must outlive the dispatcher.

#include "config/settings.h"
#include "daemon/protocol/flops_messages.h"
#include "daemon/protocol/kernel_messages.h"
#include "daemon/protocol/program_messages.h"
#include "daemon/rpc/dispatcher.h"
#include "knowledge_base/knowledge_base.h"

namespace warpmind::daemon {

[[nodiscard]] Handler<protocol::MovesExplainParams, protocol::MovesExplainResult> moves_explain(
    const config::Settings& settings, knowledge_base::KnowledgeBase& base);
[[nodiscard]] Handler<protocol::FlopsCountParams, protocol::FlopsCountResult> flops_count(
    const config::Settings& settings);
[[nodiscard]] Handler<protocol::ProgramLiftParams, LiftedProgram> program_lift();
[[nodiscard]] Handler<protocol::ProgramRewriteParams, protocol::ProgramRewriteResult>
program_rewrite();

}  // namespace warpmind::daemon
