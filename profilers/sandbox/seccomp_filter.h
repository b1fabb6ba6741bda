#pragma once
/// \file
/// The system-call filter of the sandbox, as the program that bubblewrap loads.

#include "base/file.h"
#include "base/result.h"

namespace warpmind::profilers {

/// Whether code in the sandbox may start processes. Compilers must; runners need not.
enum class NewProcesses { allowed, refused };

/// A sealed memory file with a BPF program for `bwrap --seccomp`, at offset 0. It refuses (EPERM)
/// sockets that are not AF_UNIX, ptrace, reading other processes' memory, io_uring, bpf, perf,
/// keyrings, mounts, new namespaces and kernel administration, and allows everything else: CUDA's
/// own needs change between drivers. Errors: external_failure.
[[nodiscard]] Result<UniqueFd> make_seccomp_filter(NewProcesses processes);

}  // namespace warpmind::profilers
