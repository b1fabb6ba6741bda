#include "agents/llm/usage_reader.h"

#include "agents/llm/wire_json.h"

namespace warpmind::agents::llm {
namespace {

using nlohmann::json;

struct OpenAiNames {
  const char* input;
  const char* input_details;
  const char* output;
  const char* output_details;
};

/// A detail that is there must be a count; one that is not is 0.
std::optional<std::int64_t> detail(const json& usage, const char* details, const char* name) {
  const json* object = member_of(usage, details);
  if (object == nullptr) return 0;
  if (is_no_count(*object, name)) return std::nullopt;
  return count_of(*object, name).value_or(0);
}

std::optional<Usage> read_openai(const json& usage, const OpenAiNames& names) {
  const auto input = count_of(usage, names.input);
  const auto output = count_of(usage, names.output);
  const auto cached = detail(usage, names.input_details, "cached_tokens");
  const auto written = detail(usage, names.input_details, "cache_write_tokens");
  const auto reasoning = detail(usage, names.output_details, "reasoning_tokens");
  if (!input || !output || !cached || !written || !reasoning) return std::nullopt;
  if (*input == 0 || *cached + *written > *input) return std::nullopt;
  Usage found;
  found.reported = true;
  found.cached_tokens = *cached;
  found.written_tokens = *written;
  found.input_tokens = *input - *cached - *written;
  found.output_tokens = *output;
  found.reasoning_tokens = *reasoning;
  // Some servers count reasoning beside the output; their total tells.
  const auto total = count_of(usage, "total_tokens");
  if (*reasoning > 0 && total && *total == *input + *output + *reasoning) {
    found.output_tokens += *reasoning;
  }
  if (found.reasoning_tokens > found.output_tokens) return std::nullopt;
  return found;
}

}  // namespace

std::optional<Usage> read_chat_usage(const json& usage) {
  return read_openai(usage, {"prompt_tokens", "prompt_tokens_details", "completion_tokens",
                             "completion_tokens_details"});
}

std::optional<Usage> read_responses_usage(const json& usage) {
  return read_openai(
      usage, {"input_tokens", "input_tokens_details", "output_tokens", "output_tokens_details"});
}

std::optional<Usage> read_messages_usage(const json& usage) {
  const char* const cache_names[] = {"cache_read_input_tokens", "cache_creation_input_tokens"};
  for (const char* name : cache_names) {
    if (is_no_count(usage, name)) return std::nullopt;
  }
  const auto input = count_of(usage, "input_tokens");
  const auto output = count_of(usage, "output_tokens");
  const auto reasoning = detail(usage, "output_tokens_details", "thinking_tokens");
  if (!input || !output || !reasoning || *reasoning > *output) return std::nullopt;
  Usage found;
  found.reported = true;
  found.input_tokens = *input;
  found.cached_tokens = count_of(usage, cache_names[0]).value_or(0);
  found.written_tokens = count_of(usage, cache_names[1]).value_or(0);
  found.output_tokens = *output;
  found.reasoning_tokens = *reasoning;
  if (found.input_tokens + found.cached_tokens + found.written_tokens == 0) return std::nullopt;
  return found;
}

}  // namespace warpmind::agents::llm
