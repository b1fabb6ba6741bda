#pragma once
/// \file
/// Where a base lives and what it stands on.

#include "base/clock.h"
#include "knowledge_base/disk_space.h"

#include <cstdint>
#include <filesystem>

namespace rocksdb {
class Env;
}

namespace warpmind::knowledge_base {

inline constexpr std::int64_t kDefaultReserveBytes = 256LL * 1024 * 1024;

struct StoreLocation {
  std::filesystem::path directory;  ///< made with mode 0700 when it does not exist
  /// Writes are refused when less would stay free (knowledge.reserve_mib): RocksDB aborts the
  /// process on a full disk.
  std::int64_t reserve_bytes = kDefaultReserveBytes;
  const Clock& clock;  ///< must outlive the store
  FreeSpace free_space = free_space_at;
  std::int64_t cache_mib = 32;  ///< RocksDB's block cache (knowledge.cache_mib)
  rocksdb::Env* env = nullptr;  ///< for fault injection; null = the operating system's

  [[nodiscard]] std::filesystem::path database() const { return directory / "rocksdb"; }
  [[nodiscard]] std::filesystem::path watermark() const { return directory / "WATERMARK"; }
  /// Snapshots of the search index: a cache, may be deleted at any time.
  [[nodiscard]] std::filesystem::path index() const { return directory / "index"; }
  /// Made by a person who accepts that acknowledged changes are gone (docs/storage.md).
  [[nodiscard]] std::filesystem::path accept_loss() const { return directory / "ACCEPT_LOSS"; }
};

}  // namespace warpmind::knowledge_base
