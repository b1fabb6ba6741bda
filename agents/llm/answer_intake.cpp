#include "agents/llm/answer_intake.h"

#include "agents/llm/wire_errors.h"

#include <algorithm>
#include <utility>

namespace warpmind::agents::llm {
namespace {

/// Of the body of an error answer: enough for its message.
constexpr std::size_t kErrorBytes = std::size_t{64} << 10U;

bool is_success(const HttpHead& head) { return head.status >= 200 && head.status < 300; }

}  // namespace

bool AnswerIntake::is_stream(const HttpHead& head) const {
  if (head.content_type.find("event-stream") != std::string::npos) return true;
  return limits_.stream && head.content_type.find("json") == std::string::npos;
}

Result<void> AnswerIntake::take(const HttpHead& head, std::string_view bytes) {
  if (!is_success(head)) {
    body_ += bytes.substr(0, kErrorBytes - std::min(kErrorBytes, body_.size()));
    return {};
  }
  if (!is_stream(head)) {
    body_ += bytes;
    return {};
  }
  return parser_.feed(bytes, [this](const SseEvent& event) -> Result<void> {
    WARPMIND_CHECK(reader_->read_event(event));
    const std::size_t size = draft().text.size() + draft().reasoning.size();
    if (size > 0 && !first_text_) first_text_ = std::chrono::steady_clock::now();
    if (size > limits_.text_bytes) {
      return fail(Errc::external_failure,
                  "the server goes on beyond the limit of the answer; it was cut off at " +
                      std::to_string(size) + " bytes of text");
    }
    return {};
  });
}

Result<void> AnswerIntake::end(const HttpHead& head) {
  if (!is_stream(head)) {
    first_text_ = std::chrono::steady_clock::now();
    return reader_->read_whole(body_);
  }
  const bool is_something_else = !draft().started && !head.content_type.empty() &&
                                 head.content_type.find("event-stream") == std::string::npos;
  if (is_something_else) {
    return fail(Errc::external_failure, "the server sent '" + one_line(head.content_type) +
                                            "' and no answer of a model; check llm.url");
  }
  if (!finished()) return fail(Errc::unavailable, "the answer broke off before its end mark");
  return {};
}

bool AnswerIntake::may_be_billed(const HttpHead& head) const {
  return is_success(head) && (draft().started || (!is_stream(head) && !body_.empty()));
}

}  // namespace warpmind::agents::llm
