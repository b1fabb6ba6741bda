#pragma once
/// \file
/// One piece of work in a trace.

#include "base/clock.h"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace warpmind::daemon {

using SpanValue = std::variant<std::string, std::int64_t, double, bool>;

enum class SpanKind { internal, client };

struct Span {
  std::string trace_id;   ///< 32 hexadecimal digits
  std::string span_id;    ///< 16 hexadecimal digits
  std::string parent_id;  ///< empty = the root of its trace
  std::string name;
  SpanKind kind = SpanKind::internal;
  std::int64_t start_ns = 0;  ///< since 1970-01-01 UTC
  std::int64_t end_ns = 0;
  bool failed = false;
  std::vector<std::pair<std::string, SpanValue>> attributes;
};

}  // namespace warpmind::daemon
