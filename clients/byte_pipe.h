#pragma once
/// \file
/// Carries bytes between two descriptors and a connection, unchanged, as long as both sides live.

#include "base/file.h"
#include "base/result.h"

#include <sys/types.h>

namespace warpmind::clients {

struct PipeEnds {
  int in = 0;
  int out = 1;
  /// Ends when this is no longer the parent of the process: a client that was killed closes no
  /// pipe that its other children hold. 0 = does not look.
  pid_t parent = 0;
};

/// Blocks until the connection is closed, the reader of `out` is gone, or the parent is. The end of
/// `in` is passed on; what still comes back is carried. Holds 64 KiB each way at most, so whoever
/// does not read stops whoever writes. Ignore SIGPIPE first. Errors: external_failure.
[[nodiscard]] Result<void> carry_bytes(UniqueFd connection, const PipeEnds& ends);

}  // namespace warpmind::clients
