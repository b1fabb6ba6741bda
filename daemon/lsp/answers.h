#pragma once
/// \file
/// What an editor shows of a file, as values of the Language Server Protocol. Pure functions.

#include "daemon/lsp/editor_profile.h"
#include "daemon/lsp/open_file.h"
#include "syntax/text_edit.h"

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace warpmind::daemon::lsp {

/// Names of the commands, as lenses carry and `workspace/executeCommand` takes them.
inline constexpr const char* kOptimize = "warpmind.optimize";
inline constexpr const char* kCancel = "warpmind.cancel";
inline constexpr const char* kExplain = "warpmind.explain";
inline constexpr const char* kShowResult = "warpmind.showResult";
inline constexpr const char* kApply = "warpmind.apply";
inline constexpr const char* kInsights = "warpmind.insights";
inline constexpr const char* kEpisodes = "warpmind.listEpisodes";
inline constexpr const char* kSearch = "warpmind.searchInsights";

[[nodiscard]] nlohmann::json range_of(const OpenFile& file, syntax::Range range);

/// CodeLens[] over one kernel, and over each.
[[nodiscard]] nlohmann::json kernel_lenses(const OpenFile& file, const KernelMark& mark);
[[nodiscard]] nlohmann::json code_lenses(const OpenFile& file);
/// Hover | null: over the name of a kernel, where it is defined or launched.
[[nodiscard]] nlohmann::json hover(const OpenFile& file, Position position);
/// InlayHint[] behind the parameters of each kernel within the lines.
[[nodiscard]] nlohmann::json inlay_hints(const OpenFile& file, std::int64_t first_line,
                                         std::int64_t last_line);
/// Diagnostic[]: information at lines that the last profile found costly.
[[nodiscard]] nlohmann::json diagnostics(const OpenFile& file);
/// WorkspaceEdit that puts the better kernel into the text; null when why_not_applied() says why.
[[nodiscard]] nlohmann::json variant_edit(const OpenFile& file);
/// CodeAction[] where the lines touch a kernel: the verified variant; and what the lenses offer,
/// for an editor that shows none.
[[nodiscard]] nlohmann::json code_actions(const OpenFile& file, std::int64_t first_line,
                                          std::int64_t last_line, const EditorProfile& profile);

/// What limits the kernel, in Markdown; and in one plain sentence.
[[nodiscard]] std::string bottleneck_markdown(const OpenFile& file, const std::string& kernel);
[[nodiscard]] std::string bottleneck_sentence(const OpenFile& file, const std::string& kernel);

}  // namespace warpmind::daemon::lsp
