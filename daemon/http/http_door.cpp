#include "daemon/http/http_door.h"

#include "base/file.h"
#include "base/log.h"
#include "daemon/http/access_token.h"
#include "daemon/http/http_server.h"
#include "daemon/http/listen_address.h"
#include "daemon/http/request_gate.h"
#include "daemon/protocol/http_files.h"

#include <optional>
#include <system_error>
#include <utility>

namespace warpmind::daemon::http {
namespace {

constexpr const char* kMcpPath = "/mcp";
constexpr std::chrono::seconds kSweep{10};

HttpLimits limits_of(const HttpDoorParts& parts) {
  HttpLimits limits;
  limits.connections = parts.connections;
  limits.body_bytes = parts.body_bytes;
  return limits;
}

}  // namespace

class HttpDoor::State {
 public:
  State(HttpDoorParts parts, AccessToken token, AccessToken figures,
        std::unique_ptr<HttpServer> server)
      : parts_(std::move(parts)),
        token_(std::move(token)),
        figures_(std::move(figures)),
        endpoint_(parts_.mcp, parts_.rpc, parts_.defer),
        server_(std::move(server)) {
    using Shared = std::shared_ptr<Exchange>;
    router_.add(kMcpPath, "POST", [this](const Shared& exchange) { endpoint_.post(exchange); });
    router_.add(kMcpPath, "GET", [this](const Shared& exchange) { endpoint_.get(exchange); });
    router_.add(kMcpPath, "DELETE", [this](const Shared& exchange) { endpoint_.remove(exchange); });
  }

  [[nodiscard]] std::string url() const {
    return "http://127.0.0.1:" + std::to_string(server_->port()) + kMcpPath;
  }

  Result<void> start() {
    WARPMIND_CHECK(write_file_atomic(url_file(), url() + "\n"));
    auto screen = [this](const HttpRequest& request) -> std::optional<HttpReply> {
      const Access access = router_.access_to(request);
      const GateRules rules{server_->port(), parts_.body_bytes,
                            access == Access::figures ? &figures_ : nullptr,
                            access != Access::open};
      if (auto refusal = turn_away(request, rules, token_)) return refusal;
      return router_.turn_away(request);
    };
    auto serve = [this](const std::shared_ptr<Exchange>& exchange) { router_.serve(exchange); };
    auto watcher = [this](const HttpRequest& request, int status,
                          std::chrono::steady_clock::duration took) {
      const std::string path(request.path());
      if (parts_.watch) parts_.watch(router_.knows(path) ? path : "other", status, took);
    };
    server_->start(std::move(screen), std::move(serve), std::move(watcher));
    log::info("daemon", "HTTP is served", {{"url", url()}});
    await_sweep();
    return {};
  }

  void stop_accepting() {
    stopped_ = true;
    std::error_code ignored;
    std::filesystem::remove(url_file(), ignored);
    server_->stop_accepting();
  }

  McpEndpoint& endpoint() { return endpoint_; }
  Router& router() { return router_; }
  HttpServer& server() { return *server_; }

 private:
  [[nodiscard]] std::filesystem::path url_file() const {
    return parts_.directory / protocol::kHttpUrlFile;
  }

  void await_sweep() {
    parts_.after(kSweep, [this] {
      if (stopped_) return;
      endpoint_.sweep(std::chrono::steady_clock::now());
      await_sweep();
    });
  }

  HttpDoorParts parts_;
  AccessToken token_;
  AccessToken figures_;  // the token that opens figures alone
  Router router_;
  McpEndpoint endpoint_;
  std::unique_ptr<HttpServer> server_;
  bool stopped_ = false;
};

HttpDoor::HttpDoor(std::unique_ptr<State> state) : state_(std::move(state)) {}
HttpDoor::~HttpDoor() = default;

Result<std::unique_ptr<HttpDoor>> HttpDoor::open(HttpDoorParts parts) {
  WARPMIND_TRY(const auto port, loopback_port(parts.listen));
  WARPMIND_TRY(auto token, AccessToken::open(parts.directory / protocol::kHttpTokenFile));
  WARPMIND_TRY(auto figures, AccessToken::open(parts.directory / protocol::kMetricsTokenFile));
  WARPMIND_TRY(auto server, HttpServer::listen(parts.io, port, limits_of(parts)));
  auto state = std::make_unique<State>(std::move(parts), std::move(token), std::move(figures),
                                       std::move(server));
  return std::unique_ptr<HttpDoor>(new HttpDoor(std::move(state)));
}

Connections& HttpDoor::connections() { return state_->endpoint(); }
Router& HttpDoor::router() { return state_->router(); }
std::string HttpDoor::url() const { return state_->url(); }
Result<void> HttpDoor::start() { return state_->start(); }
void HttpDoor::stop_accepting() { state_->stop_accepting(); }
void HttpDoor::drain(std::function<void()> done) { state_->server().drain(std::move(done)); }
std::size_t HttpDoor::count() const {
  return state_->server().count() + state_->endpoint().count();
}

}  // namespace warpmind::daemon::http
