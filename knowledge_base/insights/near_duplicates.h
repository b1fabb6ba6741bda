#pragma once
/// \file
/// Finds claims that say nearly the same, and claims that cover a situation, without reading every
/// insight: each has a short entry under the places where others would look for it.
///
/// A place is kind, techniques, one operator family (or any) and one bottleneck (or any); where no
/// technique is named, also the least hash of the words, three times.

#include "base/model/insight.h"
#include "base/result.h"
#include "knowledge_base/insights/record_reader.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpmind::knowledge_base {

/// From this share of common words on, two claims about the same thing are one.
inline constexpr double kNearClaim = 0.8;

/// Keys and values of family insights under which `insight` is found.
[[nodiscard]] std::map<std::string, std::string> near_entries(const Insight& insight);

/// Insights of the same kind, techniques and namespace whose scope meets that of `claim` and whose
/// wording is near, nearest first. Never `claim.id`.
[[nodiscard]] Result<std::vector<InsightId>> find_near(const RecordReader& reader,
                                                       const Insight& claim);

/// Insights of `like.kind` about `like.action` whose scope holds all of `like.scope`, at most
/// `most`, by id.
[[nodiscard]] Result<std::vector<InsightId>> find_covering(const RecordReader& reader,
                                                           const Insight& like, std::size_t most);

/// Share of the words of both that are in both.
[[nodiscard]] double similarity(const std::string& a, const std::string& b);

}  // namespace warpmind::knowledge_base
