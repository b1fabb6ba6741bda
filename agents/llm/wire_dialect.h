#pragma once
/// \file
/// One dialect: how a request is written and how its answer is read. No sockets here.

#include "agents/llm/endpoint_options.h"
#include "agents/llm/language_model.h"
#include "agents/llm/sse_parser.h"
#include "base/result.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::agents::llm {

/// What a server can take. Starts with everything; what it refuses is left out from then on.
struct WireChoices {
  bool structured = true;  ///< hold the answer to the request's schema
  bool stream = true;
  bool usage_in_stream = true;     ///< dialect chat: ask for token counts at the end of a stream
  bool completion_tokens = false;  ///< dialect chat: "max_completion_tokens", not "max_tokens"
  bool operator==(const WireChoices&) const = default;
};

/// An answer as far as it was read.
struct ReplyDraft : ReplyText {
  std::optional<Usage> usage;  ///< as the server reported it, when that can be true
  std::string id;
  bool started = false;   ///< the model has read the request: it may be billed
  bool finished = false;  ///< the end mark was there
};

/// Reads one answer, as a stream or whole.
/// Errors: unavailable for a failure of the server that may pass; invalid_argument when it says
/// that the request is wrong; external_failure for what cannot be read.
class ReplyReader {
 public:
  virtual ~ReplyReader() = default;
  [[nodiscard]] virtual Result<void> read_event(const SseEvent& event) = 0;
  [[nodiscard]] virtual Result<void> read_whole(std::string_view body) = 0;
  [[nodiscard]] const ReplyDraft& draft() const { return draft_; }

 protected:
  ReplyDraft draft_;
};

class WireDialect {
 public:
  virtual ~WireDialect() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Below "/v1".
  [[nodiscard]] virtual std::string_view path() const = 0;
  /// Header lines beside Content-Type; `key` may be empty.
  [[nodiscard]] virtual std::vector<std::string> headers(const std::string& key) const = 0;
  /// Equal requests give equal bytes. Errors: invalid_argument for a schema that is not JSON, and
  /// for a request whose last message is not the user's.
  [[nodiscard]] virtual Result<std::string> body(const ModelRequest& request,
                                                 const std::string& model,
                                                 const WireChoices& choices) const = 0;
  [[nodiscard]] virtual std::unique_ptr<ReplyReader> reader() const = 0;
};

[[nodiscard]] std::unique_ptr<WireDialect> make_chat_dialect();
[[nodiscard]] std::unique_ptr<WireDialect> make_responses_dialect();
[[nodiscard]] std::unique_ptr<WireDialect> make_messages_dialect();
[[nodiscard]] std::unique_ptr<WireDialect> make_dialect(Dialect dialect);

}  // namespace warpmind::agents::llm
