#include "agents/llm/usage_reader.h"
#include "agents/llm/wire_json.h"
#include "agents/llm/wire_parts.h"
#include "base/codec/json_guard.h"

namespace warpmind::agents::llm {
namespace {

using nlohmann::json;

class MessagesReader final : public ReplyReader {
 public:
  Result<void> read_event(const SseEvent& event) override {
    if (draft_.finished || event.data.empty()) return {};
    WARPMIND_TRY(const json value, parse_answer(event.data));
    std::string type = text_of(value, "type");
    if (type.empty()) type = event.type;
    if (type == "error") return fail(server_error(value));
    if (type == "message_start") {
      const json* message = member_of(value, "message");
      if (message == nullptr) return fail(Errc::external_failure, "message_start holds no message");
      read_message(*message);
    } else if (type == "content_block_start") {
      if (const json* block = member_of(value, "content_block")) read_block(*block);
    } else if (type == "content_block_delta") {
      if (const json* delta = member_of(value, "delta")) read_block(*delta);
    } else if (type == "message_delta") {
      if (const json* delta = member_of(value, "delta")) read_stop(*delta);
      read_usage(value, Part::last);
    } else if (type == "message_stop") {
      draft_.finished = true;
    }
    return {};
  }

  Result<void> read_whole(std::string_view body) override {
    WARPMIND_TRY(const json answer, parse_answer(body));
    if (text_of(answer, "type") == "error") return fail(server_error(answer));
    const json* content = member_of(answer, "content");
    if (content == nullptr || !content->is_array()) {
      return fail(Errc::external_failure, "the answer holds no content");
    }
    read_message(answer);
    read_usage(answer, Part::last);
    for (const json& block : *content) read_block(block);
    read_stop(answer);
    draft_.finished = true;
    return {};
  }

 private:
  enum class Part { first, last };

  void read_message(const json& message) {
    draft_.started = true;
    draft_.model = text_of(message, "model");
    draft_.id = text_of(message, "id");
    read_usage(message, Part::first);
  }

  /// The first part has the input; the last one is cumulative and has the output.
  void read_usage(const json& holder, Part part) {
    const json* usage = member_of(holder, "usage");
    if (usage == nullptr || !usage->is_object()) return;
    for (const auto& [name, value] : usage->items()) {
      if (!value.is_null()) usage_[name] = value;
    }
    draft_.usage = read_messages_usage(usage_);
    // Until the last part its output is a beginning, not a count.
    if (part == Part::first && draft_.usage) {
      draft_.usage->output_tokens = 0;
      draft_.usage->reasoning_tokens = 0;
    }
  }

  /// A block, or a delta of one: the names of their texts are the same.
  void read_block(const json& block) {
    draft_.text += text_of(block, "text");
    draft_.reasoning += text_of(block, "thinking");
  }

  void read_stop(const json& holder) {
    const std::string reason = text_of(holder, "stop_reason");
    if (reason == "max_tokens" || reason == "model_context_window_exceeded") {
      draft_.stop = StopReason::length;
    } else if (reason == "refusal") {
      draft_.stop = StopReason::refusal;
    }
  }

  json usage_ = json::object();
};

class MessagesDialect final : public WireDialect {
 public:
  [[nodiscard]] std::string_view name() const override { return "messages"; }
  [[nodiscard]] std::string_view path() const override { return "/messages"; }

  [[nodiscard]] std::vector<std::string> headers(const std::string& key) const override {
    std::vector<std::string> lines{"anthropic-version: 2023-06-01"};
    if (!key.empty()) lines.push_back("x-api-key: " + key);
    return lines;
  }

  Result<std::string> body(const ModelRequest& request, const std::string& model,
                           const WireChoices& choices) const override {
    WARPMIND_CHECK(check_request(request));
    json body{
        {"model", model}, {"stream", choices.stream}, {"max_tokens", request.max_output_tokens}};
    if (!request.system.empty()) body["system"] = json::array({block(request.system, true)});
    json& messages = body["messages"] = json::array();
    for (const auto& message : request.messages) {
      messages.push_back({{"role", name_of(message.speaker)},
                          {"content", json::array({block(message.text, messages.empty())})}});
    }
    if (choices.structured && !request.schema.empty()) {
      WARPMIND_TRY(json schema, schema_of(request));
      body["output_config"]["format"] = {{"type", "json_schema"}, {"schema", std::move(schema)}};
    }
    return codec::dump_json(body);
  }

  [[nodiscard]] std::unique_ptr<ReplyReader> reader() const override {
    return std::make_unique<MessagesReader>();
  }

 private:
  /// `ends_prefix`: what is up to here may stay in the server's cache.
  static json block(const std::string& text, bool ends_prefix) {
    json block{{"type", "text"}, {"text", text}};
    // The server refuses to keep an empty text.
    if (ends_prefix && !text.empty()) block["cache_control"] = {{"type", "ephemeral"}};
    return block;
  }
};

}  // namespace

std::unique_ptr<WireDialect> make_messages_dialect() { return std::make_unique<MessagesDialect>(); }

std::unique_ptr<WireDialect> make_dialect(Dialect dialect) {
  switch (dialect) {
    case Dialect::chat: return make_chat_dialect();
    case Dialect::responses: return make_responses_dialect();
    case Dialect::messages: return make_messages_dialect();
  }
  return make_chat_dialect();
}

}  // namespace warpmind::agents::llm
