#pragma once
/// \file
/// The files of the page, which lie compressed in the program (clients/dashboard).

#include "base/result.h"
#include "daemon/http/http_message.h"
#include "daemon/http/router.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::daemon::http {

struct PageFile {
  std::string path;  ///< "/", "/assets/index-1a2b3c.js"
  std::string content_type;
  std::string tag;        ///< of its bytes, for ETag
  std::string_view gzip;  ///< the bytes, compressed
};

/// A pack as clients/dashboard/pack.sh writes it: lines `path TAB type TAB bytes TAB tag`, an empty
/// line, the bytes of all of them. Views into `pack`. Errors: corrupt_data.
[[nodiscard]] Result<std::vector<PageFile>> read_page_pack(std::string_view pack);

/// The pack of this program.
[[nodiscard]] std::string_view built_in_page_pack();

/// 200, 304 when the client has it, 406 when it takes no gzip.
[[nodiscard]] HttpReply page_reply(const PageFile& file, const HttpRequest& request);

/// GET of every file, for everybody who passes the gate: nothing in them is a secret.
void add_page_routes(const std::vector<PageFile>& files, Router& router);

}  // namespace warpmind::daemon::http
