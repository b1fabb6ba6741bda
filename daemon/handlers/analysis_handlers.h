#pragma once
/// \file
/// `kernel.analyze` and `library.baseline`.

#include "agents/analysis/kernel_analyst.h"
#include "config/settings.h"
#include "daemon/rpc/dispatcher.h"

namespace warpmind::daemon {

/// `analyst` may be null: then the method answers that this daemon does not look at source. What is
/// given must outlive the dispatcher.
struct AnalysisAccess {
  agents::KernelAnalyst* analyst = nullptr;
  const config::Settings& settings;
};

void add_analysis_methods(Dispatcher& dispatcher, const AnalysisAccess& access);

}  // namespace warpmind::daemon
