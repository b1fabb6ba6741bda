#pragma once
/// \file
/// What the daemon did since its start and how it stands, for Prometheus. Names, units and labels:
/// docs/observability.md. No label ever holds a kernel, a job or what a client sent.

#include "base/model/job.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace warpmind::daemon {

/// How things stand at the moment of asking.
struct MetricsNow {
  double uptime_s = 0;
  std::int64_t queued = 0;
  std::int64_t running = 0;
  std::int64_t connections = 0;
  std::int64_t sessions = 0;  ///< of HTTP clients, those without a connection included
  double lane_busy_s = 0;     ///< since the start, of all lanes
  bool degraded = false;      ///< the base is read-only
  std::int64_t base_disk_bytes = 0;
  std::map<std::string, std::int64_t> base_records = {};  ///< by column family
  std::map<std::string, double> engine = {};  ///< RocksDB's own figures, by our name for them
  double resident_bytes = 0;                  ///< of this process
  double open_descriptors = 0;
  double threads = 0;
  std::uint64_t spans_sent = 0;
  std::uint64_t spans_dropped = 0;
};

/// Threads: every function from any thread at the same time.
class Metrics {
 public:
  /// `model_provider`: who serves the language model, for the label `provider` of its metrics.
  Metrics(std::string version, std::string model_provider);
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  /// A job has ended; with its episode when it has one.
  void job_ended(const Job& job);
  /// A request to the socket was answered. `method` must be one of the method table.
  void request_answered(std::string_view method, bool succeeded, double seconds);
  /// `path` must be one of the router's, or "other".
  void web_request_answered(std::string_view path, int status, double seconds);

  /// The text format, version 0.0.4.
  [[nodiscard]] std::string text(const MetricsNow& now);

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

}  // namespace warpmind::daemon
