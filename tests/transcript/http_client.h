#pragma once
/// \file
/// A blocking HTTP client that speaks bytes: tests must be able to send what no client would.

#include "base/file.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace warpmind::tests {

struct HttpAnswer {
  int status = 0;
  std::map<std::string, std::string> headers = {};  ///< names in lower case
  std::string body = {};
};

/// Where a daemon says that it serves HTTP.
struct HttpPlace {
  std::uint16_t port = 0;
  std::string token;

  /// Of a running daemon whose directories are in `home`; port 0 when it serves none.
  [[nodiscard]] static HttpPlace of(const std::filesystem::path& home);
  /// The head of a good request, without its last empty line.
  [[nodiscard]] std::string head(std::string_view method, std::string_view more = "") const;
  /// A good POST of JSON.
  [[nodiscard]] std::string post(std::string_view body, std::string_view more = "") const;
};

class HttpWire {
 public:
  /// Aborts the test program when nobody listens.
  explicit HttpWire(std::uint16_t port);

  /// False when the daemon has closed.
  bool send(std::string_view bytes);
  /// The next answer; nullopt when the daemon closed before it, or does not come in time.
  [[nodiscard]] std::optional<HttpAnswer> read_answer();
  /// The head of an answer whose body is a stream.
  [[nodiscard]] std::optional<HttpAnswer> read_head();
  /// The data of the next event of that stream; nullopt at its end.
  [[nodiscard]] std::optional<std::string> read_event();
  /// The id of the last event that had one.
  [[nodiscard]] const std::string& event_id() const { return event_id_; }
  /// True when the daemon closes.
  [[nodiscard]] bool at_end();
  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  bool fill();
  std::optional<std::string> read_until(std::string_view mark);
  std::optional<std::string> read_bytes(std::size_t count);

  UniqueFd fd_;
  std::string buffer_;
  std::string event_id_;
};

/// Sends one request on a connection of its own; status 0 when there is no answer.
[[nodiscard]] HttpAnswer ask(std::uint16_t port, std::string_view request);

}  // namespace warpmind::tests
