#pragma once
/// \file
/// What a query must be before anything is searched.

#include "base/result.h"
#include "knowledge_base/retrieval/query.h"

#include <cstddef>

namespace warpmind::knowledge_base {

/// Bytes of the text of a query.
inline constexpr std::size_t kLongestQueryText = std::size_t{16} * 1024;
/// Names in a list of a query: spaces, techniques, contracts.
inline constexpr std::size_t kMostQueryNames = 256;

/// Errors: invalid_argument: what, which value, what is allowed.
[[nodiscard]] Result<void> check_query(const InsightQuery& query);

}  // namespace warpmind::knowledge_base
