#include "tests/fakes/llm_stream.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace warpmind::fakes {
namespace {

using nlohmann::json;

constexpr const char* kModel = "served-model";

json chat_usage(const LlmTokens& t) {
  return {
      {"prompt_tokens", t.input},
      {"prompt_tokens_details", {{"cached_tokens", t.cached}, {"cache_write_tokens", t.written}}},
      {"completion_tokens", t.output},
      {"completion_tokens_details", {{"reasoning_tokens", t.reasoning}}},
      {"total_tokens", t.input + t.output}};
}

json responses_usage(const LlmTokens& t) {
  return {
      {"input_tokens", t.input},
      {"input_tokens_details", {{"cached_tokens", t.cached}, {"cache_write_tokens", t.written}}},
      {"output_tokens", t.output},
      {"output_tokens_details", {{"reasoning_tokens", t.reasoning}}},
      {"total_tokens", t.input + t.output}};
}

json messages_usage(const LlmTokens& t) {
  return {{"input_tokens", t.input - t.cached - t.written},
          {"cache_read_input_tokens", t.cached},
          {"cache_creation_input_tokens", t.written},
          {"output_tokens", t.output},
          {"output_tokens_details", {{"thinking_tokens", t.reasoning}}}};
}

/// null where the server reports none.
json usage_json(LlmWire wire, const LlmReply& reply) {
  if (!reply.raw_usage.empty()) return json::parse(reply.raw_usage);
  if (!reply.tokens) return nullptr;
  switch (wire) {
    case LlmWire::chat: return chat_usage(*reply.tokens);
    case LlmWire::responses: return responses_usage(*reply.tokens);
    case LlmWire::messages: return messages_usage(*reply.tokens);
  }
  return nullptr;
}

std::string end_name(LlmWire wire, LlmEnd end) {
  const bool chat = wire == LlmWire::chat;
  if (end == LlmEnd::length) return chat ? "length" : "max_tokens";
  if (end == LlmEnd::refusal) return chat ? "content_filter" : "refusal";
  return chat ? "stop" : "end_turn";
}

/// Two or more pieces; no character is split, so that each is valid JSON text.
std::vector<std::string> pieces_of(const std::string& text) {
  std::vector<std::string> pieces;
  const std::size_t size = std::max<std::size_t>(1, (text.size() + 1) / 2);
  for (std::size_t from = 0; from < text.size();) {
    std::size_t to = std::min(text.size(), from + size);
    while (to < text.size() && (static_cast<unsigned char>(text[to]) & 0xc0U) == 0x80U) ++to;
    pieces.push_back(text.substr(from, to - from));
    from = to;
  }
  return pieces;
}

std::string chat_event(json value) {
  value["id"] = "chatcmpl-1";
  value["object"] = "chat.completion.chunk";
  value["model"] = kModel;
  return "data: " + value.dump() + "\n\n";
}

std::string chat_delta(const json& delta, const json& finish = nullptr) {
  const json choice{{"index", 0}, {"delta", delta}, {"finish_reason", finish}};
  return chat_event({{"choices", json::array({choice})}});
}

std::string typed_event(const json& value) {
  return "event: " + value.at("type").get<std::string>() + "\ndata: " + value.dump() + "\n\n";
}

json response_object(const LlmReply& reply, const std::string& status) {
  const json part = reply.end == LlmEnd::refusal
                        ? json{{"type", "refusal"}, {"refusal", reply.text}}
                        : json{{"type", "output_text"}, {"text", reply.text}};
  const json message{{"type", "message"}, {"role", "assistant"}, {"content", json::array({part})}};
  json response{{"id", "resp_1"},
                {"object", "response"},
                {"model", kModel},
                {"status", status},
                {"error", nullptr},
                {"output", json::array({message})},
                {"incomplete_details", nullptr}};
  if (reply.end == LlmEnd::length) {
    response["incomplete_details"] = {{"reason", "max_output_tokens"}};
  }
  const json usage = usage_json(LlmWire::responses, reply);
  if (!usage.is_null()) response["usage"] = usage;
  return response;
}

std::string responses_status(const LlmReply& reply) {
  return reply.end == LlmEnd::length ? "incomplete" : "completed";
}

LlmEvents chat_events(const LlmReply& reply) {
  LlmEvents events;
  events.before.push_back(chat_delta({{"role", "assistant"}, {"content", ""}}));
  for (const auto& piece : pieces_of(reply.reasoning)) {
    events.before.push_back(chat_delta({{"reasoning_content", piece}}));
  }
  const auto pieces = pieces_of(reply.text);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    (i == 0 ? events.before : events.after).push_back(llm_text_event(LlmWire::chat, pieces[i]));
  }
  events.after.push_back(chat_delta(json::object(), end_name(LlmWire::chat, reply.end)));
  const json usage = usage_json(LlmWire::chat, reply);
  if (!usage.is_null()) {
    events.after.push_back(chat_event({{"choices", json::array()}, {"usage", usage}}));
  }
  events.end.emplace_back("data: [DONE]\n\n");
  return events;
}

