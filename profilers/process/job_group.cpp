#include "profilers/process/job_group.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <unistd.h>
#include <utility>

namespace warpmind::profilers {
namespace {

/// The kernel empties a group some microseconds after its last process was waited for.
constexpr int kRemovals = 50;
constexpr long kBetweenRemovalsNs = 1'000'000;

bool remove_folder(const std::filesystem::path& folder) noexcept {
  for (int i = 0; i < kRemovals; ++i) {
    if (::rmdir(folder.c_str()) == 0 || errno != EBUSY) return true;
    const timespec pause{0, kBetweenRemovalsNs};
    ::nanosleep(&pause, nullptr);
  }
  return false;
}

}  // namespace

JobGroup& JobGroup::operator=(JobGroup&& other) noexcept {
  if (this != &other) {
    remove();
    folders_ = std::move(other.folders_);
    doors_ = std::move(other.doors_);
  }
  return *this;
}

void JobGroup::add(std::filesystem::path folder, UniqueFd members) {
  folders_.push_back(std::move(folder));
  doors_.push_back(std::move(members));
}

bool JobGroup::remove() noexcept {
  doors_.clear();
  folders_.erase(std::remove_if(folders_.begin(), folders_.end(),
                                [](const auto& folder) { return remove_folder(folder); }),
                 folders_.end());
  return folders_.empty();
}

}  // namespace warpmind::profilers
