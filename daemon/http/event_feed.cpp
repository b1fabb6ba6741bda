#include "daemon/http/event_feed.h"

#include "base/text.h"

#include <optional>
#include <utility>

namespace warpmind::daemon::http {
namespace {

constexpr std::size_t kMostStreams = 32;
constexpr std::string_view kOpen = R"({"type":"open"})";
constexpr std::string_view kReset = R"({"type":"reset"})";

/// The number in an id of this run; nullopt for anything else.
std::optional<std::uint64_t> number_in(std::string_view id, std::string_view run) {
  if (!id.starts_with(run) || id.size() <= run.size() || id[run.size()] != '-') return std::nullopt;
  return parse_number<std::uint64_t>(id.substr(run.size() + 1));
}

}  // namespace

std::string EventFeed::id_of(std::uint64_t number) const {
  return run_ + "-" + std::to_string(number);
}

std::vector<ConnectionId> EventFeed::owners() const {
  std::vector<ConnectionId> owners;
  owners.reserve(streams_.size());
  for (const auto& stream : streams_) owners.push_back(stream.owner);
  return owners;
}

void EventFeed::publish(std::string_view data) {
  events_.push_back({++last_, std::string(data)});
  if (events_.size() > kept_) events_.pop_front();
  const std::string id = id_of(last_);
  // A stream that is dropped for what it left unread says so later, not within the call.
  for (const auto& stream : streams_) stream.exchange->send_numbered_event(id, data);
}

void EventFeed::subscribe(ConnectionId owner, const std::shared_ptr<Exchange>& exchange) {
  if (streams_.size() >= kMostStreams) {
    return exchange->reply(plain_reply(503, "Too many pages are open; close some."));
  }
  exchange->open_stream({});
  catch_up(*exchange);
  streams_.push_back({owner, exchange});
  exchange->on_gone([this, gone = exchange.get()] {
    std::erase_if(streams_, [gone](const Stream& stream) { return stream.exchange.get() == gone; });
  });
}

void EventFeed::catch_up(Exchange& exchange) const {
  const std::string* seen = exchange.request().find("last-event-id");
  if (seen == nullptr) return exchange.send_numbered_event(id_of(last_), kOpen);
  const auto number = number_in(*seen, run_);
  const std::uint64_t oldest = events_.empty() ? last_ + 1 : events_.front().number;
  if (!number || *number > last_ || *number + 1 < oldest) {
    return exchange.send_numbered_event(id_of(last_), kReset);
  }
  for (const auto& event : events_) {
    if (event.number > *number) exchange.send_numbered_event(id_of(event.number), event.data);
  }
}

void EventFeed::end(ConnectionId owner) {
  const auto streams = std::exchange(streams_, {});
  for (const auto& stream : streams) {
    if (stream.owner == owner) {
      stream.exchange->end_stream();
    } else {
      streams_.push_back(stream);
    }
  }
}

}  // namespace warpmind::daemon::http
