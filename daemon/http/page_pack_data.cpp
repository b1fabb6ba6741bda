#include "daemon/http/page_files.h"

// The assembler copies the file: a C++ array of as many bytes would take seconds to compile.
// WARPMIND_PAGE_PACK is its path, of the build.
__asm__(
    ".section .rodata\n"
    ".balign 16\n"
    ".global warpmind_page_pack_begin\n"
    ".global warpmind_page_pack_end\n"
    "warpmind_page_pack_begin:\n"
    ".incbin \"" WARPMIND_PAGE_PACK
    "\"\n"
    "warpmind_page_pack_end:\n"
    ".byte 0\n"
    ".previous\n");

extern "C" {
extern const char warpmind_page_pack_begin;  // NOLINT(readability-identifier-naming): a symbol
extern const char warpmind_page_pack_end;    // NOLINT(readability-identifier-naming): a symbol
}

namespace warpmind::daemon::http {

std::string_view built_in_page_pack() {
  const char* const begin = &warpmind_page_pack_begin;
  const char* const end = &warpmind_page_pack_end;
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace warpmind::daemon::http