LlmEvents responses_events(const LlmReply& reply) {
  LlmEvents events;
  json begun{{"id", "resp_1"}, {"model", kModel}, {"status", "in_progress"}};
  events.before.push_back(typed_event({{"type", "response.created"}, {"response", begun}}));
  for (const auto& piece : pieces_of(reply.reasoning)) {
    events.before.push_back(
        typed_event({{"type", "response.reasoning_summary_text.delta"}, {"delta", piece}}));
  }
  const auto pieces = pieces_of(reply.text);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const bool refusal = reply.end == LlmEnd::refusal;
    (i == 0 ? events.before : events.after)
        .push_back(refusal ? typed_event({{"type", "response.refusal.delta"}, {"delta", pieces[i]}})
                           : llm_text_event(LlmWire::responses, pieces[i]));
  }
  const std::string status = responses_status(reply);
  events.end.push_back(
      typed_event({{"type", "response." + status}, {"response", response_object(reply, status)}}));
  return events;
}

LlmEvents messages_events(const LlmReply& reply) {
  LlmEvents events;
  json message{{"id", "msg_1"}, {"model", kModel}, {"content", json::array()}};
  json usage = usage_json(LlmWire::messages, reply);
  if (!usage.is_null()) {
    message["usage"] = usage;
    // What a real server says at the beginning: the input, and the first token of the output.
    if (usage.contains("output_tokens")) message["usage"]["output_tokens"] = 1;
    message["usage"].erase("output_tokens_details");
  }
  events.before.push_back(typed_event({{"type", "message_start"}, {"message", message}}));
  events.before.push_back(typed_event({{"type", "ping"}}));
  for (const auto& piece : pieces_of(reply.reasoning)) {
    events.before.push_back(
        typed_event({{"type", "content_block_delta"},
                     {"index", 0},
                     {"delta", {{"type", "thinking_delta"}, {"thinking", piece}}}}));
  }
  const auto pieces = pieces_of(reply.text);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    (i == 0 ? events.before : events.after).push_back(llm_text_event(LlmWire::messages, pieces[i]));
  }
  json delta{{"type", "message_delta"},
             {"delta", {{"stop_reason", end_name(LlmWire::messages, reply.end)}}}};
  if (!usage.is_null()) delta["usage"] = usage;
  events.after.push_back(typed_event(delta));
  events.end.push_back(typed_event({{"type", "message_stop"}}));
  return events;
}

}  // namespace

LlmEvents llm_events(LlmWire wire, const LlmReply& reply) {
  switch (wire) {
    case LlmWire::chat: return chat_events(reply);
    case LlmWire::responses: return responses_events(reply);
    case LlmWire::messages: return messages_events(reply);
  }
  return {};
}

std::string llm_text_event(LlmWire wire, const std::string& text) {
  switch (wire) {
    case LlmWire::chat: return chat_delta({{"content", text}});
    case LlmWire::responses:
      return typed_event({{"type", "response.output_text.delta"}, {"delta", text}});
    case LlmWire::messages:
      return typed_event({{"type", "content_block_delta"},
                          {"index", 0},
                          {"delta", {{"type", "text_delta"}, {"text", text}}}});
  }
  return {};
}

std::string llm_error_event(LlmWire wire, const std::string& message) {
  const json error{{"type", "server_error"}, {"code", "server_error"}, {"message", message}};
  switch (wire) {
    case LlmWire::chat: return "data: " + json{{"error", error}}.dump() + "\n\n";
    case LlmWire::responses: {
      json response{{"id", "resp_1"}, {"status", "failed"}, {"error", error}};
      response["usage"] = responses_usage({});
      return typed_event({{"type", "response.failed"}, {"response", response}});
    }
    case LlmWire::messages:
      return typed_event(
          {{"type", "error"}, {"error", {{"type", "overloaded_error"}, {"message", message}}}});
  }
  return {};
}

std::string llm_whole(LlmWire wire, const LlmReply& reply) {
  const json usage = usage_json(wire, reply);
  json answer;
  if (wire == LlmWire::chat) {
    const json message{
        {"role", "assistant"}, {"content", reply.text}, {"reasoning_content", reply.reasoning}};
    const json choice{
        {"index", 0}, {"message", message}, {"finish_reason", end_name(wire, reply.end)}};
    answer = {{"id", "chatcmpl-1"}, {"model", kModel}, {"choices", json::array({choice})}};
  } else if (wire == LlmWire::responses) {
    return response_object(reply, responses_status(reply)).dump();
  } else {
    json content = json::array();
    if (!reply.reasoning.empty()) {
      content.push_back({{"type", "thinking"}, {"thinking", reply.reasoning}});
    }
    content.push_back({{"type", "text"}, {"text", reply.text}});
    answer = {{"id", "msg_1"},
              {"type", "message"},
              {"model", kModel},
              {"content", content},
              {"stop_reason", end_name(wire, reply.end)}};
  }
  if (!usage.is_null()) answer["usage"] = usage;
  return answer.dump();
}

std::string llm_error_body(LlmWire wire, const std::string& message) {
  json body{{"error", {{"type", "some_error"}, {"message", message}}}};
  if (wire == LlmWire::messages) body["type"] = "error";
  return body.dump();
}

}  // namespace warpmind::fakes
