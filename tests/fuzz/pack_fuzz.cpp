// A fuzzer for packs and for memories of other programs.

#include "tests/unit/kb_packs/fuzz_pack.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return warpmind::knowledge_base::fuzz_pack(data, size);
}
