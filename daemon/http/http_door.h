#pragma once
/// \file
/// The daemon's HTTP as a whole: who may ask, what is served, where it says so.

#include "base/result.h"
#include "daemon/http/mcp_endpoint.h"
#include "daemon/http/router.h"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace boost::asio {
class io_context;
}

namespace warpmind::daemon::http {

struct HttpDoorParts {
  boost::asio::io_context& io;
  mcp::McpService& mcp;
  RpcService& rpc;
  const Dispatcher& dispatcher;
  McpEndpoint::Defer defer = {};
  /// Calls `task` on the io thread once the time is over.
  std::function<void(std::chrono::milliseconds, std::function<void()>)> after = {};
  std::string listen = {};               ///< the setting http.listen
  bool serve_mcp = true;                 ///< false: the page alone, and no address is written
  std::filesystem::path directory = {};  ///< of the token and the address
  std::size_t connections = 256;
  std::size_t body_bytes = std::size_t{16} * 1024 * 1024;
  /// Told of each answer, with the path, or "other" for one that is none of ours.
  std::function<void(const std::string& path, int status, std::chrono::steady_clock::duration)>
      watch = {};
};

/// Threads: io thread only, but for construction before it runs.
class HttpDoor {
 public:
  /// Binds the port; nobody is served yet. Errors: invalid_argument for the setting or the token's
  /// file; conflict when the port is taken; external_failure. References in `parts` must outlive
  /// it.
  [[nodiscard]] static Result<std::unique_ptr<HttpDoor>> open(HttpDoorParts parts);
  ~HttpDoor();
  HttpDoor(const HttpDoor&) = delete;
  HttpDoor& operator=(const HttpDoor&) = delete;

  /// Where what rpc and MCP say goes.
  [[nodiscard]] Connections& connections();
  /// More paths, before start().
  [[nodiscard]] Router& router();
  [[nodiscard]] std::string url() const;
  /// Address of the page that lets a browser in, once. Errors: external_failure.
  [[nodiscard]] Result<std::string> page_url();
  void on_event(const JobEvent& event);
  /// Lists that pages show are stale.
  void on_change();
  /// Writes the address of MCP beside the token. Errors: external_failure.
  [[nodiscard]] Result<void> start();
  /// Takes the address away.
  void stop_accepting();
  void drain(std::function<void()> done);
  /// Clients, and sessions without one.
  [[nodiscard]] std::size_t count() const;

 private:
  class State;
  explicit HttpDoor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace warpmind::daemon::http
