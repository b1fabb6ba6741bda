#include "agents/llm/usage_reader.h"
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

}  // namespace warpmind::agents::llm
