#pragma once
/// \file
/// As record_check, for what insights, graph and search keep.

#include "base/result.h"
#include "knowledge_base/maintenance/record_check.h"

#include <string_view>
#include <vector>

namespace warpmind::knowledge_base {

[[nodiscard]] Result<std::vector<Reference>> check_insights(std::string_view key,
                                                            std::string_view value);
[[nodiscard]] Result<std::vector<Reference>> check_techniques(std::string_view key,
                                                              std::string_view value);
[[nodiscard]] Result<std::vector<Reference>> check_edges(std::string_view key,
                                                         std::string_view value);
[[nodiscard]] Result<std::vector<Reference>> check_embeddings(std::string_view key,
                                                              std::string_view value);
[[nodiscard]] Result<std::vector<Reference>> check_terms(std::string_view value);

}  // namespace warpmind::knowledge_base
