#pragma once
/// \file
/// Threads that compute references while the runner is busy.

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace warpmind::profilers {

/// First in, first out. The destructor drops what has not started and waits for what has.
class ReferencePool {
 public:
  using Work = std::function<void()>;

  /// One thread a hardware thread.
  ReferencePool();
  ReferencePool(const ReferencePool&) = delete;
  ReferencePool& operator=(const ReferencePool&) = delete;
  ~ReferencePool();

  /// `work` must not throw. Any thread may call.
  void submit(Work work);

 private:
  void serve(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any ready_;
  std::deque<Work> queue_;
  std::vector<std::jthread> threads_;
};

}  // namespace warpmind::profilers
