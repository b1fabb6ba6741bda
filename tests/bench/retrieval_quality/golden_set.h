#pragma once
/// \file
/// The judged queries of tests/data/retrieval and what they are asked of. README.md there.

#include "base/model/insight.h"
#include "base/result.h"
#include "knowledge_base/retrieval/query.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace warpmind::bench {

struct NamedInsight {
  std::string name;  ///< "vec.align"
  Insight insight;   ///< its id is made of its place
};

struct JudgedQuery {
  std::string base;     ///< queries with the same base mean the same: "q01"
  std::string variant;  ///< "clean", "paraphrase", "typo", "renamed", "situation"
  knowledge_base::InsightQuery query;
  std::map<std::string, int> grades;  ///< by name of the insight, 1 … 3
};

struct GoldenSet {
  std::vector<NamedInsight> insights;
  std::vector<JudgedQuery> queries;
};

/// Errors: not_found, corrupt_data naming file and line.
[[nodiscard]] Result<GoldenSet> read_golden_set(const std::filesystem::path& directory);

/// For each operator family with a technique that gained: what was measured on the tasks of the
/// other families as insights, and the task of this family as the query.
[[nodiscard]] Result<std::vector<GoldenSet>> read_leave_family_out(
    const std::filesystem::path& directory, const std::filesystem::path& tasks);

}  // namespace warpmind::bench
