#pragma once
/// \file
/// Owners of RocksDB's raw pointers. Nothing else destroys them.

#include <memory>
#include <vector>

#include <rocksdb/db.h>

namespace warpmind::knowledge_base {

struct ColumnDeleter {
  rocksdb::DB* db = nullptr;
  void operator()(rocksdb::ColumnFamilyHandle* handle) const noexcept {
    if (db != nullptr) (void)db->DestroyColumnFamilyHandle(handle);
  }
};
using UniqueColumn = std::unique_ptr<rocksdb::ColumnFamilyHandle, ColumnDeleter>;

struct SnapshotDeleter {
  rocksdb::DB* db = nullptr;
  void operator()(const rocksdb::Snapshot* snapshot) const noexcept {
    if (db != nullptr) db->ReleaseSnapshot(snapshot);
  }
};
using UniqueSnapshot = std::unique_ptr<const rocksdb::Snapshot, SnapshotDeleter>;

/// An open database. The order of the members matters: handles are destroyed before their database.
struct DatabaseHandles {
  std::unique_ptr<rocksdb::DB> db;
  std::vector<UniqueColumn> columns;
};

}  // namespace warpmind::knowledge_base
