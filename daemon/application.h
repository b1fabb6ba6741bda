#pragma once
/// \file
/// Composition root: builds every object, in order; destruction in reverse is the shutdown plan.

#include "base/clock.h"
#include "base/result.h"
#include "config/settings_loader.h"
#include "daemon/health_board.h"
#include "daemon/machine_now.h"
#include "daemon/scheduler/job_runner.h"
#include "daemon/scheduler/lane.h"
#include "knowledge_base/knowledge_base.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace warpmind::agents {
class ExternalEpisodes;
class KernelAnalyst;
}  // namespace warpmind::agents

namespace warpmind::profilers {
class ProgramDesk;
}  // namespace warpmind::profilers

namespace warpmind::daemon {

/// What runs jobs, and what it says of the machine. Built once the base is open.
class JobEngine {
 public:
  virtual ~JobEngine() = default;
  [[nodiscard]] virtual JobRunner& runner() = 0;
  /// Lanes that it has devices for; at least one.
  [[nodiscard]] virtual std::vector<LaneSpec> lanes() const { return {LaneSpec{}}; }
  /// May take seconds; called on a pool thread while runner() may be at work.
  [[nodiscard]] virtual DeviceView device() = 0;
  /// What measures now. May take seconds. Errors: unavailable when nothing does.
  [[nodiscard]] virtual Result<MachineNow> machine() {
    return fail(Errc::unavailable, "nothing is measured here");
  }
  /// Episodes whose candidates come from outside; null when this engine has none.
  [[nodiscard]] virtual agents::ExternalEpisodes* guests() { return nullptr; }
  /// What looks at source that is not submitted; null when this engine cannot.
  [[nodiscard]] virtual agents::KernelAnalyst* analyst() { return nullptr; }
  /// Where users' programs are checked; null when this engine cannot.
  [[nodiscard]] virtual profilers::ProgramDesk* programs() { return nullptr; }
};

/// The references outlive the engine.
using EngineFactory = std::function<Result<std::unique_ptr<JobEngine>>(
    knowledge_base::KnowledgeBase&, const config::Settings&, const Clock&)>;

/// Starts and serves until shut down. Errors: conflict when another daemon runs; invalid_argument
/// for settings; unavailable for what the machine lacks.
[[nodiscard]] Result<void> serve(const config::LoadedSettings& loaded,
                                 const EngineFactory& make_engine, const std::string& version);

/// 2 usage or settings, 3 another daemon runs or listens, 4 the machine.
[[nodiscard]] int exit_code_of(Errc code);

}  // namespace warpmind::daemon
