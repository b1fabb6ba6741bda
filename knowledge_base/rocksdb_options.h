#pragma once
/// \file
/// The options of every opener of the base: daemon, tools, tests. Two openers that differ in one of
/// them can abort each other (a reader without track_and_verify_wals_in_manifest does).

#include <cstddef>

#include <rocksdb/db.h>
#include <rocksdb/options.h>

namespace warpmind::knowledge_base {

/// For the database as a whole. `env` is null for the operating system's.
[[nodiscard]] rocksdb::DBOptions database_options(rocksdb::Env* env);

/// For each column family. They share one block cache, given by the caller, which bounds memory.
[[nodiscard]] rocksdb::ColumnFamilyOptions family_options(
    const std::shared_ptr<rocksdb::Cache>& cache);

/// The block cache of one open base.
[[nodiscard]] std::shared_ptr<rocksdb::Cache> make_block_cache(std::size_t mebibytes);

/// Synced: a returned write is acknowledged.
[[nodiscard]] rocksdb::WriteOptions durable_write();

/// Verifies checksums of what it reads. `snapshot` may be null.
[[nodiscard]] rocksdb::ReadOptions verified_read(const rocksdb::Snapshot* snapshot);

/// Bytes of checksum that travel with each key from the batch to the file.
inline constexpr std::size_t kProtectionBytesPerKey = 8;

}  // namespace warpmind::knowledge_base
