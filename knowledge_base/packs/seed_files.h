#pragma once
/// \file
/// The text of the seed, compiled into the binary (cmake/EmbedFiles.cmake).

#include <span>
#include <string_view>

namespace warpmind::knowledge_base {

struct EmbeddedFile {
  std::string_view name;  ///< path below knowledge_base/packs: "seed/memory.toml"
  std::string_view content;
};

[[nodiscard]] std::span<const EmbeddedFile> seed_files();

}  // namespace warpmind::knowledge_base
