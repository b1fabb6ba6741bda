#pragma once
/// \file
/// Which failures are tried again, and after how long. The rules are those of the official clients.

#include "base/clock.h"

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>

namespace warpmind::agents::llm {

/// What the headers of an answer ask for.
struct RetryHints {
  std::optional<bool> again;                       ///< x-should-retry: overrides the status
  std::optional<std::chrono::milliseconds> after;  ///< only where it is at most 60 s
};

/// `retry_after_ms` goes before `retry_after`, which is seconds or an HTTP date; empty = no header.
[[nodiscard]] RetryHints read_retry_hints(std::string_view should_retry,
                                          std::string_view retry_after_ms,
                                          std::string_view retry_after, UnixMillis now);

/// 408, 409, 429 and 500 and above may pass, unless `hints` say otherwise.
[[nodiscard]] bool may_pass(long status, const RetryHints& hints);

/// The wait before retry `index` (0 = the first). As the server asked, else 0.5 s · 2^index, at
/// most 8 s, shortened by up to a quarter: `random` is in [0, 1).
[[nodiscard]] std::chrono::milliseconds retry_wait(int index, const RetryHints& hints,
                                                   double random);

/// What a test replaces. All may be called from several threads at once.
struct RetryHooks {
  /// Blocks for so long; false as soon as a stop is asked for. Empty = real time.
  std::function<bool(std::chrono::milliseconds, const std::stop_token&)> wait;
  /// In [0, 1). Empty = the system's randomness.
  std::function<double()> random;
};

/// `hooks` with real time and randomness where it is empty.
[[nodiscard]] RetryHooks completed(RetryHooks hooks);

}  // namespace warpmind::agents::llm
