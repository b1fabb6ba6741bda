#pragma once
/// \file
/// What is known of the server of a language model before the first request (docs/llm.md).

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace warpmind::agents::llm {

/// What a server speaks. The three differ in path, request, stream and in how they count tokens.
enum class Dialect {
  chat,       ///< /v1/chat/completions: OpenAI, llama.cpp, vLLM, Ollama, most others
  responses,  ///< /v1/responses
  messages,   ///< /v1/messages: Anthropic
};

/// How dialect chat names the limit of an answer: servers differ.
enum class OutputLimitName { automatic, max_tokens, max_completion_tokens };

struct EndpointOptions {
  /// Base address; may end with "/v1" or with the whole path already.
  std::string url;
  Dialect dialect = Dialect::chat;
  std::string model;
  std::string key;  ///< empty = none is sent. Never in a message or a log line
  OutputLimitName output_limit_name = OutputLimitName::automatic;
  bool stream = true;
  std::filesystem::path ca_file;  ///< PEM; empty = the system's authorities
  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::milliseconds stall_timeout{300'000};  ///< without a byte either way
  int retries = 2;                                   ///< beyond the first attempt
  std::size_t request_bytes = std::size_t{16} << 20U;
  std::size_t answer_bytes = std::size_t{128} << 20U;  ///< as it comes over the wire
  std::size_t event_bytes = std::size_t{4} << 20U;     ///< one event of a stream
};

}  // namespace warpmind::agents::llm
