#pragma once
/// \file
/// New Xids of the kernel log.

#include "base/file.h"
#include "profilers/health/xid.h"

#include <filesystem>
#include <mutex>
#include <vector>

namespace warpmind::profilers {

/// Reads /dev/kmsg from now on, where it is readable: mostly by root only. Threads: any.
class KernelLog {
 public:
  explicit KernelLog(const std::filesystem::path& device = "/dev/kmsg");

  [[nodiscard]] bool readable() const { return static_cast<bool>(fd_); }
  /// What came since the last call. Never blocks.
  [[nodiscard]] std::vector<Xid> take();

 private:
  UniqueFd fd_;
  std::mutex mutex_;
};

}  // namespace warpmind::profilers
