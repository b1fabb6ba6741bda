#include "daemon/hosts/sign_of_life.h"

#include "base/log.h"
#include "base/sleep.h"

#include <utility>

namespace warpmind::daemon::hosts {

SignOfLife::SignOfLife(std::chrono::milliseconds period, std::function<Result<void>()> sign)
    : thread_([period, sign = std::move(sign)](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
          if (const auto given = sign(); !given) {
            log::debug("daemon", "no sign of life was given", {{"why", given.error().message}});
          }
          sleep_for(period, stop);
        }
      }) {}

}  // namespace warpmind::daemon::hosts
