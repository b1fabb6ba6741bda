#include "agents/llm/usage_reader.h"
#include "agents/llm/wire_errors.h"
#include "agents/llm/wire_json.h"
#include "agents/llm/wire_parts.h"
#include "base/codec/json_guard.h"

namespace warpmind::agents::llm {
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
