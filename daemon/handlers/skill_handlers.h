#pragma once
/// \file
/// The methods `skill.*`. What handlers capture must outlive the dispatcher.

#include "agents/analysis/kernel_analyst.h"
#include "config/settings.h"
#include "daemon/protocol/skill_messages.h"
#include "daemon/rpc/dispatcher.h"

namespace warpmind::daemon {

/// `analyst` may be null: then kernels of tests are not run.
void add_skill_methods(Dispatcher& dispatcher, agents::KernelAnalyst* analyst,
                       const config::Settings& settings);

}  // namespace warpmind::daemon
