#pragma once
/// \file
/// Which process a sandbox belongs to, so that the next daemon can end what a killed one left.
///
/// A child dies with its parent (PR_SET_PDEATHSIG), but for one moment: bubblewrap's own child
/// waits, before it has asked for that, for a word that a bubblewrap killed meanwhile never says.

#include <string>

namespace warpmind::profilers {

/// "WARPMIND_OWNER=", the PID namespace and this process: for the environment of bubblewrap, which
/// hands none of its own on.
[[nodiscard]] std::string owner_mark();

/// SIGKILL to every process of this user whose mark names a process that is gone. Whether one of
/// another PID namespace (a container) is gone cannot be seen here: what is its own stays.
void end_orphans();

}  // namespace warpmind::profilers
