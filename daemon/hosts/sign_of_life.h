#pragma once
/// \file
/// Waiting that can be ended, and a thread that says "still here" while another works.

#include "base/result.h"

#include <chrono>
#include <functional>
#include <stop_token>
#include <thread>

namespace warpmind::daemon::hosts {

/// Sleeps for `time`, or until `stop`.
void rest(const std::stop_token& stop, std::chrono::milliseconds time);

/// Calls `sign` at once and then every `period`, until it is destroyed. What fails is repeated at
/// the next turn.
class SignOfLife {
 public:
  SignOfLife(std::chrono::milliseconds period, std::function<Result<void>()> sign);

 private:
  std::jthread thread_;
};

}  // namespace warpmind::daemon::hosts
