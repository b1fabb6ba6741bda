#pragma once
/// \file
/// Who watches the daemon from outside: figures for Prometheus, health for a supervisor, traces for
/// a collector (docs/observability.md). All of it is derived; nothing here decides anything.

#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"
#include "config/settings.h"
#include "daemon/health_board.h"
#include "daemon/http/router.h"
#include "daemon/metrics/metrics.h"
#include "daemon/scheduler/scheduler.h"
#include "daemon/telemetry/otlp_exporter.h"
#include "knowledge_base/knowledge_base.h"

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace warpmind::daemon {

/// Threads: as each function says.
class Observation {
 public:
  using Task = std::function<void()>;
  struct Parts {
    knowledge_base::KnowledgeBase& base;
    const HealthBoard& health;
    const config::Settings& settings;
    const Clock& clock;
    std::string version;
    std::function<void(Task)> pool;  ///< for what waits for the disk
    std::function<void(Task)> io;    ///< back to the io thread
  };
  /// What only the server knows; asked on the io thread.
  struct Counts {
    std::int64_t connections = 0;
    std::int64_t sessions = 0;
    bool stopping = false;
  };

  /// References must outlive it, and it the last task on both executors. Errors: invalid_argument
  /// for otlp.endpoint.
  [[nodiscard]] static Result<std::unique_ptr<Observation>> create(Parts parts);

  /// Any thread. News of a job: what ended is counted once, and traced.
  void on_event(const JobEvent& event);
  /// Any thread. A job that ended without such news, as external episodes do; call it once a job.
  void ended(const JobId& id);
  /// Any thread.
  Metrics& metrics() { return metrics_; }
  /// io thread. Adds /metrics, /healthz and /readyz. `scheduler` must outlive this.
  void serve(http::Router& router, const Scheduler& scheduler,
             const std::function<Counts()>& counts);

 private:
  struct Lane {
    std::map<JobId, std::chrono::steady_clock::time_point> at_work = {};  // since when
    std::chrono::steady_clock::duration busy{};
    std::deque<JobId> ended = {};  // the newest of those that were counted
  };

  Observation(Parts parts, std::unique_ptr<OtlpExporter> traces);
  [[nodiscard]] bool note(const protocol::ProgressParams& progress);
  void count(const JobId& id);
  void answer_metrics(const std::shared_ptr<http::Exchange>& exchange, const Scheduler& scheduler,
                      const Counts& counts);
  void read_base(MetricsNow& now) const;
  [[nodiscard]] double lane_busy_s() const;

  Parts parts_;
  std::chrono::steady_clock::time_point started_;
  Metrics metrics_;
  std::unique_ptr<OtlpExporter> traces_;  // null = off
  Guarded<Lane> lane_;
};

}  // namespace warpmind::daemon
