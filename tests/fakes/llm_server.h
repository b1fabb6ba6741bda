#pragma once
/// \file
/// A server of language models on 127.0.0.1: real HTTP over real sockets, three dialects (by the
/// path that is asked), answers and mishaps by the test's word.

#include "tests/fakes/llm_stream.h"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace warpmind::fakes {

struct LlmCall {
  std::string method;
  std::string target;                          ///< "/v1/chat/completions"
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string body;
};

/// Threads: any.
class LlmServer {
 public:
  using Answer = std::function<LlmReply(const LlmCall& call)>;

  LlmServer();
  ~LlmServer();
  LlmServer(const LlmServer&) = delete;
  LlmServer& operator=(const LlmServer&) = delete;

  /// "http://127.0.0.1:PORT".
  [[nodiscard]] std::string url() const;

  /// From now on: one a request, the last one for all that follow. Must not be empty.
  void script(std::vector<LlmReply> replies);
  void answer(Answer answer);

  /// Returns when `count` answers with LlmFault::hold stand still.
  void await_held(std::size_t count);
  /// Lets them, and those that come, go on.
  void release();

  /// Every request so far, in the order of their coming.
  [[nodiscard]] std::vector<LlmCall> calls() const;
  /// Endless answers that the client has ended.
  [[nodiscard]] std::size_t hung_up() const;

 private:
  class Connection;
  void accept_all();
  void serve(Connection& connection);
  [[nodiscard]] LlmReply reply_to(const LlmCall& call);
  bool send(Connection& connection, LlmWire wire, bool stream, const LlmReply& reply);
  bool send_stream(Connection& connection, LlmWire wire, const LlmReply& reply);
  bool send_middle(Connection& connection, LlmWire wire, const LlmReply& reply);
  bool wait_for_release();

  struct Listener;
  std::unique_ptr<Listener> listener_;
  mutable std::mutex mutex_;  ///< of all below
  std::condition_variable changed_;
  Answer answer_;
  std::vector<LlmCall> calls_;
  std::size_t holding_ = 0;
  std::size_t hung_up_ = 0;
  bool released_ = false;
  bool stopping_ = false;
  std::list<std::unique_ptr<Connection>> connections_;
  std::thread acceptor_;
};

}  // namespace warpmind::fakes
