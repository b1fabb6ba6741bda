#include "daemon/http/http_door.h"

#include "base/file.h"
#include "base/log.h"
#include "daemon/http/access_token.h"
#include "daemon/http/http_server.h"
#include "daemon/http/listen_address.h"
#include "daemon/http/page_api.h"
#include "daemon/http/page_files.h"
#include "daemon/http/request_gate.h"
#include "daemon/protocol/http_files.h"

#include <optional>
#include <system_error>
#include <utility>

namespace warpmind::daemon::http {
namespace {

constexpr const char* kMcpPath = "/mcp";
constexpr std::chrono::seconds kSweep{10};
constexpr std::size_t kRunBytes = 8;

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
        std::unique_ptr<HttpServer> server, std::string run)
      : parts_(std::move(parts)),
        token_(std::move(token)),
        figures_(std::move(figures)),
        endpoint_(parts_.mcp, parts_.rpc, parts_.defer),
        page_(
            parts_.dispatcher, parts_.rpc, [] { return std::chrono::steady_clock::now(); },
            std::move(run)),
        server_(std::move(server)) {
    using Shared = std::shared_ptr<Exchange>;
    page_.add_routes(router_);
    if (!parts_.serve_mcp) return;
    router_.add(kMcpPath, "POST", [this](const Shared& exchange) { endpoint_.post(exchange); });
    router_.add(kMcpPath, "GET", [this](const Shared& exchange) { endpoint_.get(exchange); });
    router_.add(kMcpPath, "DELETE", [this](const Shared& exchange) { endpoint_.remove(exchange); });
  }

  [[nodiscard]] std::string origin() const {
    return "http://127.0.0.1:" + std::to_string(server_->port());
  }
  [[nodiscard]] std::string url() const { return origin() + kMcpPath; }

  Result<std::string> page_url() {
    WARPMIND_TRY(const auto code, page_.make_code());
    return origin() + "/login#code=" + code;  // browsers send no fragment, logs hold none
  }

  Result<void> start() {
    if (parts_.serve_mcp) WARPMIND_CHECK(write_file_atomic(url_file(), url() + "\n"));
    const GateRules rules{server_->port(), parts_.body_bytes};
    auto screen = [this, rules](const HttpRequest& request) -> std::optional<HttpReply> {
      if (auto refusal = turn_away(request, rules, pass_for(request))) return refusal;
      return router_.turn_away(request);
    };
    auto serve = [this](const std::shared_ptr<Exchange>& exchange) { router_.serve(exchange); };
    auto watcher = [this](const HttpRequest& request, int status,
                          std::chrono::steady_clock::duration took) {
      const std::string path(request.path());
      if (parts_.watch) parts_.watch(router_.knows(path) ? path : "other", status, took);
    };
    server_->start(std::move(screen), std::move(serve), std::move(watcher));
    log::info("daemon", "HTTP is served", {{"origin", origin()}, {"mcp", parts_.serve_mcp}});
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
  PageApi& page() { return page_; }
  Router& router() { return router_; }
  HttpServer& server() { return *server_; }

 private:
  [[nodiscard]] std::filesystem::path url_file() const {
    return parts_.directory / protocol::kHttpUrlFile;
  }

  Pass pass_for(const HttpRequest& request) {
    switch (router_.access_to(request)) {
      case Access::open: return {};
      case Access::session:
        return {[this](std::string_view shown) { return page_.knows(shown); },
                "The session has ended; `warpmind dashboard` opens a new one."};
      case Access::figures:
        return {[this](std::string_view shown) {
                  return figures_.matches(shown) || token_.matches(shown);
                },
                "Send the header \"Authorization: Bearer TOKEN\" with the token of the file "
                "metrics.token, or that of http.token."};
      case Access::token: break;
    }
    return pass_of(token_);
  }

  void await_sweep() {
    parts_.after(kSweep, [this] {
      if (stopped_) return;
      endpoint_.sweep(std::chrono::steady_clock::now());
      page_.sweep();
      await_sweep();
    });
  }

  HttpDoorParts parts_;
  AccessToken token_;
  AccessToken figures_;  // the token that opens figures alone
  Router router_;
  McpEndpoint endpoint_;
  PageApi page_;
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
  WARPMIND_TRY(auto run, random_hex(kRunBytes));
  auto state = std::make_unique<State>(std::move(parts), std::move(token), std::move(figures),
                                       std::move(server), std::move(run));
  WARPMIND_TRY(const auto files, read_page_pack(built_in_page_pack()));
  add_page_routes(files, state->router());
  return std::unique_ptr<HttpDoor>(new HttpDoor(std::move(state)));
}

Connections& HttpDoor::connections() { return state_->endpoint(); }
Router& HttpDoor::router() { return state_->router(); }
std::string HttpDoor::url() const { return state_->url(); }
Result<std::string> HttpDoor::page_url() { return state_->page_url(); }
void HttpDoor::on_event(const JobEvent& event) { state_->page().on_event(event); }
void HttpDoor::on_change() { state_->page().on_change(); }
Result<void> HttpDoor::start() { return state_->start(); }
void HttpDoor::stop_accepting() { state_->stop_accepting(); }
void HttpDoor::drain(std::function<void()> done) { state_->server().drain(std::move(done)); }
std::size_t HttpDoor::count() const {
  return state_->server().count() + state_->endpoint().count();
}

}  // namespace warpmind::daemon::http
