#pragma once
/// \file
/// What values of rows are in one launch.

#include "agents/builtin/forms/row_values.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::agents::builtin {

/// A row and a term of one launch.
struct RowPoint {
  const std::map<std::string, std::int64_t, std::less<>>* scalars = nullptr;  ///< parameters
  std::map<std::string, std::int64_t, std::less<>> indices;                   ///< "block_x"
  std::vector<std::int64_t> terms;                                            ///< by level
};

/// nullopt: it depends on data, or is no integer.
[[nodiscard]] std::optional<std::int64_t> number_of(const RowValues& values, RowValueId id,
                                                    const RowPoint& point);

}  // namespace warpmind::agents::builtin
