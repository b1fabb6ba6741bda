#pragma once
/// \file
/// Kernels whose time is known beforehand: a chain of multiply-adds as long as one wants, and a
/// copy as large as one wants.

#include "base/model/task.h"

#include <cstdint>
#include <string>

namespace warpmind::bench {

/// y = x + steps, one multiply-add a step in each of `threads` threads; integers, so exact.
[[nodiscard]] Task chain_task(const std::string& name, std::int64_t threads, std::int64_t steps);

/// The kernel of a chain_task() with `percent` more steps, which change nothing but the time.
[[nodiscard]] Kernel chain_kernel(std::int64_t percent = 0);

/// y = x for n floats: bound by memory.
[[nodiscard]] Task copy_task(const std::string& name, std::int64_t n);

/// The kernel of a copy_task() as a host function that also asks for its input to persist in L2,
/// and sets aside as much of it as the device gives. No lab would take it.
[[nodiscard]] Kernel persisting_copy_kernel();

}  // namespace warpmind::bench
