#include "daemon/user_name.h"

#include <pwd.h>
#include <unistd.h>
#include <vector>

namespace warpmind::daemon {

std::string user_name() {
  constexpr std::size_t kEntryBytes = std::size_t{16} * 1024;
  passwd entry{};
  passwd* found = nullptr;
  std::vector<char> buffer(kEntryBytes);
  const uid_t user = ::geteuid();
  if (::getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr) {
    return "uid-" + std::to_string(user);
  }
  return entry.pw_name;
}

}  // namespace warpmind::daemon
