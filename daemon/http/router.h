#pragma once
/// \file
/// Which path is whose.

#include "daemon/http/exchange.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace warpmind::daemon::http {

/// What a request for a path must show.
enum class Access {
  token,    ///< the file's, which every program of the user can read
  session,  ///< of the page (page_sessions.h)
  figures,  ///< the file's, or the one that opens figures alone
  open,     ///< nothing: what is there is no secret
};

/// Threads: add() before the first request; then io thread only.
class Router {
 public:
  using Handler = std::function<void(const std::shared_ptr<Exchange>&)>;

  /// `path` is compared as a whole. A handler of GET must change nothing.
  void add(std::string path, std::string method, Handler handler, Access access = Access::token);
  /// Of that path and method; `token` where there is nothing.
  [[nodiscard]] Access access_to(const HttpRequest& request) const;
  [[nodiscard]] bool knows(std::string_view path) const;
  /// 404 and 405, from the head alone.
  [[nodiscard]] std::optional<HttpReply> turn_away(const HttpRequest& request) const;
  /// A request that was not turned away.
  void serve(const std::shared_ptr<Exchange>& exchange) const;

 private:
  struct Route {
    Handler handler;
    Access access = Access::token;
  };
  std::map<std::string, std::map<std::string, Route>, std::less<>> paths_;
};

}  // namespace warpmind::daemon::http
