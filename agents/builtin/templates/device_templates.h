#pragma once
/// \file
/// Device code that rewrites paste into a source: the .cuh files of this folder.

#include "agents/builtin/syntax.h"

#include <optional>
#include <span>
#include <string_view>

namespace warpmind::agents::builtin {

struct EmbeddedFile {
  std::string_view name;
  std::string_view content;
};

/// Generated from the files that agents/builtin/CMakeLists.txt names.
[[nodiscard]] std::span<const EmbeddedFile> device_template_files();

/// The edit that puts `templates/<name>.cuh` after the last #include of the source; nullopt when
/// its first line stands there already, or when there is no such template.
[[nodiscard]] std::optional<TextEdit> paste_template(const SyntaxTree& tree, std::string_view name);

/// The same for any device code.
[[nodiscard]] std::optional<TextEdit> paste_device_code(const SyntaxTree& tree,
                                                        std::string_view code);

}  // namespace warpmind::agents::builtin
