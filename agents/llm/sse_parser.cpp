#include "agents/llm/sse_parser.h"

#include <utility>

namespace warpmind::agents::llm {

Result<void> SseParser::feed(std::string_view bytes, const OnEvent& on_event) {
  while (!bytes.empty()) {
    if (after_cr_ && bytes.front() == '\n') bytes.remove_prefix(1);
    after_cr_ = false;
    const auto end = bytes.find_first_of("\r\n");
    line_ += bytes.substr(0, end);
    if (line_.size() + event_.data.size() > event_bytes_) {
      return fail(Errc::external_failure, "an event of the stream is longer than " +
                                              std::to_string(event_bytes_) + " bytes");
    }
    if (end == std::string_view::npos) break;
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    WARPMIND_CHECK(end_line(on_event));
  }
  return {};
}

Result<void> SseParser::end_line(const OnEvent& on_event) {
  std::string_view line = line_;
  if (first_line_ && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
  first_line_ = false;
  if (!line.empty()) {
    take_field(line);
    line_.clear();
    return {};
  }
  line_.clear();
  const SseEvent event = std::exchange(event_, SseEvent{});
  if (!std::exchange(has_data_, false)) return {};
  return on_event(event);
}

void SseParser::take_field(std::string_view line) {
  const auto colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (name == "event") {
    event_.type = value;
  } else if (name == "data") {
    if (has_data_) event_.data += '\n';
    event_.data += value;
    has_data_ = true;
  }
}

}  // namespace warpmind::agents::llm
