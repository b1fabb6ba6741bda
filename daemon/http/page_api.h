#pragma once
/// \file
/// What the page speaks to: /api/login, /api/logout, /api/rpc and /api/events.

#include "daemon/http/event_feed.h"
#include "daemon/http/page_sessions.h"
#include "daemon/http/router.h"
#include "daemon/protocol/envelope.h"
#include "daemon/rpc/rpc_service.h"
#include "daemon/scheduler/job_event.h"

#include <memory>
#include <string>
#include <string_view>

namespace warpmind::daemon::http {

/// Does:      open sessions for codes, call the daemon's own methods for them, tell them the news.
/// Does not:  serve the page itself (page_files.h), implement any method.
/// Threads:   io thread only.
class PageApi {
 public:
  /// References must outlive it; `run` as for EventFeed.
  PageApi(const Dispatcher& dispatcher, RpcService& rpc, PageSessions::Now now, std::string run)
      : dispatcher_(dispatcher), rpc_(rpc), sessions_(std::move(now)), feed_(std::move(run)) {}

  void add_routes(Router& router);
  /// For the address that `dashboard.open` answers. Errors: external_failure.
  [[nodiscard]] Result<std::string> make_code() { return sessions_.make_code(); }
  [[nodiscard]] bool knows(std::string_view token) const { return sessions_.knows(token); }
  void on_event(const JobEvent& event);
  /// Something that a read may show has changed, whoever changed it. Calls are no news of
  /// themselves: a page that read on such news would make the next.
  void on_change();
  /// Ends sessions that nobody used for long; an open page uses its own.
  void sweep();

 private:
  void login(const std::shared_ptr<Exchange>& exchange);
  void logout(const std::shared_ptr<Exchange>& exchange);
  void call(const std::shared_ptr<Exchange>& exchange);
  void events(const std::shared_ptr<Exchange>& exchange);
  void call_on_pool(ConnectionId connection, const Dispatcher::Entry& entry,
                    const std::shared_ptr<protocol::Message>& message,
                    const std::shared_ptr<Exchange>& exchange);
  void answer(Exchange& exchange, const protocol::Message& message,
              const Result<std::string>& reply);
  void end(ConnectionId connection);

  const Dispatcher& dispatcher_;
  RpcService& rpc_;
  PageSessions sessions_;
  EventFeed feed_;
  std::uint64_t calls_ = 0;
};

}  // namespace warpmind::daemon::http
