#pragma once
/// \file
/// Non-blocking reads and writes of a child's channels, shared by the two ways to talk to one.

#include "base/file.h"
#include "profilers/process/spawn.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace warpmind::profilers {

/// Keeps the first `limit` bytes of a stream and drops the rest, so that a child that prints
/// without end neither blocks nor fills our memory.
struct Capture {
  std::size_t limit = 0;
  std::string text;
  bool cut = false;

  void add(std::string_view bytes);
};

/// Reads what is there into `capture`, at most 1 MiB a call. Closes `fd` at its end.
void drain(UniqueFd& fd, Capture& capture);

/// Writes what `fd` takes and removes it from `pending`. Closes `fd` when the child does not read.
void feed(UniqueFd& fd, std::string_view& pending);

/// Milliseconds for poll(): rounded up, at least 0; -1 when there is no deadline.
[[nodiscard]] int poll_timeout(std::optional<Deadline> deadline);

}  // namespace warpmind::profilers
