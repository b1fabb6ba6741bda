#include "profilers/toolchain/build_slots.h"

#include <algorithm>
#include <thread>

namespace warpmind::profilers {

BuildSlots::BuildSlots(std::size_t slots)
    : slots_(std::max<std::size_t>(slots == 0 ? std::thread::hardware_concurrency() : slots, 1)) {}

BuildSlots::Held::~Held() {
  if (slots_ == nullptr) return;
  {
    const std::scoped_lock lock(slots_->mutex_);
    --slots_->taken_;
  }
  slots_->freed_.notify_one();
}

Result<BuildSlots::Held> BuildSlots::take(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (!freed_.wait(lock, stop, [this] { return taken_ < slots_; })) {
    return fail(Errc::cancelled, "the build was cancelled");
  }
  ++taken_;
  return Held(this);
}

}  // namespace warpmind::profilers
