#pragma once
/// \file
/// A small file system in memory, for tests that fill a disk. Needs the right to mount.

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <sys/mount.h>
#include <utility>

namespace warpmind::fakes {

/// Unmounted at the end.
class SmallDisk {
 public:
  SmallDisk(std::filesystem::path path, int mebibytes) : path_(std::move(path)) {
    std::filesystem::create_directories(path_);
    const std::string options = "size=" + std::to_string(mebibytes) + "m";
    mounted_ = ::mount("tmpfs", path_.c_str(), "tmpfs", 0, options.c_str()) == 0;
    if (!mounted_) why_ = std::strerror(errno);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (mounted_) ::umount2(path_.c_str(), MNT_DETACH);
  }
  [[nodiscard]] bool mounted() const { return mounted_; }
  [[nodiscard]] const std::string& why() const { return why_; }

 private:
  std::filesystem::path path_;
  bool mounted_ = false;
  std::string why_;
};

}  // namespace warpmind::fakes
