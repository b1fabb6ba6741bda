#include "profilers/health/kernel_log.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

namespace warpmind::profilers {

KernelLog::KernelLog(const std::filesystem::path& device)
    : fd_(::open(device.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
  if (fd_ && ::lseek(fd_.get(), 0, SEEK_END) < 0) fd_.reset();
}

std::vector<Xid> KernelLog::take() {
  const std::scoped_lock lock(mutex_);
  std::vector<Xid> found;
  constexpr int kMostRecords = 100'000;               // a log that is written faster than we read
  std::array<char, std::size_t{16} * 1024> record{};  // one read is one record
  for (int i = 0; fd_ && i < kMostRecords; ++i) {
    const ssize_t n = ::read(fd_.get(), record.data(), record.size());
    if (n < 0 && (errno == EINTR || errno == EPIPE)) continue;  // EPIPE: some were overwritten
    if (n <= 0) break;
    std::string_view text(record.data(), static_cast<std::size_t>(n));
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size() - 1);
      if (auto xid = parse_xid(text.substr(0, end + 1))) found.push_back(std::move(*xid));
      text.remove_prefix(end + 1);
    }
  }
  return found;
}

}  // namespace warpmind::profilers
