#include "profilers/judge/output_file.h"

#include "base/file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace warpmind::profilers {

Result<std::string> read_output(const std::filesystem::path& path, std::size_t bytes) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd) {
    return fail(Errc::not_found, "the runner left no output file " + path.filename().string() +
                                     " (" + std::strerror(errno) + ")");
  }
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return fail(Errc::corrupt_data, path.filename().string() + " is no regular file");
  }
  if (static_cast<std::size_t>(status.st_size) != bytes) {
    return fail(Errc::corrupt_data, path.filename().string() + " has " +
                                        std::to_string(status.st_size) + " bytes, the output has " +
                                        std::to_string(bytes));
  }
  std::string content(bytes, '\0');
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t n = ::read(fd.get(), content.data() + done, bytes - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      return fail(Errc::corrupt_data, path.filename().string() + " ended while it was read");
    }
    done += static_cast<std::size_t>(n);
  }
  return content;
}

}  // namespace warpmind::profilers
