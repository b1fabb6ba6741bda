#pragma once
/// \file
/// A collector of traces on 127.0.0.1: real HTTP over real sockets, answers by the test's word.

#include "base/file.h"

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace warpmind::tests {

class LoopbackCollector {
 public:
  enum class Mood { takes, refuses, breaks, stands_still };

  explicit LoopbackCollector(Mood mood);
  ~LoopbackCollector();
  LoopbackCollector(const LoopbackCollector&) = delete;
  LoopbackCollector& operator=(const LoopbackCollector&) = delete;

  /// "http://127.0.0.1:PORT".
  [[nodiscard]] std::string url() const;
  void set_mood(Mood mood);
  /// Waits until so many requests have come whole; false when they do not.
  [[nodiscard]] bool await_requests(std::size_t count);
  [[nodiscard]] std::vector<std::string> bodies() const;
  [[nodiscard]] std::string first_line() const;

 private:
  void serve();
  void serve_one(const UniqueFd& client);

  UniqueFd listener_;
  UniqueFd stop_;  // an eventfd
  mutable std::mutex mutex_;
  std::condition_variable came_;
  Mood mood_;
  std::vector<std::string> bodies_;
  std::string first_line_;
  std::thread thread_;
};

}  // namespace warpmind::tests
