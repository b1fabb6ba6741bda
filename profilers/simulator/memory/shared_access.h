#pragma once
/// \file
/// Loads and stores of shared memory, with every check. Addresses are offsets in the block's part.

#include "profilers/simulator/memory/global_access.h"

namespace warpmind::simulator {

/// Takes lanes out of access.active that leave the block's shared memory or are misaligned, after
/// recording them and ending the launch.
void admit_shared(Access& access);

/// As read_global(), write_global() and update_global().
void read_shared(Access& access, Pointers& out);
void write_shared(Access& access, const std::byte* values);
void update_shared(Access& access, Pointers& out);

/// The destination of an asynchronous copy: checked as a write, but nothing is stored.
void claim_shared(Access& access);

}  // namespace warpmind::simulator
