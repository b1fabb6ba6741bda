#include "knowledge_base/rocksdb_options.h"

#include "base/log.h"
#include "knowledge_base/fault_points.h"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <memory>

#include <rocksdb/cache.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/table.h>

namespace warpmind::knowledge_base {
namespace {

constexpr std::size_t kMiB = 1024UL * 1024;

/// RocksDB's own log, warnings and errors only, as lines of ours. No LOG files pile up.
class RocksDbLog final : public rocksdb::Logger {
 public:
  RocksDbLog() : Logger(rocksdb::InfoLogLevel::WARN_LEVEL) {}

  using Logger::Logv;
  void Logv(const rocksdb::InfoLogLevel level, const char* format,
            std::va_list arguments) override {
    if (level < GetInfoLogLevel() || level == rocksdb::InfoLogLevel::HEADER_LEVEL) return;
    std::array<char, 1024> text{};
    std::vsnprintf(text.data(), text.size(), format, arguments);
    log::warn("knowledge_base", "rocksdb", {{"text", text.data()}});
  }
  void LogHeader(const char* /*format*/, std::va_list /*arguments*/) override {}
};

/// Values of the terms family grow by appending (postings of a bucket).
class AppendOperator final : public rocksdb::AssociativeMergeOperator {
 public:
  bool Merge(const rocksdb::Slice& /*key*/, const rocksdb::Slice* existing,
             const rocksdb::Slice& operand, std::string* merged,
             rocksdb::Logger* /*logger*/) const override {
    merged->clear();
    if (existing != nullptr) merged->assign(existing->data(), existing->size());
    merged->append(operand.data(), operand.size());
    return true;
  }
  [[nodiscard]] const char* Name() const override { return "warpmind.append"; }
};

}  // namespace

rocksdb::DBOptions database_options(rocksdb::Env* env) {
  rocksdb::DBOptions options;
  if (env != nullptr) options.env = env;
  options.info_log = std::make_shared<RocksDbLog>();
  options.info_log_level = rocksdb::InfoLogLevel::WARN_LEVEL;
  // Refuses a flipped bit in the WAL, accepts the torn tail of a crash. The default mode opens in
  // both cases and silently lacks rows.
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  if (fault::seeded(SeededBug::torn_tail_refused)) {
    options.wal_recovery_mode = rocksdb::WALRecoveryMode::kAbsoluteConsistency;
  }
  options.track_and_verify_wals_in_manifest = true;
  options.paranoid_checks = true;
  options.verify_sst_unique_id_in_manifest = true;
  // After a failed write we close and open again ourselves: RocksDB's own recovery from a full disk
  // can leave writes failing for good.
  options.max_bgerror_resume_count = 0;
  // Memory: memtables, WAL to replay after a crash, open files.
  options.db_write_buffer_size = 96 * kMiB;
  options.max_total_wal_size = 128 * kMiB;
  options.max_open_files = 256;
  options.max_background_jobs = 2;
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  return options;
}

std::shared_ptr<rocksdb::Cache> make_block_cache(std::size_t mebibytes) {
  return rocksdb::NewLRUCache(mebibytes * kMiB);
}

rocksdb::ColumnFamilyOptions family_options(const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::ColumnFamilyOptions options;
  // A large import writes faster than files are merged. Files of this size, and more of them before
  // writers wait, keep it going; the merge catches up behind it.
  options.write_buffer_size = 32 * kMiB;
  options.max_write_buffer_number = 3;
  options.level0_slowdown_writes_trigger = 32;
  options.level0_stop_writes_trigger = 64;
  options.soft_pending_compaction_bytes_limit = 0;
  options.hard_pending_compaction_bytes_limit = 0;
  options.paranoid_file_checks = true;
  options.merge_operator = std::make_shared<AppendOperator>();
  options.memtable_protection_bytes_per_key = kProtectionBytesPerKey;
  // What is new is merged soon: it is not worth the time of the better compression.
  options.compression = rocksdb::kZSTD;
  options.compression_per_level = {rocksdb::kLZ4Compression, rocksdb::kLZ4Compression,
                                   rocksdb::kZSTD};
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = cache;
  table.cache_index_and_filter_blocks = true;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  table.format_version = 5;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

rocksdb::WriteOptions durable_write() {
  rocksdb::WriteOptions options;
  options.sync = !fault::seeded(SeededBug::unsynced_batch);
  return options;
}

rocksdb::ReadOptions verified_read(const rocksdb::Snapshot* snapshot) {
  rocksdb::ReadOptions options;
  options.verify_checksums = true;
  options.snapshot = snapshot;
  return options;
}

}  // namespace warpmind::knowledge_base
