#pragma once
/// \file
/// What the preloaded library keeps: the record, kernel names, the functions that it stands before.

#include "profilers/launch_record/call_trace.h"
#include "profilers/launch_record/shim/kernel_names.h"

#include <cstddef>
#include <cstdint>

namespace warpmind::profilers {

/// The one object of the process: the interposed functions have nowhere else to keep it. Never
/// destroyed, since destructors of the program's own globals still call CUDA.
struct Recorder {
  Recorder();
  CallTrace trace;
  KernelNames names;
  bool null_kernels = false;  ///< the program's own launches are recorded and do nothing
  /// Whether a launch of `function` (a host function or a handle) shall do nothing. Kernels of a
  /// library outside of the program's folder run: a program may compute with them what is right.
  [[nodiscard]] bool skips(const void* function) const;
};
[[nodiscard]] Recorder& recorder();

/// Writes the call; says once on stderr when that fails.
void note(const CudaCall& call);
void note_allocation(const void* memory, std::size_t bytes, const char* use);
void note_release(const void* memory, const void* stream, bool async);
void note_copy(const void* to, const void* from, std::size_t bytes, const void* stream, bool async);
void note_fill(const void* to, int value, std::size_t bytes, const void* stream, bool async);
void note_wait(const char* what, const void* stream);
void note_other(const char* function);

/// Behind what the launch's stream has been asked for so far, which is waited for; not while the
/// stream is being captured. Leaves no error.
[[nodiscard]] bool read_device_memory(const MemoryPieces& from, std::uint64_t stream, char* to);

/// The function of that name in the library behind this one; null when there is none.
[[nodiscard]] void* behind(const char* name);

}  // namespace warpmind::profilers
