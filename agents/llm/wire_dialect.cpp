#include "agents/llm/wire_dialect.h"

#include "agents/llm/usage_reader.h"
#include "agents/llm/wire_errors.h"
#include "agents/llm/wire_json.h"
#include "agents/llm/wire_parts.h"
#include "base/codec/json_guard.h"

namespace warpmind::agents::llm {
namespace {

using nlohmann::json;

class ChatReader final : public ReplyReader {
 public:
  Result<void> read_event(const SseEvent& event) override {
    if (draft_.finished || event.data.empty()) return {};
    if (event.data == "[DONE]") {
      draft_.finished = true;
      return {};
    }
    WARPMIND_TRY(const json chunk, parse_answer(event.data));
    return read(chunk, "delta");
  }

  Result<void> read_whole(std::string_view body) override {
    WARPMIND_TRY(const json answer, parse_answer(body));
    WARPMIND_CHECK(read(answer, "message"));
    const json* choices = member_of(answer, "choices");
    if (choices == nullptr || !choices->is_array() || choices->empty()) {
      return fail(Errc::external_failure, "the answer holds no choice");
    }
    draft_.finished = true;
    return {};
  }

 private:
  Result<void> read(const json& value, const char* part) {
    const json* error = member_of(value, "error");
    if (error != nullptr && !error->is_null()) return fail(server_error(value));
    draft_.started = true;
    if (draft_.model.empty()) draft_.model = text_of(value, "model");
    if (draft_.id.empty()) draft_.id = text_of(value, "id");
    const json* usage = member_of(value, "usage");
    // Servers that send it with every chunk send running totals.
    if (usage != nullptr && usage->is_object()) draft_.usage = read_chat_usage(*usage);
    const json* choices = member_of(value, "choices");
    if (choices == nullptr || !choices->is_array()) return {};
    for (const json& choice : *choices) {
      if (count_of(choice, "index").value_or(0) == 0) read_choice(choice, part);
    }
    return {};
  }

  void read_choice(const json& choice, const char* part) {
    if (const json* delta = member_of(choice, part)) {
      draft_.text += text_of(*delta, "content");
      const std::string reasoning = text_of(*delta, "reasoning_content");
      draft_.reasoning += reasoning.empty() ? text_of(*delta, "reasoning") : reasoning;
      const std::string refusal = text_of(*delta, "refusal");
      if (!refusal.empty()) {
        draft_.text += refusal;
        draft_.stop = StopReason::refusal;
      }
    }
    const std::string reason = text_of(choice, "finish_reason");
    if (reason == "length" && draft_.stop == StopReason::complete) {
      draft_.stop = StopReason::length;
    }
    if (reason == "content_filter") draft_.stop = StopReason::refusal;
  }
};

class ChatDialect final : public WireDialect {
 public:
  [[nodiscard]] std::string_view name() const override { return "chat"; }
  [[nodiscard]] std::string_view path() const override { return "/chat/completions"; }

  [[nodiscard]] std::vector<std::string> headers(const std::string& key) const override {
    if (key.empty()) return {};
    return {"Authorization: Bearer " + key};
  }

  Result<std::string> body(const ModelRequest& request, const std::string& model,
                           const WireChoices& choices) const override {
    WARPMIND_CHECK(check_request(request));
    json body{{"model", model}, {"stream", choices.stream}};
    json& messages = body["messages"] = json::array();
    if (!request.system.empty()) {
      messages.push_back({{"role", "system"}, {"content", request.system}});
    }
    for (const auto& message : request.messages) {
      messages.push_back({{"role", name_of(message.speaker)}, {"content", message.text}});
    }
    const char* limit = choices.completion_tokens ? "max_completion_tokens" : "max_tokens";
    body[limit] = request.max_output_tokens;
    if (choices.stream && choices.usage_in_stream) {
      body["stream_options"] = {{"include_usage", true}};
    }
    if (choices.structured && !request.schema.empty()) {
      WARPMIND_TRY(json schema, schema_of(request));
      body["response_format"] = {
          {"type", "json_schema"},
          {"json_schema",
           {{"name", request.schema_name}, {"schema", std::move(schema)}, {"strict", true}}}};
    }
    return codec::dump_json(body);
  }

