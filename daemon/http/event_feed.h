#pragma once
/// \file
/// What happens in the daemon, as a stream that a page can take up again where it lost it.

#include "daemon/http/exchange.h"
#include "daemon/transport/connections.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::daemon::http {

/// Ids are `<run>-<number>`: numbers grow by one with each event of one run of the daemon, and
/// `run` differs from run to run. Threads: io thread only.
class EventFeed {
 public:
  /// `run` has letters and digits only; `kept` events can be replayed.
  explicit EventFeed(std::string run, std::size_t kept = 1024)
      : run_(std::move(run)), kept_(kept) {}

  /// `data`: one line of JSON.
  void publish(std::string_view data);
  /// Opens the stream of a session. Without Last-Event-ID it begins with `{"type":"open"}`; with
  /// one whose successors are all kept, with those; with any other one, with `{"type":"reset"}`:
  /// the client must look at everything anew. Beyond 32 streams the answer is 503.
  void subscribe(ConnectionId owner, const std::shared_ptr<Exchange>& exchange);
  /// Ends the streams of a session.
  void end(ConnectionId owner);
  [[nodiscard]] std::size_t count() const { return streams_.size(); }
  /// Sessions with a stream, each as often as it has one.
  [[nodiscard]] std::vector<ConnectionId> owners() const;

 private:
  struct Event {
    std::uint64_t number = 0;
    std::string data;
  };
  struct Stream {
    ConnectionId owner = 0;
    std::shared_ptr<Exchange> exchange;
  };
  [[nodiscard]] std::string id_of(std::uint64_t number) const;
  void catch_up(Exchange& exchange) const;

  std::string run_;
  std::size_t kept_;
  std::uint64_t last_ = 0;
  std::deque<Event> events_;  // the newest last
  std::vector<Stream> streams_;
};

}  // namespace warpmind::daemon::http
