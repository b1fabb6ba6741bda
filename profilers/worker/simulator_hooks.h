#pragma once
/// \file
/// What the simulator's runtime offers beyond CUDA's. With a GPU's runtime these do nothing.

#include "profilers/job/runner_job.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace warpmind::profilers {

/// Kernels may touch only `bytes` bytes from `before` bytes into `allocation`: red zones become
/// walls for reads, too.
void restrict_access(void* allocation, std::size_t before, std::size_t bytes);

/// The content counts as never written: a kernel that reads it before it writes is told so.
void forget_content(void* memory, std::size_t bytes);

/// Which blocks the next launches run.
void sample_blocks(const BlockSample& blocks);

/// Blocks and warps of later launches run in the opposite of the order that the settings say, or in
/// that order again. Whether they now run in the opposite one.
bool oppose_order(bool opposite);

/// From now on reports of launches are sealed with `key`, which no candidate must learn.
void seal_reports(const std::string& key);
/// Of all reports so far; empty when one could not be written, and with a GPU's runtime.
[[nodiscard]] std::string report_seal(const std::string& key);

/// Processor time that this thread has spent inside the runtime, in ns; 0 with a GPU's.
[[nodiscard]] std::uint64_t runtime_thread_ns();

}  // namespace warpmind::profilers
