#pragma once
/// \file
/// The text of scans by lanes, with templates/lane_scan.cuh and templates/lanes.cuh.

#include "agents/builtin/loops/scan_loop.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warpmind::agents::builtin {

/// Terms of a lane in a tile: the totals of all warps fit into one warp.
[[nodiscard]] std::int64_t scan_items(std::int64_t lanes);

/// A block in place of the loop; `lane` is 0 … lanes - 1. `edits` are those of the given text.
[[nodiscard]] std::string scanned_text(const KernelBody& body, const ScanLoop& scan,
                                       const std::string& lane, std::int64_t lanes,
                                       const std::vector<TextEdit>& edits);
/// The same for the outer loop of `loops`.
[[nodiscard]] std::string scanned_text(const KernelBody& body, const PrefixLoops& loops,
                                       std::int64_t lanes);

/// Whether the body uses none of the names that the texts declare.
[[nodiscard]] bool scan_names_are_free(const KernelBody& body);

}  // namespace warpmind::agents::builtin
