#include "profilers/judge/reference_pool.h"

#include <algorithm>
#include <utility>

namespace warpmind::profilers {

ReferencePool::ReferencePool() {
  const unsigned count = std::max(1U, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < count; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { serve(stop); });
  }
}

ReferencePool::~ReferencePool() {
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();
}

void ReferencePool::submit(Work work) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(work));
  }
  ready_.notify_one();
}

void ReferencePool::serve(const std::stop_token& stop) {
  while (true) {
    Work work;
    {
      std::unique_lock lock(mutex_);
      if (!ready_.wait(lock, stop, [this] { return !queue_.empty(); })) return;
      if (stop.stop_requested()) return;
      work = std::move(queue_.front());
      queue_.pop_front();
    }
    work();
  }
}

}  // namespace warpmind::profilers
