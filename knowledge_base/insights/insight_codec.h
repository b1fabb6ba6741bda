#pragma once
/// \file
/// Values of the families insights, techniques and facts as bytes and back, as record_codec does.

#include "base/model/insight.h"
#include "base/model/technique.h"
#include "base/result.h"
#include "knowledge_base/insights/insight_event.h"
#include "knowledge_base/insights/insight_fold.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::knowledge_base {

/// What happened to a source.
struct SourceToggle {
  std::int64_t sequence = 0;
  bool quarantined = false;
  std::string actor;
  std::string reason;
  bool operator==(const SourceToggle&) const = default;
};

struct StoredSource {
  std::string name;
  std::int64_t insights = 0;          ///< that have it as provenance
  std::vector<SourceToggle> toggles;  ///< oldest first; the last one holds
  [[nodiscard]] bool quarantined() const { return !toggles.empty() && toggles.back().quarantined; }
  bool operator==(const StoredSource&) const = default;
};

/// A version of a technique that was replaced.
struct TechniqueVersion {
  Technique technique;
  std::string replaced_by;  ///< actor
  std::string reason;
  std::int64_t sequence = 0;  ///< of the change that replaced it
  bool operator==(const TechniqueVersion&) const = default;
};

[[nodiscard]] Result<std::string> encode_insight(const StoredInsight& stored);
/// What a reader wants of it.
[[nodiscard]] Result<Insight> decode_insight(std::string_view bytes);
[[nodiscard]] Result<StoredInsight> decode_stored_insight(std::string_view bytes);

[[nodiscard]] Result<std::string> encode_event(const InsightEvent& event);
[[nodiscard]] Result<InsightEvent> decode_event(std::string_view bytes);

[[nodiscard]] Result<std::string> encode_source(const StoredSource& source);
[[nodiscard]] Result<StoredSource> decode_source(std::string_view bytes);

[[nodiscard]] Result<std::string> encode_technique(const Technique& technique);
[[nodiscard]] Result<Technique> decode_technique(std::string_view bytes);
[[nodiscard]] Result<std::string> encode_technique_version(const TechniqueVersion& version);
[[nodiscard]] Result<TechniqueVersion> decode_technique_version(std::string_view bytes);

[[nodiscard]] Result<std::string> encode_fact(const Fact& fact);
[[nodiscard]] Result<Fact> decode_fact(std::string_view bytes);

}  // namespace warpmind::knowledge_base
