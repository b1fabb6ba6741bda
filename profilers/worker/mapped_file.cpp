#include "profilers/worker/mapped_file.h"

#include "base/file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace warpmind::profilers {

Result<MappedFile> MappedFile::open(const std::string& path, std::size_t bytes) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0) {
    return fail(Errc::not_found, "cannot open " + path + ": " + std::strerror(errno));
  }
  if (static_cast<std::size_t>(status.st_size) != bytes) {
    return fail(Errc::invalid_argument, path + " has " + std::to_string(status.st_size) +
                                            " bytes, the argument needs " + std::to_string(bytes));
  }
  MappedFile file;
  if (bytes == 0) return file;
  void* const memory = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (memory == MAP_FAILED) {
    return fail(Errc::external_failure, "cannot map " + path + ": " + std::strerror(errno));
  }
  file.data_ = static_cast<const std::byte*>(memory);
  file.bytes_ = bytes;
  return file;
}

MappedFile::~MappedFile() {
  // munmap takes a plain pointer although it only unmaps.
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), bytes_);
}

}  // namespace warpmind::profilers
