#pragma once
/// \file
/// A file system of RocksDB's whose n-th operation fails, once or from then on.

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include <rocksdb/file_system.h>

namespace warpmind::knowledge_base {

enum class Fault { io_error, no_space, short_write };

/// Counts what the base and RocksDB do to the disk while it is armed. Threads: any.
class OperationCounter {
 public:
  /// The `n`-th operation from now on fails, and with `persistent` all after it.
  void arm(int n, bool persistent);
  void disarm() { armed_ = false; }
  /// Whether the next operation must fail.
  [[nodiscard]] bool next();
  /// Whether one failed since it was armed.
  [[nodiscard]] bool struck() const { return struck_; }

 private:
  std::atomic<bool> armed_ = false;
  std::atomic<bool> struck_ = false;
  std::atomic<bool> persistent_ = false;
  std::atomic<int> left_ = 0;
};

class FailingFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  FailingFileSystem(OperationCounter& counter, Fault fault)
      : FileSystemWrapper(rocksdb::FileSystem::Default()), counter_(counter), fault_(fault) {}

  [[nodiscard]] const char* Name() const override { return "FailingFileSystem"; }

  rocksdb::IOStatus NewSequentialFile(const std::string& name, const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSSequentialFile>* file,
                                      rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus NewRandomAccessFile(const std::string& name,
                                        const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                        rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus NewDirectory(const std::string& name, const rocksdb::IOOptions& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* directory,
                                 rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                               const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus LinkFile(const std::string& from, const std::string& to,
                             const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus CreateDirIfMissing(const std::string& name, const rocksdb::IOOptions& options,
                                       rocksdb::IODebugContext* context) override;

  /// Status of the next operation.
  [[nodiscard]] rocksdb::IOStatus next() const;
  [[nodiscard]] Fault fault() const { return fault_; }
  [[nodiscard]] OperationCounter& counter() const { return counter_; }

 private:
  OperationCounter& counter_;
  Fault fault_;
};

}  // namespace warpmind::knowledge_base
