#pragma once
/// \file
/// A thread that says "still here" while another works.

#include "base/result.h"

#include <chrono>
#include <functional>
#include <thread>

namespace warpmind::daemon::hosts {

/// Calls `sign` at once and then every `period`, until it is destroyed. What fails is repeated at
/// the next turn.
class SignOfLife {
 public:
  SignOfLife(std::chrono::milliseconds period, std::function<Result<void>()> sign);

 private:
  std::jthread thread_;
};

}  // namespace warpmind::daemon::hosts
