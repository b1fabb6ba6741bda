#include "tests/unit/kb_faults/failing_file_system.h"

#include <utility>

namespace warpmind::knowledge_base {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

class FailingFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  FailingFile(std::unique_ptr<rocksdb::FSWritableFile> file, const FailingFileSystem& system)
      : FSWritableFileOwnerWrapper(std::move(file)), system_(system) {}

  IOStatus Append(const Slice& bytes, const IOOptions& options, IODebugContext* context) override {
    if (system_.fault() == Fault::short_write && system_.counter().next()) {
      (void)FSWritableFileOwnerWrapper::Append(Slice(bytes.data(), bytes.size() / 2), options,
                                               context);
      return IOStatus::IOError("injected: half of it was written");
    }
    auto status = system_.fault() == Fault::short_write ? IOStatus::OK() : system_.next();
    if (status.ok()) status = FSWritableFileOwnerWrapper::Append(bytes, options, context);
    return status;
  }
  IOStatus Append(const Slice& bytes, const IOOptions& options,
                  const rocksdb::DataVerificationInfo& /*verification*/,
                  IODebugContext* context) override {
    return Append(bytes, options, context);
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* context) override {
    auto status = system_.next();
    if (status.ok()) status = FSWritableFileOwnerWrapper::Sync(options, context);
    return status;
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* context) override {
    return Sync(options, context);
  }
  IOStatus Close(const IOOptions& options, IODebugContext* context) override {
    auto status = system_.next();
    auto closed = FSWritableFileOwnerWrapper::Close(options, context);
    return status.ok() ? closed : status;
  }

 private:
  const FailingFileSystem& system_;
};

class FailingFolder final : public rocksdb::FSDirectoryWrapper {
 public:
  FailingFolder(std::unique_ptr<rocksdb::FSDirectory> folder, const FailingFileSystem& system)
      : FSDirectoryWrapper(std::move(folder)), system_(system) {}

  IOStatus Fsync(const IOOptions& options, IODebugContext* context) override {
    auto status = system_.next();
    if (status.ok()) status = FSDirectoryWrapper::Fsync(options, context);
    return status;
  }
  IOStatus FsyncWithDirOptions(const IOOptions& options, IODebugContext* context,
                               const rocksdb::DirFsyncOptions& /*hint*/) override {
    return Fsync(options, context);
  }

 private:
  const FailingFileSystem& system_;
};

}  // namespace

void OperationCounter::arm(int n, bool persistent) {
  left_ = n;
  persistent_ = persistent;
  struck_ = false;
  armed_ = true;
}

bool OperationCounter::next() {
  if (!armed_) return false;
  const int left = --left_;
  const bool strikes = left == 0 || (left < 0 && persistent_);
  if (strikes) struck_ = true;
  return strikes;
}

IOStatus FailingFileSystem::next() const {
  if (!counter_.next()) return IOStatus::OK();
  return fault_ == Fault::no_space ? IOStatus::NoSpace("injected: no space left")
                                   : IOStatus::IOError("injected: input/output error");
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks)

IOStatus FailingFileSystem::NewSequentialFile(const std::string& name,
                                              const rocksdb::FileOptions& options,
                                              std::unique_ptr<rocksdb::FSSequentialFile>* file,
                                              IODebugContext* context) {
  auto status = next();
  if (status.ok()) status = FileSystemWrapper::NewSequentialFile(name, options, file, context);
  return status;
}

IOStatus FailingFileSystem::NewRandomAccessFile(const std::string& name,
                                                const rocksdb::FileOptions& options,
                                                std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                                IODebugContext* context) {
  auto status = next();
  if (status.ok()) status = FileSystemWrapper::NewRandomAccessFile(name, options, file, context);
  return status;
}

IOStatus FailingFileSystem::NewWritableFile(const std::string& name,
                                            const rocksdb::FileOptions& options,
                                            std::unique_ptr<rocksdb::FSWritableFile>* file,
                                            IODebugContext* context) {
  auto status = next();
  if (status.ok()) status = FileSystemWrapper::NewWritableFile(name, options, file, context);
  if (status.ok()) *file = std::make_unique<FailingFile>(std::move(*file), *this);
  return status;
}

IOStatus FailingFileSystem::NewDirectory(const std::string& name, const IOOptions& options,
                                         std::unique_ptr<rocksdb::FSDirectory>* directory,
                                         IODebugContext* context) {
  auto status = next();
  if (status.ok()) status = FileSystemWrapper::NewDirectory(name, options, directory, context);
  if (status.ok()) *directory = std::make_unique<FailingFolder>(std::move(*directory), *this);
  return status;
}

IOStatus FailingFileSystem::RenameFile(const std::string& from, const std::string& to,
                                       const IOOptions& options, IODebugContext* context) {
  auto status = next();
  if (status.ok()) status = FileSystemWrapper::RenameFile(from, to, options, context);
  return status;
}

IOStatus FailingFileSystem::LinkFile(const std::string& from, const std::string& to,
                                     const IOOptions& options, IODebugContext* context) {
  auto status = next();
  if (status.ok()) status = FileSystemWrapper::LinkFile(from, to, options, context);
  return status;
}

IOStatus FailingFileSystem::CreateDirIfMissing(const std::string& name, const IOOptions& options,
                                               IODebugContext* context) {
  auto status = next();
  if (status.ok()) status = FileSystemWrapper::CreateDirIfMissing(name, options, context);
  return status;
}

}  // namespace warpmind::knowledge_base
