#pragma once
/// \file
/// Who is at the other end of a Unix socket: same user, same user and pid namespace.

#include "base/result.h"

#include <cstdint>
#include <utility>

namespace warpmind::daemon {

/// Lets in peers of this process's own user and namespaces. The user id alone is not enough: a
/// process in a child user namespace, such as a sandboxed candidate, shows ours.
class PeerCheck {
 public:
  /// Errors: unavailable where /proc does not show our own namespaces.
  [[nodiscard]] static Result<PeerCheck> create();

  /// Errors: unavailable with the reason. Costs a few system calls.
  [[nodiscard]] Result<void> admit(int socket) const;

 private:
  using Namespace = std::pair<std::uint64_t, std::uint64_t>;  // device and inode
  PeerCheck(Namespace user, Namespace pid) : user_(user), pid_(pid) {}

  Namespace user_;
  Namespace pid_;
};

}  // namespace warpmind::daemon
