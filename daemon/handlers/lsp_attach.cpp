#include "daemon/handlers/lsp_attach.h"

namespace warpmind::daemon {

Handler<protocol::Empty, protocol::LspAttachResult> lsp_attach(lsp::LspDoor& door) {
  return [&door](const protocol::Empty&, RequestContext& context) {
    // After the answer: what comes next is the editor's first message.
    context.after_reply = [&door, connection = context.connection] { door.attach(connection); };
    return Result<protocol::LspAttachResult>(protocol::LspAttachResult{});
  };
}

}  // namespace warpmind::daemon
