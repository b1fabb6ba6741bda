#pragma once
/// \file
/// An HTTPS server on 127.0.0.1 with a certificate that it signed itself. Every request gets one
/// answer.

#include "base/file.h"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

namespace warpmind::fakes {

class TlsServer {
 public:
  /// Writes its certificate (for the address 127.0.0.1) to `certificate`; answers with `body`,
  /// JSON.
  TlsServer(const std::filesystem::path& certificate, std::string body);
  ~TlsServer();
  TlsServer(const TlsServer&) = delete;
  TlsServer& operator=(const TlsServer&) = delete;

  [[nodiscard]] std::string url() const { return "https://127.0.0.1:" + std::to_string(port_); }
  /// Requests that came through the handshake.
  [[nodiscard]] int requests() const { return requests_; }

 private:
  struct Context;
  void serve_all();

  std::unique_ptr<Context> context_;
  std::string body_;
  UniqueFd listening_;
  std::uint16_t port_ = 0;
  std::atomic<int> requests_{0};
  std::thread thread_;
};

}  // namespace warpmind::fakes
