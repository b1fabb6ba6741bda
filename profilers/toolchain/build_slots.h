#pragma once
/// \file
/// How many compilers run at once: labs of several devices share the processors of one machine.

#include "base/result.h"

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <stop_token>
#include <utility>

namespace warpmind::profilers {

/// Threads: any.
class BuildSlots {
 public:
  /// At least one; 0 = as many as there are processors.
  explicit BuildSlots(std::size_t slots);

  /// One slot until it is destroyed.
  class Held {
   public:
    explicit Held(BuildSlots* slots) : slots_(slots) {}
    ~Held();
    Held(Held&& other) noexcept : slots_(std::exchange(other.slots_, nullptr)) {}
    Held& operator=(Held&&) = delete;  // a slot is held, not passed from one to another
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

   private:
    BuildSlots* slots_;
  };

  /// Waits for a slot. Errors: cancelled.
  [[nodiscard]] Result<Held> take(const std::stop_token& stop);
  [[nodiscard]] std::size_t slots() const { return slots_; }

 private:
  const std::size_t slots_;
  std::mutex mutex_;
  std::condition_variable_any freed_;
  std::size_t taken_ = 0;
};

}  // namespace warpmind::profilers
