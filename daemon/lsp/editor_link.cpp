#include "daemon/lsp/editor_link.h"

#include "base/codec/json_guard.h"

#include <utility>
#include <variant>

namespace warpmind::daemon::lsp {

using nlohmann::json;

void EditorLink::answer(const protocol::RequestId& id, const json& result) {
  write_(protocol::make_result(id, codec::dump_json(result)));
}

void EditorLink::refuse(const protocol::RequestId& id, std::int64_t code, const std::string& why,
                        const std::string& data) {
  write_(protocol::make_error(id, {code, why, data}));
}

void EditorLink::notify(std::string_view method, const json& params) {
  write_(protocol::make_notification(method, codec::dump_json(params)));
}

void EditorLink::request(std::string_view method, const json& params,
                         std::function<void()> answered) {
  const std::int64_t id = ++last_id_;
  if (answered) asked_.emplace(id, std::move(answered));
  write_(protocol::make_request(id, method, codec::dump_json(params)));
}

void EditorLink::on_response(const protocol::Message& message) {
  const auto* id = std::get_if<std::int64_t>(&message.id);
  if (id == nullptr) return;
  auto asked = asked_.extract(*id);
  if (!asked.empty() && !message.error) asked.mapped()();
}

void EditorLink::say(Urgency urgency, const std::string& sentence) {
  const auto* method = urgency == Urgency::log ? "window/logMessage" : "window/showMessage";
  notify(method, {{"type", static_cast<int>(urgency)}, {"message", "warpmind: " + sentence}});
}

}  // namespace warpmind::daemon::lsp
