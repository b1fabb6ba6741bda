#pragma once
/// \file
/// A whole file, mapped for reading: inputs are compared with it after every run.

#include "base/result.h"

#include <cstddef>
#include <string>
#include <utility>

namespace warpmind::profilers {

/// Read-only mapping of a file that must have exactly the expected size.
class MappedFile {
 public:
  MappedFile() = default;
  /// Errors: not_found; invalid_argument if the size differs from `bytes`.
  [[nodiscard]] static Result<MappedFile> open(const std::string& path, std::size_t bytes);
  MappedFile(MappedFile&& other) noexcept { swap(other); }
  MappedFile& operator=(MappedFile&& other) noexcept {
    swap(other);
    return *this;
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  [[nodiscard]] const std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  void swap(MappedFile& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
  }

  const std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace warpmind::profilers
