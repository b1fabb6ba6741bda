#pragma once
/// \file
/// RocksDB as the rest of the module sees it: families, keys, bytes, Results.

#include "base/result.h"
#include "knowledge_base/column_families.h"
#include "knowledge_base/rocksdb_handles.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <rocksdb/write_batch.h>

namespace warpmind::knowledge_base {

/// Reads of one consistent state; null reads the newest.
using Snapshot = UniqueSnapshot;

enum class ScanOrder { ascending, descending };

/// The open column families. Threads: all functions may be called at the same time.
class Database {
 public:
  enum class Mode { read_only, read_write };

  /// Read-only opening writes no byte and takes no lock of RocksDB's. Read-write opening makes what
  /// is missing. Errors: corrupt_data, unavailable (disk full), external_failure.
  [[nodiscard]] static Result<std::unique_ptr<Database>> open(const std::filesystem::path& path,
                                                              Mode mode, rocksdb::Env* env,
                                                              std::size_t cache_mib = 32);
  /// Whether a database was ever made at `path`.
  [[nodiscard]] static Result<bool> exists(const std::filesystem::path& path, rocksdb::Env* env);

  [[nodiscard]] Result<std::optional<std::string>> get(
      Family family, std::string_view key, const rocksdb::Snapshot* snapshot = nullptr) const;

  /// Calls `visit(key, value)` for each key that starts with `prefix` until it returns false.
  using Visitor = std::function<Result<bool>(std::string_view key, std::string_view value)>;
  struct Range {
    Family family;
    std::string prefix;
    ScanOrder order = ScanOrder::ascending;
    const rocksdb::Snapshot* snapshot = nullptr;
  };
  [[nodiscard]] Result<void> scan(const Range& range, const Visitor& visit) const;

  /// Atomic and synced.
  [[nodiscard]] Result<void> write(rocksdb::WriteBatch& batch);

  [[nodiscard]] Snapshot snapshot() const;
  /// For what this class does not cover: iterators, checkpoints, properties.
  [[nodiscard]] rocksdb::DB& raw() const { return *handles_.db; }
  [[nodiscard]] rocksdb::ColumnFamilyHandle* column(Family family) const {
    return handles_.columns.at(index_of(family)).get();
  }

 private:
  explicit Database(DatabaseHandles handles) : handles_(std::move(handles)) {}

  DatabaseHandles handles_;
};

/// RocksDB's status as an error of ours.
[[nodiscard]] Error to_error(const rocksdb::Status& status, std::string_view what);

}  // namespace warpmind::knowledge_base
