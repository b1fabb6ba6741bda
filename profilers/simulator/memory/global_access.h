#pragma once
/// \file
/// Loads and stores of global and constant memory, with every check.

#include "profilers/simulator/memory/access.h"

#include <array>
#include <cstddef>

namespace warpmind::simulator {

/// The host's view of what each active lane touches.
using Pointers = std::array<std::byte*, kLanes>;

/// Takes lanes out of access.active that touch no live allocation or are misaligned, after
/// recording them and ending the launch.
void admit_global(Access& access);

/// Everything about a load but the copy to registers: admits, counts, checks that the bytes were
/// written and that nobody races. `out` is set for the lanes left in access.active.
void read_global(Access& access, Pointers& out);

/// A store: admits, counts, checks and writes. `values` holds access.bytes for each of 32 lanes.
void write_global(Access& access, const std::byte* values);

/// Everything about a read-modify-write but the operation itself.
void update_global(Access& access, Pointers& out);

}  // namespace warpmind::simulator
