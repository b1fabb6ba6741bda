#include "agents/llm/token_estimate.h"

namespace warpmind::agents::llm {
namespace {

/// Role marks and separators around one message.
constexpr std::int64_t kTokensAroundMessage = 16;

std::size_t request_bytes(const ModelRequest& request) {
  std::size_t bytes = request.system.size() + request.schema.size();
  for (const auto& message : request.messages) bytes += message.text.size();
  return bytes;
}

}  // namespace

std::int64_t estimated_tokens(std::size_t bytes) {
  // 3.5 bytes a token, rounded up.
  return static_cast<std::int64_t>((bytes * 2 + 6) / 7);
}

Usage estimated_usage(const ModelRequest& request, std::size_t text_bytes,
                      std::size_t reasoning_bytes) {
  Usage usage;
  usage.input_tokens = estimated_tokens(request_bytes(request));
  usage.reasoning_tokens = estimated_tokens(reasoning_bytes);
  usage.output_tokens = estimated_tokens(text_bytes) + usage.reasoning_tokens;
  return usage;
}

std::int64_t most_input_tokens(const ModelRequest& request) {
  // Dense code with many signs comes down to 2 bytes a token.
  const auto messages = static_cast<std::int64_t>(request.messages.size()) + 1;
  return static_cast<std::int64_t>((request_bytes(request) + 1) / 2) +
         messages * kTokensAroundMessage;
}

void add_usage(Usage& into, const Usage& more) {
  if (into == Usage{}) {
    into = more;
    return;
  }
  into.add(more);
  into.reasoning_tokens += more.reasoning_tokens;
  into.micro_usd += more.micro_usd;
  into.priced = into.priced && more.priced;
  into.reported = into.reported && more.reported;
}

}  // namespace warpmind::agents::llm
