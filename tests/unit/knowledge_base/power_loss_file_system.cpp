#include "tests/unit/knowledge_base/power_loss_file_system.h"

#include "base/file.h"

#include <filesystem>
#include <fstream>

namespace warpmind::knowledge_base {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

/// RocksDB's names with "//" and a trailing "/" in one spelling.
std::string normal(const std::string& name) {
  auto path = std::filesystem::path(name).lexically_normal().string();
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

class TrackedFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  TrackedFile(std::unique_ptr<rocksdb::FSWritableFile> file, std::string name,
              PowerLossFileSystem& system)
      : FSWritableFileOwnerWrapper(std::move(file)), name_(std::move(name)), system_(system) {}

  IOStatus Append(const Slice& bytes, const IOOptions& options, IODebugContext* context) override {
    auto status = system_.require_power();
    if (status.ok()) status = FSWritableFileOwnerWrapper::Append(bytes, options, context);
    if (status.ok()) system_.appended(name_, bytes.size());
    return status;
  }
  IOStatus Append(const Slice& bytes, const IOOptions& options,
                  const rocksdb::DataVerificationInfo& /*verification*/,
                  IODebugContext* context) override {
    return Append(bytes, options, context);
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* context) override {
    auto status = system_.synced(name_);
    if (status.ok()) status = FSWritableFileOwnerWrapper::Sync(options, context);
    return status;
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* context) override {
    return Sync(options, context);
  }

 private:
  std::string name_;
  PowerLossFileSystem& system_;
};

class TrackedFolder final : public rocksdb::FSDirectoryWrapper {
 public:
  TrackedFolder(std::unique_ptr<rocksdb::FSDirectory> folder, std::string name,
                PowerLossFileSystem& system)
      : FSDirectoryWrapper(std::move(folder)), name_(std::move(name)), system_(system) {}

  IOStatus Fsync(const IOOptions& options, IODebugContext* context) override {
    auto status = system_.require_power();
    if (status.ok()) status = FSDirectoryWrapper::Fsync(options, context);
    if (status.ok()) system_.folder_synced(name_);
    return status;
  }
  IOStatus FsyncWithDirOptions(const IOOptions& options, IODebugContext* context,
                               const rocksdb::DirFsyncOptions& /*hint*/) override {
    return Fsync(options, context);
  }

 private:
  std::string name_;
  PowerLossFileSystem& system_;
};

}  // namespace

IOStatus PowerLossFileSystem::require_power() const {
  // The analyzer loses track of the status' message, a unique_ptr.
  return frozen_ ? IOStatus::IOError("no power") : IOStatus::OK();
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks)

void PowerLossFileSystem::appended(const std::string& name, std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  files_[name].size += bytes;
}

IOStatus PowerLossFileSystem::synced(const std::string& name) {
  auto status = require_power();
  if (!status.ok()) return status;
  if (failing_syncs_ > 0) {
    --failing_syncs_;
    return IOStatus::IOError("injected: the disk refused to sync");
  }
  if (lying_) return status;
  const std::scoped_lock lock(mutex_);
  auto& extent = files_[name];
  extent.synced = extent.size;
  return status;
}

void PowerLossFileSystem::folder_synced(const std::string& name) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(new_names_, [&name](const auto& entry) {
    return std::filesystem::path(entry.first).parent_path().string() == name;
  });
}

void PowerLossFileSystem::note_new_name(const std::string& name) {
  if (new_names_.contains(name)) return;
  auto previous = read_file(name, 1U << 20U);
  new_names_[name] = previous ? std::optional<std::string>(std::move(*previous)) : std::nullopt;
}

IOStatus PowerLossFileSystem::NewWritableFile(const std::string& name,
                                              const rocksdb::FileOptions& options,
                                              std::unique_ptr<rocksdb::FSWritableFile>* file,
                                              IODebugContext* context) {
  auto status = require_power();
  if (!status.ok()) return status;
  const std::string path = normal(name);
  {
    const std::scoped_lock lock(mutex_);
    note_new_name(path);
    files_[path] = {};
  }
  status = FileSystemWrapper::NewWritableFile(name, options, file, context);
  if (status.ok()) *file = std::make_unique<TrackedFile>(std::move(*file), path, *this);
  return status;
}

IOStatus PowerLossFileSystem::ReopenWritableFile(const std::string& name,
                                                 const rocksdb::FileOptions& options,
                                                 std::unique_ptr<rocksdb::FSWritableFile>* file,
                                                 IODebugContext* context) {
  auto status = require_power();
  if (status.ok()) status = FileSystemWrapper::ReopenWritableFile(name, options, file, context);
  if (status.ok()) *file = std::make_unique<TrackedFile>(std::move(*file), normal(name), *this);
  return status;
}

IOStatus PowerLossFileSystem::RenameFile(const std::string& from, const std::string& to,
                                         const IOOptions& options, IODebugContext* context) {
  auto status = require_power();
  if (!status.ok()) return status;
  const std::scoped_lock lock(mutex_);
  note_new_name(normal(to));
  status = FileSystemWrapper::RenameFile(from, to, options, context);
  if (status.ok()) {
    const auto moved = files_.extract(normal(from));
    files_[normal(to)] = moved.empty() ? Extent{} : moved.mapped();
    new_names_.erase(normal(from));
  }
  return status;
}

IOStatus PowerLossFileSystem::DeleteFile(const std::string& name, const IOOptions& options,
                                         IODebugContext* context) {
  auto status = require_power();
  if (status.ok()) status = FileSystemWrapper::DeleteFile(name, options, context);
  if (status.ok()) {
    const std::scoped_lock lock(mutex_);
    files_.erase(normal(name));
    new_names_.erase(normal(name));
  }
  return status;
}

IOStatus PowerLossFileSystem::NewDirectory(const std::string& name, const IOOptions& options,
                                           std::unique_ptr<rocksdb::FSDirectory>* directory,
                                           IODebugContext* context) {
  auto status = FileSystemWrapper::NewDirectory(name, options, directory, context);
  if (status.ok()) {
    *directory = std::make_unique<TrackedFolder>(std::move(*directory), normal(name), *this);
  }
  return status;
}

void PowerLossFileSystem::lose_power(bool keep_some, std::mt19937_64& random) {
  const std::scoped_lock lock(mutex_);
  for (const auto& [name, previous] : new_names_) {
    files_.erase(name);
    std::filesystem::remove(name);
    if (previous) std::ofstream(name, std::ios::binary) << *previous;
  }
  for (const auto& [name, extent] : files_) {
    const std::uint64_t unsynced = extent.size - extent.synced;
    const std::uint64_t kept = keep_some && unsynced > 0 ? random() % (unsynced + 1) : 0;
    std::error_code gone;
    std::filesystem::resize_file(name, extent.synced + kept, gone);
  }
  new_names_.clear();
  files_.clear();
  frozen_ = false;
}

}  // namespace warpmind::knowledge_base
