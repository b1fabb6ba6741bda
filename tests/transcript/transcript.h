#pragma once
/// \file
/// Runs a transcript: what a client sends, and what must come back.
///
///     > text          send the line
///     !half text      send without the end of line
///     !repeat N text  send N times `text`, then the end of line
///     < json          the next line must match: the string "*" is any value, a string with `*` in
///                     it is a pattern, the member "...": "..." allows others
///     !skip json      read lines until one matches
///     !open           start again with a new connection (and read its greeting)
///     !eof            the daemon must close now
///     !exit N         the daemon must end with this status
/// `$TASKS` stands for the folder of tasks, `$SCRATCH` for one of the daemon's own, `$JOB` and
/// `$ID` for the last ids of a job and of an insight seen.

#include "tests/transcript/daemon_process.h"

#include <filesystem>
#include <string>

namespace warpmind::tests {

/// "" when everything matched, else `file:line: what was expected and what came`.
[[nodiscard]] std::string run_transcript(const std::filesystem::path& file, DaemonProcess& daemon,
                                         const std::filesystem::path& tasks);

}  // namespace warpmind::tests
