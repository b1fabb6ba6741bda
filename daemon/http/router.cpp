#include "daemon/http/router.h"

#include <utility>

namespace warpmind::daemon::http {

void Router::add(std::string path, std::string method, Handler handler, Access access) {
  paths_[std::move(path)].insert_or_assign(std::move(method), Route{std::move(handler), access});
}

Access Router::access_to(const HttpRequest& request) const {
  const auto path = paths_.find(request.path());
  if (path == paths_.end()) return Access::token;
  const auto route = path->second.find(request.method);
  return route == path->second.end() ? Access::token : route->second.access;
}

bool Router::knows(std::string_view path) const { return paths_.find(path) != paths_.end(); }

std::optional<HttpReply> Router::turn_away(const HttpRequest& request) const {
  const auto path = paths_.find(request.path());
  if (path == paths_.end()) return plain_reply(404, "There is nothing at that path.");
  if (path->second.contains(request.method)) return std::nullopt;
  std::string allowed;
  for (const auto& [method, route] : path->second) {
    allowed += (allowed.empty() ? "" : ", ") + method;
  }
  return plain_reply(405, "That path takes " + allowed + ".", {{"Allow", allowed}});
}

void Router::serve(const std::shared_ptr<Exchange>& exchange) const {
  const HttpRequest& request = exchange->request();
  if (auto refusal = turn_away(request)) return exchange->reply(*std::move(refusal));
  paths_.find(request.path())->second.at(request.method).handler(exchange);
}

}  // namespace warpmind::daemon::http
