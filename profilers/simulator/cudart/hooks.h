#pragma once
/// \file
/// What the runtime offers beyond CUDA's: to a caller who draws red zones of his own and poisons
/// memory, and who does not trust the code that shares his process. Found by name (dlsym), since a
/// program may run with another runtime; so the caller includes this for the types alone.

#include <cstddef>
#include <cstdint>

// NOLINTBEGIN(readability-identifier-naming): named as the runtime's own functions are
extern "C" {

/// Only `bytes` of the allocation, from `before` on, may be touched by device code.
void cudasimRestrictAccess(void* allocation, std::size_t before, std::size_t bytes);
/// From now on a read of it finds what nobody wrote.
void cudasimForgetContent(void* memory, std::size_t bytes);
/// Which blocks the next launches run: BlockSampling.
void cudasimSampleBlocks(std::uint64_t seed, std::uint64_t instructions);
/// Launches run in the opposite of the settings' order.
void cudasimOpposeOrder(int opposite);
/// Reports written from now on are sealed with the key.
void cudasimSealReports(const char* key);
/// `seal`: 65 bytes.
void cudasimReportSeal(const char* key, char* seal);
/// Processor time that this thread has spent inside the runtime.
std::uint64_t cudasimThreadNanoseconds();

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
