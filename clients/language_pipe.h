#pragma once
/// \file
/// Between an editor's frames and the daemon's lines. Holds no state but bytes on their way.

#include "base/file.h"
#include "base/result.h"

namespace warpmind::clients {

struct EditorEnds {
  int from_editor = 0;
  int to_editor = 1;
};

/// Carries messages both ways until the editor closes its side, or the daemon its own after the
/// editor's `exit`. Errors: invalid_argument when what the editor sends are no frames;
/// external_failure when the connection is lost before.
[[nodiscard]] Result<void> carry_language_messages(UniqueFd daemon, EditorEnds ends);

}  // namespace warpmind::clients
