#pragma once
/// \file
/// How a browser gets in: a code that is good once, and the session it is exchanged for.

#include "base/result.h"
#include "daemon/transport/connections.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::daemon::http {

inline constexpr std::chrono::seconds kCodeLife{60};
inline constexpr std::chrono::hours kSessionLife{12};  ///< without a request or an open page

/// Does:      hand out codes to whoever may ask over the Unix socket; take each once, within 60 s.
/// Does not:  outlive the daemon: nothing of it is on a disk.
/// Threads:   io thread only.
class PageSessions {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Now = std::function<Time()>;
  struct Opened {
    std::string token;  ///< what the page shows from now on
    ConnectionId connection = 0;
  };

  explicit PageSessions(Now now) : now_(std::move(now)) {}

  /// 256 random bits, hexadecimal. Of 16 that wait to be used, the oldest gives way. Errors:
  /// external_failure.
  [[nodiscard]] Result<std::string> make_code();
  /// Errors: not_found for a code that is used, old or was never made; all three sound the same.
  [[nodiscard]] Result<Opened> redeem(std::string_view code);
  /// The connection of a session, whose life begins anew.
  [[nodiscard]] std::optional<ConnectionId> use(std::string_view token);
  /// True when `token` is that of a session; its life goes on as it was.
  [[nodiscard]] bool knows(std::string_view token) const;
  [[nodiscard]] std::optional<ConnectionId> end(std::string_view token);
  /// Begins the life of the session with this connection anew.
  void keep(ConnectionId connection);
  /// Ends sessions that nobody used; their connections.
  [[nodiscard]] std::vector<ConnectionId> sweep();
  [[nodiscard]] std::size_t count() const { return sessions_.size(); }

 private:
  struct Code {
    std::string text;
    Time made;
  };
  struct Session {
    std::string token;
    ConnectionId connection = 0;
    Time used;
  };
  [[nodiscard]] std::vector<Session>::iterator find(std::string_view token);

  Now now_;
  std::vector<Code> codes_;  // the oldest first
  std::vector<Session> sessions_;
  ConnectionId last_ = 0;
};

}  // namespace warpmind::daemon::http
