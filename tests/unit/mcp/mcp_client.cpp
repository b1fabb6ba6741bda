#include "tests/unit/mcp/mcp_client.h"

#include <gtest/gtest.h>

namespace warpmind::daemon::mcp {

using nlohmann::json;

McpBench::McpBench()
    : subscriptions_(connections, [](const JobId&) { return std::nullopt; }),
      rpc(dispatcher, connections, subscriptions_, executors()),
      mcp(dispatcher, rpc, connections, options()) {
  rpc.speak(mcp);
}

RpcService::Executors McpBench::executors() {
  const auto queue = [this](RpcService::Task task) { tasks_.push_back(std::move(task)); };
  return {queue, queue, queue, queue, queue};
}

McpOptions McpBench::options() {
  McpOptions options;
  options.version = "9.9.9";
  options.after = [this](std::chrono::milliseconds time, std::function<void()> task) {
    timers_.emplace_back(time, std::move(task));
  };
  options.latest = [this](const JobId&) { return latest; };
  return options;
}

void McpBench::send(const json& message, ConnectionId connection) {
  rpc.on_line(connection, message.dump());
}

void McpBench::run() {
  while (!tasks_.empty()) {
    auto task = std::move(tasks_.front());
    tasks_.pop_front();
    task();
  }
}

void McpBench::pass(std::chrono::milliseconds time) {
  auto due = std::exchange(timers_, {});
  for (auto& [length, task] : due) {
    if (length <= time) {
      task();
    } else {
      timers_.emplace_back(length, std::move(task));
    }
  }
}

std::vector<json> McpBench::take(ConnectionId connection) {
  std::vector<json> messages;
  for (const auto& line : std::exchange(connections.sent[connection], {})) {
    messages.push_back(json::parse(line));
  }
  return messages;
}

json McpBench::modern_meta() {
  return {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
          {"io.modelcontextprotocol/clientCapabilities", json::object()}};
}

json McpBench::ask(const std::string& method, json params, json meta) {
  json all = modern_meta();
  all.update(meta);
  params["_meta"] = std::move(all);
  send({{"jsonrpc", "2.0"}, {"id", ++last_id_}, {"method", method}, {"params", params}});
  run();
  const auto answers = take();
  EXPECT_EQ(answers.size(), 1U) << method;
  return answers.empty() ? json() : answers.back();
}

json McpBench::call(const std::string& tool, json arguments, json meta) {
  return ask("tools/call", {{"name", tool}, {"arguments", std::move(arguments)}}, std::move(meta));
}

}  // namespace warpmind::daemon::mcp
