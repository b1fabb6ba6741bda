#pragma once
/// \file
/// What a new base begins with: technique cards, a claim for each of them, and facts by compute
/// capability. The text is in packs/seed/*.toml; its format is in docs/packs.md.

#include "base/model/insight.h"
#include "base/model/technique.h"
#include "base/result.h"
#include "knowledge_base/packs/seed_files.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace warpmind::knowledge_base {

/// Raised with every change of the files: a base with an older one takes the new text.
inline constexpr std::int64_t kSeedVersion = 3;
/// Provenance of the seed's claims.
inline constexpr std::string_view kSeedSource = "seed";

struct Seed {
  std::int64_t version = kSeedVersion;
  std::vector<Technique> techniques;
  std::vector<Insight> insights;
  std::vector<Fact> facts;
  bool operator==(const Seed&) const = default;
};

/// Errors: invalid_argument as `file:line:column: …`; conflict where two say the same.
[[nodiscard]] Result<Seed> parse_seed(std::span<const EmbeddedFile> files, std::int64_t version);

/// The seed of this build.
[[nodiscard]] Result<Seed> embedded_seed();

}  // namespace warpmind::knowledge_base
