#pragma once
/// \file
/// Takes the bytes of one answer to the reader that understands them, within limits.

#include "agents/llm/sse_parser.h"
#include "agents/llm/wire_dialect.h"
#include "base/http/http_exchange.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace warpmind::agents::llm {

struct IntakeLimits {
  std::size_t event_bytes = 0;
  std::size_t text_bytes = 0;  ///< of text and reasoning together, in a stream
  bool stream = true;          ///< what was asked for; the server may answer whole all the same
};

class AnswerIntake final : public HttpBody {
 public:
  AnswerIntake(std::unique_ptr<ReplyReader> reader, const IntakeLimits& limits)
      : reader_(std::move(reader)), limits_(limits), parser_(limits.event_bytes) {}

  [[nodiscard]] Result<void> take(const HttpHead& head, std::string_view bytes) override;
  [[nodiscard]] bool finished() const override { return draft().finished; }

  /// When the last byte is in. Errors: unavailable for an answer without its end mark; those of the
  /// reader.
  [[nodiscard]] Result<void> end(const HttpHead& head);

  [[nodiscard]] const ReplyDraft& draft() const { return reader_->draft(); }
  /// The body of an answer that is none of the model, or a whole answer.
  [[nodiscard]] const std::string& body() const { return body_; }
  /// Whether the model may have worked for this answer.
  [[nodiscard]] bool may_be_billed(const HttpHead& head) const;
  [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> first_text() const {
    return first_text_;
  }

 private:
  [[nodiscard]] bool is_stream(const HttpHead& head) const;

  std::unique_ptr<ReplyReader> reader_;
  IntakeLimits limits_;
  SseParser parser_;
  std::string body_;
  std::optional<std::chrono::steady_clock::time_point> first_text_;
};

}  // namespace warpmind::agents::llm
