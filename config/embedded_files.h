#pragma once
/// \file
/// The text files of config/ that are compiled into the binary (cmake/EmbedFiles.cmake).

#include <span>
#include <string_view>

namespace warpmind::config {

struct EmbeddedFile {
  std::string_view name;  ///< path below config/: "devices/h200.toml"
  std::string_view content;
};

[[nodiscard]] std::span<const EmbeddedFile> embedded_files();

}  // namespace warpmind::config
