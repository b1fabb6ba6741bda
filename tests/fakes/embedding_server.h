#pragma once
/// \file
/// An embeddings endpoint on 127.0.0.1: real HTTP over real sockets, vectors and mishaps by the
/// test's word.

#include "base/file.h"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace warpmind::fakes {

struct EmbeddingCall {
  std::string path;
  std::string authorization;  ///< the header as it came; empty = none
  std::string model;
  std::vector<std::string> texts;
};

struct EmbeddingReply {
  int status = 200;
  std::string body;
  std::string header;  ///< one more, "Retry-After: 0"; empty = none
};

/// Threads: any.
class EmbeddingServer {
 public:
  using Embed = std::function<std::vector<float>(const std::string& text)>;
  using Answer = std::function<EmbeddingReply(const EmbeddingCall& call)>;
  using Which = std::function<bool(const EmbeddingCall& call)>;

  /// Serves at once, with `embed` for every text.
  explicit EmbeddingServer(Embed embed);
  ~EmbeddingServer();
  EmbeddingServer(const EmbeddingServer&) = delete;
  EmbeddingServer& operator=(const EmbeddingServer&) = delete;

  [[nodiscard]] std::string url() const;

  /// What it answers from now on; null = right answers.
  void answer(Answer answer);
  void embed_by(Embed embed);
  /// Calls that `which` is true of get no answer until release().
  void hold(Which which);
  void release();
  /// Returns when `count` calls are held.
  void await_held(std::size_t count);
  /// Takes no connection and drops those that are open, until start(), at the same address.
  void stop();
  void start();

  /// Every call so far, in the order of their coming.
  [[nodiscard]] std::vector<EmbeddingCall> calls() const;
  /// How many times `text` came.
  [[nodiscard]] std::size_t times(const std::string& text) const;
  /// The right answer to a call.
  [[nodiscard]] EmbeddingReply right(const EmbeddingCall& call) const;

 private:
  struct Connection {
    UniqueFd socket;
    std::thread thread;
  };
  void accept_all(int listening);
  void serve(int socket);
  [[nodiscard]] EmbeddingReply reply_to(const EmbeddingCall& call);

  std::uint16_t port_ = 0;
  mutable std::mutex mutex_;  ///< of all below
  std::condition_variable changed_;
  Embed embed_;
  Answer answer_;
  Which held_;
  std::size_t holding_ = 0;
  bool stopping_ = false;
  std::vector<EmbeddingCall> calls_;
  std::list<Connection> connections_;
  UniqueFd listening_;
  std::thread acceptor_;
};

/// The body of an answer with these vectors.
[[nodiscard]] std::string embedding_body(const std::vector<std::vector<float>>& vectors);

}  // namespace warpmind::fakes
