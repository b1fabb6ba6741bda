#include "agents/llm/retry_policy.h"

#include "base/sleep.h"
#include "base/text.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>

#include <curl/curl.h>

namespace warpmind::agents::llm {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLongestAsked{60'000};

std::optional<double> number_in(std::string_view text) {
  const auto value = parse_number<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<milliseconds> within_limit(double wanted_ms) {
  if (!(wanted_ms >= 0 && wanted_ms <= static_cast<double>(kLongestAsked.count()))) {
    return std::nullopt;
  }
  return milliseconds(static_cast<std::int64_t>(std::ceil(wanted_ms)));
}

bool wait_really(milliseconds time, const std::stop_token& stop) {
  sleep_for(time, stop);
  return !stop.stop_requested();
}

double draw_really() {
  thread_local std::minstd_rand engine{std::random_device{}()};
  return std::uniform_real_distribution<double>(0, 1)(engine);
}

}  // namespace

RetryHints read_retry_hints(std::string_view should_retry, std::string_view retry_after_ms,
                            std::string_view retry_after, UnixMillis now) {
  RetryHints hints;
  if (should_retry == "true") hints.again = true;
  if (should_retry == "false") hints.again = false;
  if (const auto ms = number_in(retry_after_ms)) {
    hints.after = within_limit(*ms);
  } else if (const auto seconds = number_in(retry_after)) {
    hints.after = within_limit(*seconds * 1000);
  } else if (!retry_after.empty()) {
    const time_t date = ::curl_getdate(std::string(retry_after).c_str(), nullptr);
    if (date >= 0)
      hints.after = within_limit(static_cast<double>(date) * 1000 - static_cast<double>(now.value));
  }
  return hints;
}

bool may_pass(long status, const RetryHints& hints) {
  if (hints.again) return *hints.again;
  return status == 408 || status == 409 || status == 429 || status >= 500;
}

milliseconds retry_wait(int index, const RetryHints& hints, double random) {
  if (hints.after) return *hints.after;
  constexpr double kFirstMs = 500;
  constexpr double kMostMs = 8000;
  constexpr double kJitter = 0.25;
  const double full = std::min(kMostMs, kFirstMs * std::exp2(std::min(index, 16)));
  return milliseconds(static_cast<std::int64_t>(full * (1 - kJitter * random)));
}

RetryHooks completed(RetryHooks hooks) {
  if (!hooks.wait) hooks.wait = wait_really;
  if (!hooks.random) hooks.random = draw_really;
  return hooks;
}

}  // namespace warpmind::agents::llm
