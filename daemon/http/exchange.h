#pragma once
/// \file
/// One request and the answer that it gets: at once, or as a stream of events.

#include "daemon/http/http_message.h"

#include <functional>
#include <string_view>
#include <vector>

namespace warpmind::daemon::http {

/// Either reply(), or open_stream(), events any number of times, end_stream(). What comes
/// after the end is ignored; letting go without an answer gives one that says so.
/// Threads: io thread only.
class Exchange {
 public:
  virtual ~Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  [[nodiscard]] virtual const HttpRequest& request() const = 0;
  virtual void reply(HttpReply reply) = 0;
  /// Status 200, text/event-stream. A sign of life goes out by itself when nothing else does.
  virtual void open_stream(std::vector<HttpHeader> headers) = 0;
  /// `data` is one line without its end. A client with too much unread is dropped instead.
  virtual void send_event(std::string_view data) = 0;
  /// The same with an id, which a client that comes back says in Last-Event-ID.
  virtual void send_numbered_event(std::string_view id, std::string_view data) = 0;
  virtual void end_stream() = 0;
  /// `gone` is called once, not within another call, when the client leaves before the end.
  virtual void on_gone(std::function<void()> gone) = 0;

 protected:
  Exchange() = default;
};

}  // namespace warpmind::daemon::http
