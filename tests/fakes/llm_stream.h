#pragma once
/// \file
/// Answers of language model servers as they go over the wire, in three dialects.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::fakes {

enum class LlmWire { chat, responses, messages };

/// Counts as a person would: `input` is all of it, whatever the dialect says.
struct LlmTokens {
  std::int64_t input = 100;
  std::int64_t cached = 60;   ///< of the input
  std::int64_t written = 10;  ///< of the input
  std::int64_t output = 20;
  std::int64_t reasoning = 5;  ///< of the output
};

enum class LlmFault {
  none,
  cut,               ///< the connection ends in the middle of the answer
  no_end,            ///< the answer ends in good form, but without its end mark
  malformed,         ///< an event in the middle is not JSON
  huge_event,        ///< an event in the middle is `huge_bytes` long
  endless_text,      ///< text without end
  endless_comments,  ///< comments without end
  hold,              ///< stops in the middle until release()
  reset,             ///< the connection ends before the answer begins
  web_page,          ///< HTML with status 200
  error_event,       ///< the server says in the middle that it failed
};

enum class LlmEnd { complete, length, refusal };

struct LlmReply {
  std::string text = "fine";
  std::string reasoning = {};
  std::optional<LlmTokens> tokens = LlmTokens{};  ///< nullopt = the server reports none
  std::string raw_usage = {};                     ///< JSON in place of the usage object
  LlmEnd end = LlmEnd::complete;
  LlmFault fault = LlmFault::none;
  int status = 200;  ///< any other: an error answer with `error`
  std::string error = "overloaded";
  std::vector<std::string> headers = {};  ///< more lines: "Retry-After: 1"
  std::size_t piece = 0;                  ///< bytes of one write; 0 = an event at a time
  std::size_t huge_bytes = std::size_t{8} << 20U;
};

/// The events in order, each with its empty line; the last ones are the end mark.
struct LlmEvents {
  std::vector<std::string> before;  ///< up to the middle
  std::vector<std::string> after;
  std::vector<std::string> end;
};
[[nodiscard]] LlmEvents llm_events(LlmWire wire, const LlmReply& reply);
/// An event with a piece of text.
[[nodiscard]] std::string llm_text_event(LlmWire wire, const std::string& text);
/// The event with which a server gives up.
[[nodiscard]] std::string llm_error_event(LlmWire wire, const std::string& message);
/// The whole answer as one JSON text.
[[nodiscard]] std::string llm_whole(LlmWire wire, const LlmReply& reply);
/// The body of an error answer.
[[nodiscard]] std::string llm_error_body(LlmWire wire, const std::string& message);

}  // namespace warpmind::fakes
