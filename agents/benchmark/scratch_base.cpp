#include "agents/benchmark/scratch_base.h"

#include "knowledge_base/maintenance/maintenance.h"

#include <unistd.h>
#include <utility>

namespace warpmind::agents::benchmark {
namespace {

namespace fs = std::filesystem;

// These bases hold a few hundred episodes and are thrown away.
constexpr std::int64_t kReserveBytes = std::int64_t{16} * 1024 * 1024;
constexpr std::int64_t kCacheMib = 8;

Result<std::unique_ptr<knowledge_base::KnowledgeBase>> open_at(const fs::path& directory,
                                                               const Clock& clock) {
  knowledge_base::StoreLocation location{.directory = directory, .clock = clock};
  location.reserve_bytes = kReserveBytes;
  location.cache_mib = kCacheMib;
  return knowledge_base::KnowledgeBase::open(location);
}

}  // namespace

fs::path scratch_root() {
  const char* const memory = "/dev/shm";
  if (::access(memory, W_OK | X_OK) == 0) return memory;
  std::error_code ec;
  const auto temporary = fs::temp_directory_path(ec);
  return ec ? fs::path("/tmp") : temporary;
}

ScratchBase::ScratchBase(fs::path directory, const Clock& clock,
                         std::unique_ptr<knowledge_base::KnowledgeBase> base)
    : directory_(std::move(directory)), clock_(clock), base_(std::move(base)) {}

ScratchBase::~ScratchBase() {
  base_.reset();
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

Result<std::unique_ptr<ScratchBase>> ScratchBase::create(const fs::path& parent,
                                                         const std::string& name,
                                                         const Clock& clock) {
  const fs::path directory = parent / name;
  WARPMIND_TRY(auto base, open_at(directory, clock));
  return std::unique_ptr<ScratchBase>(new ScratchBase(directory, clock, std::move(base)));
}

Result<std::unique_ptr<ScratchBase>> ScratchBase::copy(const std::string& name) {
  const fs::path directory = directory_.parent_path() / name;
  {
    const std::scoped_lock lock(copying_);
    WARPMIND_CHECK(base_->maintenance().checkpoint(directory).transform([](const auto&) {}));
  }
  WARPMIND_TRY(auto base, open_at(directory, clock_));
  return std::unique_ptr<ScratchBase>(new ScratchBase(directory, clock_, std::move(base)));
}

}  // namespace warpmind::agents::benchmark
