#pragma once
/// \file
/// HTTP/1.1 on the loopback address. Boost.Beast stays in its .cpp.

#include "base/result.h"
#include "daemon/http/exchange.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace boost::asio {
class io_context;
}

namespace warpmind::daemon::http {

struct HttpLimits {
  std::size_t connections = 256;                      ///< one more gets 503 and is closed
  std::size_t header_bytes = std::size_t{16} * 1024;  ///< request line and headers
  std::size_t body_bytes = std::size_t{16} * 1024 * 1024;
  std::size_t backlog_bytes = std::size_t{8} * 1024 * 1024;  ///< unread events of one stream
  std::chrono::milliseconds first_byte{5'000};               ///< of a fresh connection
  std::chrono::milliseconds idle{60'000};    ///< between two requests of one connection
  std::chrono::milliseconds header{10'000};  ///< from a request's first byte to its empty line
  std::chrono::milliseconds body{30'000};
  std::chrono::milliseconds write{30'000};      ///< what was said must be taken in so long
  std::chrono::milliseconds heartbeat{15'000};  ///< between two signs of life in a stream
};

/// Does:      read requests, hand them on, write answers in order, keep its limits. Whatever is
///            wrong ends the connection after an answer of one sentence.
/// Does not:  know paths, tokens or MCP.
/// Threads:   io thread only, but for construction before it runs.
class HttpServer {
 public:
  /// Sees each request before its body is read; an answer ends it.
  using Screen = std::function<std::optional<HttpReply>(const HttpRequest&)>;
  using Serve = std::function<void(const std::shared_ptr<Exchange>&)>;
  /// Told of each answer; of a stream, when it begins.
  using Watcher =
      std::function<void(const HttpRequest&, int status, std::chrono::steady_clock::duration took)>;

  /// Port 0 takes a free one. Errors: conflict when the port is taken; external_failure.
  [[nodiscard]] static Result<std::unique_ptr<HttpServer>> listen(boost::asio::io_context& io,
                                                                  std::uint16_t port,
                                                                  const HttpLimits& limits);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  void start(Screen screen, Serve serve, Watcher watcher = {});
  void stop_accepting();
  /// Ends streams, writes what is queued, closes all, then calls `done`; after 2 s at most.
  void drain(std::function<void()> done);
  /// Open connections.
  [[nodiscard]] std::size_t count() const;

 private:
  class State;
  explicit HttpServer(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

}  // namespace warpmind::daemon::http
