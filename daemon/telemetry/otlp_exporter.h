#pragma once
/// \file
/// Sends spans to a collector, beside all work.

#include "base/result.h"
#include "daemon/telemetry/otlp_json.h"
#include "daemon/telemetry/span.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace warpmind::daemon {

struct OtlpOptions {
  std::string endpoint;  ///< "http://127.0.0.1:4318"; /v1/traces is added
  TelemetrySource source = {};
  std::size_t most_waiting = 4096;  ///< spans; what comes beyond is dropped and counted
  std::size_t most_at_once = 512;   ///< spans of one request
  std::chrono::milliseconds connect{2'000};
  std::chrono::milliseconds request{5'000};   ///< longest, answer included
  std::chrono::milliseconds pause{5'000};     ///< after a failure
  std::chrono::milliseconds farewell{1'000};  ///< for what is left when the daemon ends
};

/// Does:      hold spans, send them in order from a thread of its own, three attempts each.
/// Does not:  ever wait in add(), grow without bound, or keep spans over a restart.
/// Threads:   any.
class OtlpExporter {
 public:
  /// Errors: invalid_argument for the endpoint.
  [[nodiscard]] static Result<std::unique_ptr<OtlpExporter>> open(OtlpOptions options);
  /// Sends one last request of what waits, within `farewell`.
  ~OtlpExporter();
  OtlpExporter(const OtlpExporter&) = delete;
  OtlpExporter& operator=(const OtlpExporter&) = delete;

  /// All or, when there is no room, none of them. Never waits.
  void add(std::vector<Span> spans);
  [[nodiscard]] std::uint64_t sent() const;
  [[nodiscard]] std::uint64_t dropped() const;

 private:
  class State;
  explicit OtlpExporter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace warpmind::daemon
