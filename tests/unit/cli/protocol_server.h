#pragma once
/// \file
/// A small server that speaks the protocol from a script, on a socket in a fresh folder.

#include "base/file.h"
#include "daemon/protocol/envelope.h"
#include "daemon/protocol/frame_codec.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace warpmind::clients {

/// One accepted connection, used by the script on the server's thread.
class ServedConnection {
 public:
  explicit ServedConnection(UniqueFd fd) : fd_(std::move(fd)) {}

  void send(std::string_view bytes);
  /// The greeting of protocol 1, or of another one. The default pid is above what Linux gives.
  void greet(std::int64_t protocol = 1, std::int64_t pid = 400'000'000);
  /// The next request; nullopt when the client has gone.
  [[nodiscard]] std::optional<daemon::protocol::Message> receive();
  void answer(const daemon::protocol::Message& request, std::string_view result_json);
  void refuse(const daemon::protocol::Message& request, const Error& error);
  void close() { fd_.reset(); }

 private:
  UniqueFd fd_;
  daemon::protocol::LineBuffer lines_;
};

/// Serves connections one after the other, each by `script`, until it is destroyed.
class ProtocolServer {
 public:
  using Script = std::function<void(ServedConnection&)>;

  explicit ProtocolServer(Script script);
  ProtocolServer(const ProtocolServer&) = delete;
  ProtocolServer& operator=(const ProtocolServer&) = delete;
  ~ProtocolServer();

  [[nodiscard]] const std::filesystem::path& socket() const { return socket_; }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  void serve();

  Script script_;
  ScratchDirectory folder_;
  std::filesystem::path socket_;
  UniqueFd listener_;
  std::thread thread_;
};

/// A listening socket at `path`; aborts the test program when it cannot be had.
[[nodiscard]] UniqueFd listen_at(const std::filesystem::path& path);

[[nodiscard]] ScratchDirectory fresh_folder();

}  // namespace warpmind::clients
