#pragma once
/// \file
/// Owned descriptors and whole-file reads and writes with limits.

#include "base/result.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace warpmind {

/// Owns a file descriptor; -1 owns nothing.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(other.release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  UniqueFd(const UniqueFd&) = delete;
  UniqueFd& operator=(const UniqueFd&) = delete;
  ~UniqueFd() { reset(); }

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] explicit operator bool() const { return fd_ >= 0; }
  [[nodiscard]] int release() {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

/// Errors: not_found; invalid_argument if larger than `limit_bytes` or a directory.
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& path,
                                            std::size_t limit_bytes);

/// `later`: the caller syncs many files at once. A sync takes milliseconds.
enum class FileSync { now, later };

/// Writes beside the target, syncs, renames: a reader sees the old or the new file, never a part.
/// Mode 0600: for state and secrets.
[[nodiscard]] Result<void> write_file_atomic(const std::filesystem::path& path,
                                             std::string_view content,
                                             FileSync sync = FileSync::now);

/// The same for a file that a user asked for: a new one gets the mode that the umask leaves of
/// 0666, one that is replaced keeps its own.
[[nodiscard]] Result<void> write_output_file(const std::filesystem::path& path,
                                             std::string_view content,
                                             FileSync sync = FileSync::now);

/// Creates `path` and its parents with mode 0700 where they do not exist.
[[nodiscard]] Result<void> make_private_directory(const std::filesystem::path& path);
/// The same with the mode that the umask leaves of 0777, for what a user asked for.
[[nodiscard]] Result<void> make_output_directory(const std::filesystem::path& path);

/// A fresh directory under `parent`, removed with its content by the destructor.
class ScratchDirectory {
 public:
  [[nodiscard]] static Result<ScratchDirectory> create(const std::filesystem::path& parent,
                                                       std::string_view prefix);
  ScratchDirectory(ScratchDirectory&& other) noexcept : path_(std::move(other.path_)) {
    other.path_.clear();
  }
  ScratchDirectory& operator=(ScratchDirectory&& other) noexcept;
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ~ScratchDirectory() { remove(); }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  explicit ScratchDirectory(std::filesystem::path path) : path_(std::move(path)) {}
  void remove() noexcept;

  std::filesystem::path path_;
};

}  // namespace warpmind
