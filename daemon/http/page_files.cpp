#include "daemon/http/page_files.h"

#include "base/text.h"

#include <array>
#include <utility>

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
namespace {

/// Nothing from elsewhere, nothing inline, no plug-ins, no forms, in nobody's frame.
constexpr const char* kPolicy =
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src "
    "'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// Their names change with their bytes.
constexpr std::string_view kHashedFolder = "/assets/";

/// Up to `end`, which is taken too; nullopt when it is not there.
bool take(std::string_view& text, char end, std::string_view& part) {
  const auto at = text.find(end);
  if (at == std::string_view::npos) return false;
  part = text.substr(0, at);
  text.remove_prefix(at + 1);
  return true;
}

bool lists(const HttpRequest& request, std::string_view header, std::string_view value) {
  for (const auto& one : request.headers) {
    if (one.name == header && one.value.find(value) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

Result<std::vector<PageFile>> read_page_pack(std::string_view pack) {
  const auto broken = [] { return fail(Errc::corrupt_data, "the files of the page are no pack"); };
  std::vector<PageFile> files;
  std::vector<std::size_t> sizes;
  std::string_view line;
  while (true) {
    if (!take(pack, '\n', line)) return broken();
    if (line.empty()) break;
    std::array<std::string_view, 3> parts;
    for (auto& part : parts) {
      if (!take(line, '\t', part)) return broken();
    }
    const auto size = parse_number<std::size_t>(parts[2]);
    if (!size || !parts[0].starts_with('/')) return broken();
    files.push_back({std::string(parts[0]), std::string(parts[1]), std::string(line), {}});
    sizes.push_back(*size);
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (pack.size() < sizes[i]) return broken();
    files[i].gzip = pack.substr(0, sizes[i]);
    pack.remove_prefix(sizes[i]);
  }
  if (!pack.empty() || files.empty()) return broken();
  return files;
}

HttpReply page_reply(const PageFile& file, const HttpRequest& request) {
  const bool is_hashed = file.path.starts_with(kHashedFolder);
  const std::string tag = "\"" + file.tag + "\"";
  std::vector<HttpHeader> headers{
      {"ETag", tag},
      {"Cache-Control", is_hashed ? "public, max-age=31536000, immutable" : "no-cache"},
      {"Vary", "Accept-Encoding"},
      {"Content-Security-Policy", kPolicy},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cross-Origin-Resource-Policy", "same-origin"}};
  if (lists(request, "if-none-match", tag)) return {304, "", std::move(headers), ""};
  if (!lists(request, "accept-encoding", "gzip")) {
    return plain_reply(406, "The page is kept compressed: send Accept-Encoding: gzip.");
  }
  headers.push_back({"Content-Encoding", "gzip"});
  return {200, file.content_type, std::move(headers), std::string(file.gzip)};
}

void add_page_routes(const std::vector<PageFile>& files, Router& router) {
  for (const auto& file : files) {
    auto serve = [file](const std::shared_ptr<Exchange>& exchange) {
      exchange->reply(page_reply(file, exchange->request()));
    };
    if (file.path == "/") router.add("/login", "GET", serve, Access::open);
    router.add(file.path, "GET", std::move(serve), Access::open);
  }
}

std::string_view built_in_page_pack() {
  const char* const begin = &warpmind_page_pack_begin;
  const char* const end = &warpmind_page_pack_end;
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace warpmind::daemon::http
