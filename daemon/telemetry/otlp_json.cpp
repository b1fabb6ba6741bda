#include "daemon/telemetry/otlp_json.h"

#include "base/codec/json_guard.h"
#include "base/codec/json_types.h"

namespace warpmind::daemon {
namespace {

using nlohmann::json;

json value_of(const SpanValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return {{"stringValue", *text}};
  if (const auto* flag = std::get_if<bool>(&value)) return {{"boolValue", *flag}};
  if (const auto* number = std::get_if<double>(&value)) return {{"doubleValue", *number}};
  // 64-bit integers are strings in the JSON form of protocol buffers.
  return {{"intValue", std::to_string(std::get<std::int64_t>(value))}};
}

json attribute(const std::string& key, const SpanValue& value) {
  return {{"key", key}, {"value", value_of(value)}};
}

json span_of(const Span& span) {
  constexpr int kInternal = 1;
  constexpr int kClient = 3;
  constexpr int kError = 2;
  json out{{"traceId", span.trace_id},
           {"spanId", span.span_id},
           {"name", span.name},
           {"kind", span.kind == SpanKind::client ? kClient : kInternal},
           {"startTimeUnixNano", std::to_string(span.start_ns)},
           {"endTimeUnixNano", std::to_string(span.end_ns)}};
  if (!span.parent_id.empty()) out["parentSpanId"] = span.parent_id;
  if (span.failed) out["status"] = {{"code", kError}};
  out["attributes"] = json::array();
  for (const auto& [key, value] : span.attributes) {
    out["attributes"].push_back(attribute(key, value));
  }
  return out;
}

}  // namespace

std::string trace_request(const std::vector<Span>& spans, const TelemetrySource& source) {
  json listed = json::array();
  for (const auto& span : spans) listed.push_back(span_of(span));
  json resource = json::array();
  resource.push_back(attribute("service.name", source.service));
  resource.push_back(attribute("service.version", source.version));
  json scoped = json::array();
  scoped.push_back({{"scope", {{"name", "warpmind"}, {"version", source.version}}},
                    {"spans", std::move(listed)}});
  json whole = json::array();
  whole.push_back(
      {{"resource", {{"attributes", std::move(resource)}}}, {"scopeSpans", std::move(scoped)}});
  return codec::dump_json({{"resourceSpans", std::move(whole)}});
}

}  // namespace warpmind::daemon
