#pragma once
/// \file
/// The system-call filter of the sandbox, as the program that bubblewrap loads.

#include "base/file.h"
#include "base/result.h"

namespace warpmind::profilers {

/// Whether code in the sandbox may start processes. Compilers must; runners need not.
enum class NewProcesses { allowed, refused };

/// Internet sockets reach nothing but the sandbox itself, which has a network of its own.
enum class Sockets { local, loopback };

/// A sealed memory file with a BPF program for `bwrap --seccomp`, at offset 0. It refuses (EPERM)
/// sockets that are not AF_UNIX (nor, for `loopback`, of the internet families), ptrace, reading
/// other processes' memory, io_uring, bpf, perf, keyrings, mounts, new namespaces, typing into
/// terminals and kernel administration, and allows everything else: CUDA's own needs change between
/// drivers. Errors: external_failure.
[[nodiscard]] Result<UniqueFd> make_seccomp_filter(NewProcesses processes,
                                                   Sockets sockets = Sockets::local);

}  // namespace warpmind::profilers
