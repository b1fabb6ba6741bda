#include "daemon/lsp/lsp_door.h"

#include "daemon/protocol/envelope.h"
#include "daemon/protocol/message_codec.h"

#include <utility>

namespace warpmind::daemon::lsp {

void LspDoor::attach(ConnectionId connection) {
  Outlets outlets;
  outlets.to_editor = [this, connection](std::string_view line) {
    transport_.send(connection, line);
  };
  outlets.ask = [this, connection](std::string_view method, const std::string& params,
                                   DaemonReply reply) {
    ask(connection, method, params, std::move(reply));
  };
  outlets.close = [this, connection] { transport_.close_after_flush(connection); };
  editors_[connection].server = std::make_unique<LanguageServer>(std::move(outlets), version_);
}

void LspDoor::on_line(ConnectionId id, std::string_view line) {
  const auto editor = editors_.find(id);
  if (editor == editors_.end()) return rpc_->on_line(id, line);
  editor->second.server->on_message(protocol::parse_message(line));
}

void LspDoor::on_closed(ConnectionId id) {
  editors_.erase(id);
  rpc_->on_closed(id);
}

bool LspDoor::is_waiting(ConnectionId id) const {
  // An editor may be silent for hours.
  return editors_.contains(id) || rpc_->is_waiting(id);
}

void LspDoor::ask(ConnectionId id, std::string_view method, const std::string& params,
                  DaemonReply reply) {
  const auto editor = editors_.find(id);
  if (editor == editors_.end()) return;
  const std::int64_t number = ++editor->second.last_id;
  editor->second.asked.emplace(number, std::move(reply));
  std::string line = protocol::make_request(number, method, params);
  line.pop_back();  // rpc takes lines without their end
  rpc_->on_line(id, line);
}

void LspDoor::send(ConnectionId id, std::string_view line) {
  const auto editor = editors_.find(id);
  if (editor == editors_.end()) return transport_.send(id, line);
  auto message = protocol::parse_message(line);
  if (message.kind == protocol::MessageKind::notification) {
    const auto progress = protocol::decode<protocol::ProgressParams>(message.params);
    if (message.method == "task.progress" && progress)
      editor->second.server->on_progress(*progress);
    return;
  }
  const auto* number = std::get_if<std::int64_t>(&message.id);
  if (message.kind != protocol::MessageKind::response || number == nullptr) return;
  auto asked = editor->second.asked.extract(*number);
  if (asked.empty()) return;
  // The reply may close the connection, and so end this editor: nothing of it is used after.
  if (message.error) return asked.mapped()(fail(protocol::from_wire(*message.error)));
  asked.mapped()(std::move(message.result));
}

}  // namespace warpmind::daemon::lsp
