#pragma once
/// \file
/// Turns a std::stop_token into a descriptor that poll() can wait for.

#include "base/file.h"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <sys/eventfd.h>
#include <unistd.h>

namespace warpmind::profilers {

/// `descriptor()` becomes readable when a stop is requested.
class StopSignal {
 public:
  explicit StopSignal(const std::stop_token& stop)
      : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), callback_(stop, Raise{event_.get()}) {}

  [[nodiscard]] int descriptor() const { return event_.get(); }

 private:
  struct Raise {
    int fd;
    void operator()() const noexcept {
      const std::uint64_t one = 1;
      [[maybe_unused]] const ssize_t n = ::write(fd, &one, sizeof one);
    }
  };

  UniqueFd event_;  // before callback_: the callback writes to it until it is destroyed
  std::stop_callback<Raise> callback_;
};

}  // namespace warpmind::profilers
