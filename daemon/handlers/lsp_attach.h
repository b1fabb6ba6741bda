#pragma once
/// \file
/// How a connection becomes an editor's.

#include "daemon/lsp/lsp_door.h"
#include "daemon/protocol/editor_messages.h"
#include "daemon/rpc/dispatcher.h"

namespace warpmind::daemon {

/// `door` must outlive the dispatcher.
[[nodiscard]] Handler<protocol::Empty, protocol::LspAttachResult> lsp_attach(lsp::LspDoor& door);

}  // namespace warpmind::daemon
