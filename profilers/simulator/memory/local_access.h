#pragma once
/// \file
/// Loads and stores of local memory (and .param variables of calls), and loads of kernel
/// parameters. Local addresses count from the lane's begin.

#include "profilers/simulator/memory/global_access.h"

namespace warpmind::simulator {

/// As read_global() and write_global(). Local memory is not checked for being initialised.
void read_local(Access& access, Pointers& out);
void write_local(Access& access, const std::byte* values);

void read_parameters(Access& access, Pointers& out);

/// By the instruction's space; generic addresses are resolved lane by lane.
void read_memory(Access& access, Pointers& out);
void write_memory(Access& access, const std::byte* values);
/// Global, shared and generic only.
void update_memory(Access& access, Pointers& out);

}  // namespace warpmind::simulator
