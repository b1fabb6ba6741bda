#pragma once
/// \file
/// Reads a KernelBlaster optimisation database (JSON). Its numbers are arithmetic means over mixed
/// tasks and devices, so they become words of a claim and nothing else.

#include "base/result.h"
#include "knowledge_base/packs/foreign_claims.h"
#include "knowledge_base/packs/pack_exchange.h"

#include <filesystem>
#include <string_view>

namespace warpmind::knowledge_base {

/// Fills in name and notes of `report`; entries that say nothing usable are counted as refused.
/// Errors: not_found; invalid_argument when it is no such file.
[[nodiscard]] Result<ForeignClaims> read_kernelblaster(const std::filesystem::path& file,
                                                       const TechniqueNames& names,
                                                       PackReport& report);
[[nodiscard]] Result<ForeignClaims> parse_kernelblaster(std::string_view text,
                                                        const TechniqueNames& names,
                                                        PackReport& report);

}  // namespace warpmind::knowledge_base
