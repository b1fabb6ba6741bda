#pragma once
/// \file
/// One input of a fuzzer for everything in packs/ that reads bytes from outside.

#include <cstddef>
#include <cstdint>

namespace warpmind::knowledge_base {

/// Reads `data` as a pack, as a KernelBlaster database and as a Kernel Tuner cache; the first byte
/// chooses which of them, 0xff all. Aborts where an accepted pack does not survive being written
/// again. Always returns 0.
int fuzz_pack(const std::uint8_t* data, std::size_t size);

}  // namespace warpmind::knowledge_base
