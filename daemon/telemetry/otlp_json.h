#pragma once
/// \file
/// Spans as the body of a request to /v1/traces (OTLP 1, JSON).

#include "daemon/telemetry/span.h"

#include <string>
#include <vector>

namespace warpmind::daemon {

struct TelemetrySource {
  std::string service = "warpmind";
  std::string version;
};

[[nodiscard]] std::string trace_request(const std::vector<Span>& spans,
                                        const TelemetrySource& source);

}  // namespace warpmind::daemon
