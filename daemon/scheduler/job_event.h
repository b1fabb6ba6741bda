#pragma once
/// \file
/// News about a job.

#include "daemon/protocol/messages.h"

#include <cstdint>

namespace warpmind::daemon {

struct JobEvent {
  protocol::ProgressParams progress;
  std::uint64_t sequence = 0;  ///< grows with every event of one run of the daemon
};

[[nodiscard]] inline bool is_final(JobState state) {
  return state != JobState::queued && state != JobState::running;
}

}  // namespace warpmind::daemon
