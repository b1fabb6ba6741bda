#pragma once
/// \file
/// The name of the user on whose behalf things happen.

#include <string>

namespace warpmind::daemon {

/// Login name of this process's user, who is every client's, too (peer_check.h); "uid-1000" where
/// the system has no name for it.
[[nodiscard]] std::string user_name();

}  // namespace warpmind::daemon