  [[nodiscard]] std::unique_ptr<ReplyReader> reader() const override {
    return std::make_unique<ChatReader>();
  }
};

}  // namespace

std::unique_ptr<WireDialect> make_chat_dialect() { return std::make_unique<ChatDialect>(); }

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

namespace {

using nlohmann::json;

class ResponsesReader final : public ReplyReader {
 public:
  Result<void> read_event(const SseEvent& event) override {
    if (draft_.finished || event.data.empty() || event.data == "[DONE]") return {};
    WARPMIND_TRY(const json value, parse_answer(event.data));
    std::string type = text_of(value, "type");
    if (type.empty()) type = event.type;
    if (type == "error" || (type.empty() && member_of(value, "error") != nullptr)) {
      return fail(server_error(value));
    }
    draft_.started = true;
    if (type == "response.output_text.delta") {
      draft_.text += text_of(value, "delta");
    } else if (type == "response.refusal.delta") {
      draft_.text += text_of(value, "delta");
      draft_.stop = StopReason::refusal;
    } else if (type == "response.reasoning_text.delta" ||
               type == "response.reasoning_summary_text.delta") {
      draft_.reasoning += text_of(value, "delta");
    } else if (type == "response.completed" || type == "response.incomplete" ||
               type == "response.failed") {
      const json* response = member_of(value, "response");
      if (response == nullptr) {
        return fail(Errc::external_failure, "the last event of the stream holds no response");
      }
      return read_response(*response);
    } else if (const json* response = member_of(value, "response")) {
      read_names(*response);
    }
    return {};
  }

  Result<void> read_whole(std::string_view body) override {
    WARPMIND_TRY(const json answer, parse_answer(body));
    draft_.started = true;
    return read_response(answer);
  }

 private:
  void read_names(const json& response) {
    const std::string model = text_of(response, "model");
    if (!model.empty()) draft_.model = model;
    const std::string id = text_of(response, "id");
    if (!id.empty()) draft_.id = id;
    const json* usage = member_of(response, "usage");
    if (usage != nullptr && usage->is_object()) draft_.usage = read_responses_usage(*usage);
  }

  /// The whole response: of a stream its last event.
  Result<void> read_response(const json& response) {
    read_names(response);
    const std::string status = text_of(response, "status");
    const json* error = member_of(response, "error");
    if (status == "failed" || (error != nullptr && !error->is_null())) {
      return fail(server_error(response));
    }
    // What the deltas brought is repeated here; a server that sends none has it here alone.
    if (draft_.text.empty()) read_output(response);
    if (status == "incomplete") {
      const json* details = member_of(response, "incomplete_details");
      const std::string reason = details == nullptr ? "" : text_of(*details, "reason");
      draft_.stop = reason == "content_filter" ? StopReason::refusal : StopReason::length;
    } else if (status != "completed") {
      return fail(Errc::external_failure,
                  "the response ends with status '" + one_line(status) + "'");
    }
    draft_.finished = true;
    return {};
  }

  void read_output(const json& response) {
    const json* output = member_of(response, "output");
    if (output == nullptr || !output->is_array()) return;
    for (const json& item : *output) {
      const json* content = member_of(item, "content");
      if (text_of(item, "type") != "message" || content == nullptr || !content->is_array()) {
        continue;
      }
      for (const json& part : *content) {
        draft_.text += text_of(part, "text");
        const std::string refusal = text_of(part, "refusal");
        if (!refusal.empty()) draft_.stop = StopReason::refusal;
        draft_.text += refusal;
      }
    }
  }
};

class ResponsesDialect final : public WireDialect {
 public:
  [[nodiscard]] std::string_view name() const override { return "responses"; }
  [[nodiscard]] std::string_view path() const override { return "/responses"; }

  [[nodiscard]] std::vector<std::string> headers(const std::string& key) const override {
    if (key.empty()) return {};
    return {"Authorization: Bearer " + key};
  }

  Result<std::string> body(const ModelRequest& request, const std::string& model,
                           const WireChoices& choices) const override {
    WARPMIND_CHECK(check_request(request));
    // Nothing is to be kept on the server: every request is whole.
    json body{{"model", model},
              {"stream", choices.stream},
              {"store", false},
              {"max_output_tokens", request.max_output_tokens}};
    if (!request.system.empty()) body["instructions"] = request.system;
    json& input = body["input"] = json::array();
    for (const auto& message : request.messages) {
      input.push_back({{"role", name_of(message.speaker)}, {"content", message.text}});
    }
    if (choices.structured && !request.schema.empty()) {
      WARPMIND_TRY(json schema, schema_of(request));
      body["text"]["format"] = {{"type", "json_schema"},
                                {"name", request.schema_name},
                                {"schema", std::move(schema)},
                                {"strict", true}};
    }
    return codec::dump_json(body);
  }

  [[nodiscard]] std::unique_ptr<ReplyReader> reader() const override {
    return std::make_unique<ResponsesReader>();
  }
};

}  // namespace

std::unique_ptr<WireDialect> make_responses_dialect() {
  return std::make_unique<ResponsesDialect>();
}

}  // namespace warpmind::agents::llm
