#pragma once
/// \file
/// A file system of RocksDB's that can lose its power: what was not synced is gone.
///
/// It passes everything on to the real one and keeps, for each file, how much of it was synced, and
/// for each folder, which new names were. RocksDB has such a class (FaultInjectionTestFS), but
/// Debian's package brings no header for it.

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>

#include <rocksdb/file_system.h>

namespace warpmind::knowledge_base {

/// Threads: RocksDB's may call it at any time; lose_power() only while no database is open.
class PowerLossFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  PowerLossFileSystem() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}

  [[nodiscard]] const char* Name() const override { return "PowerLossFileSystem"; }

  /// From now on every change is refused, as if the power were gone already.
  void freeze() { frozen_ = true; }
  /// Drops what was not synced (`keep_some`: all but a random part of it), then the power is back.
  void lose_power(bool keep_some, std::mt19937_64& random);
  /// A disk that says "synced" and is not.
  void lie_about_syncs(bool lie) { lying_ = lie; }
  /// The next `count` syncs fail with an I/O error.
  void fail_syncs(int count) { failing_syncs_ = count; }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus ReopenWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                       std::unique_ptr<rocksdb::FSWritableFile>* file,
                                       rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                               const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus DeleteFile(const std::string& name, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus NewDirectory(const std::string& name, const rocksdb::IOOptions& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* directory,
                                 rocksdb::IODebugContext* context) override;

  // For the files and folders that it hands out.
  [[nodiscard]] rocksdb::IOStatus require_power() const;
  void appended(const std::string& name, std::uint64_t bytes);
  [[nodiscard]] rocksdb::IOStatus synced(const std::string& name);
  void folder_synced(const std::string& name);

 private:
  struct Extent {
    std::uint64_t size = 0;
    std::uint64_t synced = 0;
  };

  /// `name` is new in its folder, or replaced what stood there.
  void note_new_name(const std::string& name);

  std::atomic<bool> frozen_ = false;
  std::atomic<bool> lying_ = false;
  std::atomic<int> failing_syncs_ = 0;
  std::mutex mutex_;
  std::map<std::string, Extent> files_;
  /// Names since the last sync of their folder, with the content that stood there before.
  std::map<std::string, std::optional<std::string>> new_names_;
};

}  // namespace warpmind::knowledge_base
