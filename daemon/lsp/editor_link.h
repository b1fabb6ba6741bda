#pragma once
/// \file
/// What is said to the editor: answers, notifications, and requests of ours.

#include "daemon/lsp/language_server.h"
#include "daemon/protocol/envelope.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace warpmind::daemon::lsp {

/// Codes of the Language Server Protocol, besides those of JSON-RPC.
inline constexpr std::int64_t kServerNotInitialized = -32002;
inline constexpr std::int64_t kRequestFailed = -32803;

enum class Urgency { error = 1, warning = 2, information = 3, log = 4 };

class EditorLink {
 public:
  explicit EditorLink(std::function<void(std::string_view)> write) : write_(std::move(write)) {}

  void answer(const protocol::RequestId& id, const nlohmann::json& result);
  /// `data` is JSON text for editors that can do more than show the sentence; empty = none.
  void refuse(const protocol::RequestId& id, std::int64_t code, const std::string& why,
              const std::string& data = {});
  void notify(std::string_view method, const nlohmann::json& params);
  /// `answered` runs when the editor agreed; nothing when it refused.
  void request(std::string_view method, const nlohmann::json& params,
               std::function<void()> answered = {});
  void on_response(const protocol::Message& message);
  /// Shows a sentence; `log` writes it where the editor keeps logs.
  void say(Urgency urgency, const std::string& sentence);

 private:
  std::function<void(std::string_view)> write_;
  std::map<std::int64_t, std::function<void()>> asked_;
  std::int64_t last_id_ = 0;
};

}  // namespace warpmind::daemon::lsp
