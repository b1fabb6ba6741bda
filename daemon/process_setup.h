#pragma once
/// \file
/// What this process may do and show, set before any thread exists.

#include "base/result.h"

#include <cstdint>
#include <string>

namespace warpmind::daemon {

/// `allow_root`: setting daemon.allow_root; `sign`: container_sign().
/// Errors: invalid_argument for a root process that was not allowed to be one.
[[nodiscard]] Result<void> check_user(bool is_root, const std::string& allow_root,
                                      const std::string& sign);
/// The same of this process.
[[nodiscard]] Result<void> check_user(const std::string& allow_root);

/// No core files and no debugger of another process: memory may hold keys. A reader that goes away
/// ends a write with an error, not the process.
void harden_process();

/// Makes room for `connections` and the files of the base, as far as the hard limit goes.
void raise_file_limit(std::int64_t connections);

}  // namespace warpmind::daemon
