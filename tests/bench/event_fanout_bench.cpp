/// \file
/// How many events a second reach eight clients that watch the same job: the daemon's own listener
/// and subscriptions, real sockets, clients on threads of their own. Each waits for nothing; the
/// next events are published when all clients have read the last ones, so that nobody is dropped.
/// Usage: event_fanout_bench [EVENTS] [CLIENTS]

#include "base/file.h"
#include "daemon/rpc/subscriptions.h"
#include "daemon/transport/unix_listener.h"
#include "tests/transcript/daemon_process.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

namespace warpmind::tests {
namespace {

using namespace warpmind::daemon;
using BenchClock = std::chrono::steady_clock;
constexpr std::int64_t kBatch = 500;  // events between two looks at the clients
const JobId kJob("j-0000000001");

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "event_fanout_bench: %s\n", why.c_str());
  std::_Exit(1);  // other threads are at work
}

JobEvent event_of(std::int64_t number) {
  JobEvent event;
  event.sequence = static_cast<std::uint64_t>(number) + 1;
  event.progress.job_id = kJob.str();
  event.progress.state = JobState::running;
  event.progress.step = number;
  event.progress.steps = 1'000'000;
  event.progress.best_ratio = 1.25;
  event.progress.line = "step: vectorized_loads width=4: improved, 1.25 x";
  return event;
}

/// Whoever says a line watches the job.
class WatchAll final : public ConnectionEvents {
 public:
  explicit WatchAll(std::atomic<int>& watching) : watching_(watching) {}
  void use(Subscriptions& subscriptions) { subscriptions_ = &subscriptions; }
  void on_line(ConnectionId id, std::string_view /*line*/) override {
    subscriptions_->watch(id, kJob, event_of(0));
    ++watching_;
    watching_.notify_all();
  }
  void on_input_ended(ConnectionId id) override { subscriptions_->forget(id); }
  void on_closed(ConnectionId id) override { subscriptions_->forget(id); }
  [[nodiscard]] bool is_waiting(ConnectionId /*id*/) const override { return true; }

 private:
  std::atomic<int>& watching_;
  Subscriptions* subscriptions_ = nullptr;
};

/// Reads `lines` events, counting them for all to see.
void read_all(const std::filesystem::path& socket, std::int64_t lines,
              std::atomic<std::int64_t>& read) {
  auto client = WireClient::connect(socket);
  if (!client || !client->read_line() || !client->send("watch\n")) give_up("a client got nothing");
  for (std::int64_t i = 0; i < lines; ++i) {
    if (!client->read_line()) give_up("a client was dropped");
    ++read;
    // Line 0 is what watching gives: the last client through a batch wakes who publishes.
    if (i % kBatch == 0) read.notify_all();
  }
  read.notify_all();
}

void publish_all(boost::asio::io_context& io, Subscriptions& subscriptions, std::int64_t events,
                 std::int64_t clients, std::atomic<std::int64_t>& read) {
  for (std::int64_t from = 1; from <= events; from += kBatch) {
    const std::int64_t to = std::min(from + kBatch, events + 1);
    boost::asio::post(io, [&subscriptions, from, to] {
      for (std::int64_t i = from; i < to; ++i) subscriptions.publish(event_of(i));
    });
    // The first event of each client is the one that watching gives.
    const std::int64_t want = to * clients;
    for (auto seen = read.load(); seen < want; seen = read.load()) read.wait(seen);
  }
}

int run(std::int64_t events, int clients) {
  const auto home = DaemonProcess::make_home();
  auto socket = ListeningSocket::bind(home.path() / "run" / "d.sock");
  if (!socket) give_up(socket.error().message);
  auto peers = PeerCheck::create();
  if (!peers) give_up(peers.error().message);
  boost::asio::io_context io(1);
  ListenerSettings settings;
  settings.greeting = "{}\n";
  UnixListener listener(io, std::move(*socket), *peers, settings);
  std::atomic<int> watching = 0;
  WatchAll watch(watching);
  Subscriptions subscriptions(listener, [](const JobId&) { return std::nullopt; });
  watch.use(subscriptions);
  listener.start(watch);
  std::thread server([&io] { io.run(); });
  std::atomic<std::int64_t> read = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < clients; ++i) {
    readers.emplace_back([&] { read_all(home.path() / "run" / "d.sock", events + 1, read); });
  }
  for (int seen = watching; seen < clients; seen = watching) watching.wait(seen);

  const auto from = BenchClock::now();
  publish_all(io, subscriptions, events, clients, read);
  const double seconds = std::chrono::duration<double>(BenchClock::now() - from).count();

  for (auto& reader : readers) reader.join();
  io.stop();
  server.join();
  const double rate = static_cast<double>(events) / seconds;
  std::printf("%lld events to %d clients in %.2f s\n", static_cast<long long>(events), clients,
              seconds);
  std::printf("RESULT event_fanout clients=%d events_per_s=%.0f deliveries_per_s=%.0f\n", clients,
              rate, rate * clients);
  return 0;
}

}  // namespace
}  // namespace warpmind::tests

int main(int argc, char** argv) {
  const long long events = argc > 1 ? std::atoll(argv[1]) : 20'000;
  const int clients = argc > 2 ? std::atoi(argv[2]) : 8;
  if (events < 1 || clients < 1 || clients > 200) {
    std::fprintf(stderr, "usage: event_fanout_bench [EVENTS] [CLIENTS], both at least 1\n");
    return 2;
  }
  return warpmind::tests::run(events, clients);
}
