#include "daemon/hosts/sign_of_life.h"

#include "base/log.h"

#include <condition_variable>
#include <mutex>
#include <utility>

namespace warpmind::daemon::hosts {

void rest(const std::stop_token& stop, std::chrono::milliseconds time) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait_for(lock, stop, time, [] { return false; });
}

SignOfLife::SignOfLife(std::chrono::milliseconds period, std::function<Result<void>()> sign)
    : thread_([period, sign = std::move(sign)](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
          if (const auto given = sign(); !given) {
            log::debug("daemon", "no sign of life was given", {{"why", given.error().message}});
          }
          rest(stop, period);
        }
      }) {}

}  // namespace warpmind::daemon::hosts
