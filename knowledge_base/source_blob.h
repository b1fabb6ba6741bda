#pragma once
/// \file
/// Payload of a kernel record: `[header length, 4 bytes big-endian][header][zstd frame]`.

#include "base/result.h"

#include <string>
#include <string_view>

namespace warpmind::knowledge_base {

struct SourceBlob {
  std::string header;
  std::string source;
};

[[nodiscard]] Result<std::string> pack_source(std::string_view header, std::string_view source);

/// Errors: corrupt_data; also for a source that claims more than 64 MiB.
[[nodiscard]] Result<SourceBlob> unpack_source(std::string_view payload);

}  // namespace warpmind::knowledge_base
