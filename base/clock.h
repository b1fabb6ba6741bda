#pragma once
/// \file
/// Injected time. Wall time is for people; monotonic time is for durations and deadlines.

#include <chrono>
#include <cstdint>

namespace warpmind {

/// Milliseconds since 1970-01-01 UTC. Never used to order records: sequence numbers do that.
struct UnixMillis {
  std::int64_t value = 0;
  auto operator<=>(const UnixMillis&) const = default;  // NOLINT(modernize-use-nullptr): its 0
};

class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual UnixMillis wall() const = 0;
  [[nodiscard]] virtual std::chrono::steady_clock::time_point monotonic() const = 0;
};

class SystemClock final : public Clock {
 public:
  [[nodiscard]] UnixMillis wall() const override {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return {std::chrono::duration_cast<std::chrono::milliseconds>(now).count()};
  }
  [[nodiscard]] std::chrono::steady_clock::time_point monotonic() const override {
    return std::chrono::steady_clock::now();
  }
};

}  // namespace warpmind
