#pragma once
/// \file
/// Built binaries by content: a directory `<key>` with `binary`, `report.json` and its checksum.

#include "base/model/verdict.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace warpmind::profilers {

struct CachedBuild {
  std::filesystem::path binary;
  BuildReport report;
};

/// Threads: any; processes: any. An entry appears whole (one rename) or not at all.
/// Freshness: an entry whose checksum does not hold is removed and counts as missing.
class BuildCache {
 public:
  /// `limit_bytes` bounds the sum of all entries; the least recently used leave first.
  /// Errors: external_failure if the directory cannot be made.
  [[nodiscard]] static Result<BuildCache> open(std::filesystem::path directory,
                                               std::uint64_t limit_bytes);

  /// Marks the entry as used.
  [[nodiscard]] std::optional<CachedBuild> find(std::string_view key) const;

  /// Moves nothing: copies `binary` in. If the key is there already, that entry stays.
  /// Errors: external_failure; unavailable when the disk is full.
  [[nodiscard]] Result<CachedBuild> insert(std::string_view key, std::string_view binary,
                                           const BuildReport& report) const;

 private:
  BuildCache(std::filesystem::path directory, std::uint64_t limit_bytes)
      : directory_(std::move(directory)), limit_bytes_(limit_bytes) {}
  void evict(std::string_view keep) const;

  std::filesystem::path directory_;
  std::uint64_t limit_bytes_;
};

}  // namespace warpmind::profilers
