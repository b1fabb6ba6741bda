#pragma once
/// \file
/// What an editor said of itself when it began, and what its user set.

#include "daemon/lsp/text_document.h"
#include "daemon/protocol/messages.h"

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace warpmind::daemon::lsp {

struct EditorProfile {
  PositionEncoding encoding = PositionEncoding::utf16;
  bool shows_progress = false;          ///< window.workDoneProgress
  bool shows_lenses = false;            ///< textDocument.codeLens
  bool refreshes_lenses = false;        ///< workspace.codeLens.refreshSupport
  bool refreshes_hints = false;         ///< workspace.inlayHint.refreshSupport
  bool shows_disabled_actions = false;  ///< textDocument.codeAction.disabledSupport
  bool applies_edits = false;           ///< workspace.applyEdit
  bool shows_endings = false;           ///< initializationOptions.showsEndings: of jobs, by itself
};

/// How jobs are asked for; members as for `task.submit`.
struct JobWishes {
  protocol::TaskSubmitParams params;  ///< evaluations, seconds, provider, device, proposer
  bool predict = true;                ///< run a task's kernel in the simulator when it is opened
};

[[nodiscard]] EditorProfile editor_profile(const nlohmann::json& initialize_params);
/// Reads the members that are there and have the right type, null takes a number back; leaves the
/// others.
void take_wishes(const nlohmann::json& options, JobWishes& wishes);
[[nodiscard]] nlohmann::json server_capabilities(const EditorProfile& profile);

/// "/home/a b/k.cu" of "file:///home/a%20b/k.cu"; empty for another scheme.
[[nodiscard]] std::string path_of_uri(const std::string& uri);

}  // namespace warpmind::daemon::lsp
