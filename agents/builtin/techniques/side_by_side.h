#pragma once
/// \file
/// coalesced_mapping for kernels with a block for every column.

#include "agents/builtin/technique.h"

#include <cstdint>

namespace warpmind::agents::builtin {

struct ColumnTile {
  std::int64_t columns;
  std::int64_t lanes;
};

[[nodiscard]] Offer offer_side_by_side(const Scene& scene, const std::vector<ColumnTile>& tiles);
[[nodiscard]] std::optional<Kernel> apply_side_by_side(const Scene& scene,
                                                       const std::optional<std::string>& name,
                                                       const ColumnTile& tile);

}  // namespace warpmind::agents::builtin
