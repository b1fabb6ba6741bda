#pragma once
/// \file
/// Server-sent events out of bytes that come in pieces of any size.

#include "base/result.h"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace warpmind::agents::llm {

struct SseEvent {
  std::string type;  ///< of the field `event`; empty = none
  std::string data;  ///< its lines, joined by '\n'
};

/// Knows line ends CR, LF and CRLF, comments, a byte order mark and data of several lines. An event
/// that its empty line does not end is none. Bytes are not looked into: UTF-8 may be split
/// anywhere.
class SseParser {
 public:
  using OnEvent = std::function<Result<void>(const SseEvent& event)>;
  explicit SseParser(std::size_t event_bytes) : event_bytes_(event_bytes) {}

  /// Errors: those of `on_event`; external_failure for an event of more than `event_bytes`. After
  /// an error the parser must not be fed again.
  [[nodiscard]] Result<void> feed(std::string_view bytes, const OnEvent& on_event);

 private:
  Result<void> end_line(const OnEvent& on_event);
  void take_field(std::string_view line);

  std::size_t event_bytes_;
  std::string line_;
  SseEvent event_;
  bool has_data_ = false;
  bool first_line_ = true;
  bool after_cr_ = false;
};

}  // namespace warpmind::agents::llm
