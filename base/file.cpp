#include "base/file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace warpmind {
namespace {

Error errno_error(std::string_view what, const std::filesystem::path& path) {
  const int code = errno;
  const bool is_full = code == ENOSPC || code == EDQUOT;
  const Errc kind = code == ENOENT ? Errc::not_found
                    : is_full      ? Errc::unavailable
                                   : Errc::external_failure;
  return {kind, std::string(what) + " " + path.string() + ": " + std::strerror(code) +
                    (is_full ? "; free some space there" : "")};
}

Result<void> write_all(int fd, std::string_view content, const std::filesystem::path& path) {
  while (!content.empty()) {
    const ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(errno_error("cannot write", path));
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

constexpr mode_t kOwnerOnly = 0600;
constexpr mode_t kByUmask = 0666;  // the kernel takes the umask's bits away

/// A new file beside `path`. mkostemp() cannot do it: its files are 0600, and the umask can only be
/// read by changing it under the other threads.
Result<UniqueFd> create_beside(const std::filesystem::path& path, mode_t mode,
                               std::string& temporary) {
  std::random_device random;
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::array<char, 9> suffix{};
    (void)std::snprintf(suffix.data(), suffix.size(), "%08x", static_cast<unsigned>(random()));
    temporary = path.string() + "." + suffix.data();
    UniqueFd fd(::open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (fd) return fd;
    if (errno != EEXIST) break;
  }
  return fail(errno_error("cannot create", temporary));
}

/// Fills `temporary`, which `fd` is, and puts it in the place of `path`.
Result<void> replace_file(const std::filesystem::path& path, std::string_view content,
                          FileSync sync, const UniqueFd& fd, const std::string& temporary) {
  auto written = write_all(fd.get(), content, temporary);
  const bool now = sync == FileSync::now;
  if (written && now && ::fsync(fd.get()) != 0)
    written = fail(errno_error("cannot sync", temporary));
  if (written && ::rename(temporary.c_str(), path.c_str()) != 0) {
    written = fail(errno_error("cannot rename to", path));
  }
  if (!written) {
    ::unlink(temporary.c_str());
    return written;
  }
  if (!now) return {};
  const auto parent = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  const UniqueFd directory(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory) ::fsync(directory.get());
  return {};
}

Result<void> make_directories(const std::filesystem::path& path, mode_t mode) {
  std::error_code ec;
  if (std::filesystem::is_directory(path, ec)) return {};
  if (path.has_parent_path() && path.parent_path() != path) {
    WARPMIND_CHECK(make_directories(path.parent_path(), mode));
  }
  if (::mkdir(path.c_str(), mode) != 0 && errno != EEXIST) {
    return fail(errno_error("cannot create directory", path));
  }
  if (!std::filesystem::is_directory(path, ec)) {
    return fail(Errc::invalid_argument, path.string() + " exists and is not a directory");
  }
  return {};
}

}  // namespace

void UniqueFd::reset(int fd) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit_bytes) {
  // O_NONBLOCK: opening a named pipe would otherwise wait for a writer, maybe for ever.
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return fail(errno_error("cannot open", path));
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return fail(errno_error("cannot stat", path));
  if (S_ISDIR(status.st_mode)) {
    return fail(Errc::invalid_argument, path.string() + " is a directory, not a file");
  }
  if (!S_ISREG(status.st_mode)) {
    return fail(Errc::invalid_argument, path.string() + " is not a regular file");
  }
  std::string content;
  std::string chunk(std::size_t{64} * 1024, '\0');
  while (true) {
    const ssize_t n = ::read(fd.get(), chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(errno_error("cannot read", path));
    if (n == 0) return content;
    content.append(chunk, 0, static_cast<std::size_t>(n));
    if (content.size() > limit_bytes) {
      return fail(Errc::invalid_argument, path.string() + " is larger than the limit of " +
                                              std::to_string(limit_bytes) + " bytes");
    }
  }
}

Result<void> write_file_atomic(const std::filesystem::path& path, std::string_view content,
                               FileSync sync) {
  std::string temporary;
  WARPMIND_TRY(const UniqueFd fd, create_beside(path, kOwnerOnly, temporary));
  return replace_file(path, content, sync, fd, temporary);
}

Result<void> write_output_file(const std::filesystem::path& path, std::string_view content,
                               FileSync sync) {
  std::string temporary;
  WARPMIND_TRY(const UniqueFd fd, create_beside(path, kByUmask, temporary));
  struct stat before {};
  if (::stat(path.c_str(), &before) == 0 && ::fchmod(fd.get(), before.st_mode & 0777U) != 0) {
    const Error error = errno_error("cannot set the mode of", temporary);
    ::unlink(temporary.c_str());
    return fail(error);
  }
  return replace_file(path, content, sync, fd, temporary);
}

Result<void> make_private_directory(const std::filesystem::path& path) {
  return make_directories(path, 0700);
}

Result<void> make_output_directory(const std::filesystem::path& path) {
  return make_directories(path, 0777);
}

Result<ScratchDirectory> ScratchDirectory::create(const std::filesystem::path& parent,
                                                  std::string_view prefix) {
  WARPMIND_CHECK(make_private_directory(parent));
  std::string name = (parent / (std::string(prefix) + ".XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) return fail(errno_error("cannot create", name));
  return ScratchDirectory(std::filesystem::path(name));
}

ScratchDirectory& ScratchDirectory::operator=(ScratchDirectory&& other) noexcept {
  if (this != &other) {
    remove();
    path_ = std::exchange(other.path_, {});
  }
  return *this;
}

void ScratchDirectory::remove() noexcept {
  if (path_.empty()) return;
  std::error_code ec;
  std::filesystem::remove_all(path_, ec);
  path_.clear();
}

}  // namespace warpmind
