#include "daemon/server.h"

#include "base/log.h"
#include "base/sleep.h"
#include "daemon/handlers/analysis_handlers.h"
#include "daemon/handlers/daemon_handlers.h"
#include "daemon/handlers/episode_handlers.h"
#include "daemon/handlers/guest_handlers.h"
#include "daemon/handlers/kb_handlers.h"
#include "daemon/handlers/kernel_handlers.h"
#include "daemon/handlers/program_task_handlers.h"
#include "daemon/handlers/queue_handlers.h"
#include "daemon/handlers/skill_handlers.h"
#include "daemon/handlers/task_handlers.h"
#include "daemon/http/connection_fork.h"
#include "daemon/http/http_door.h"
#include "daemon/http/page_sessions.h"
#include "daemon/mcp/mcp_service.h"
#include "daemon/observation.h"
#include "daemon/protocol/dashboard_messages.h"
#include "daemon/protocol/editor_messages.h"
#include "daemon/protocol/envelope.h"
#include "daemon/protocol/flops_messages.h"
#include "daemon/protocol/http_files.h"
#include "daemon/protocol/kernel_messages.h"
#include "daemon/protocol/log_messages.h"
#include "daemon/protocol/messages.h"
#include "daemon/protocol/method_table.h"
#include "daemon/protocol/program_messages.h"
#include "daemon/queue_proposals.h"
#include "daemon/queue_worth.h"
#include "daemon/rpc/rpc_service.h"
#include "daemon/transport/service_notice.h"
#include "daemon/transport/unix_listener.h"
#include "daemon/user_name.h"
#include "knowledge_base/knowledge_store.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <set>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

namespace warpmind::daemon {
namespace {

namespace asio = boost::asio;
using protocol::ShutdownMode;
constexpr std::chrono::seconds kStopTime{10};  // for all that runs to end, once it is asked to
constexpr std::chrono::seconds kIdleCheck{1};
constexpr std::chrono::seconds kLeaseCheck{10};
constexpr std::chrono::minutes kProposalCheck{10};
constexpr std::chrono::milliseconds kChangesTogether{100};
constexpr std::size_t kGuestThreads = 4;
constexpr const char* kAnyPort = "127.0.0.1:0";
constexpr std::size_t kMostProgramThreads = 16;

/// Builds take a core each.
std::size_t program_threads() {
  return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMostProgramThreads);
}

protocol::Greeting make_greeting(const std::string& version) {
  protocol::Greeting greeting;
  greeting.version = version;
  greeting.pid = ::getpid();
  for (const auto& spec : protocol::methods()) {
    if (spec.kind == protocol::MethodKind::request) greeting.capabilities.emplace_back(spec.name);
  }
  greeting.capabilities.insert(greeting.capabilities.end(), {"progress", "cancel"});
  return greeting;
}

ListenerSettings listener_settings(const config::Settings& settings,
                                   const protocol::Greeting& greeting) {
  ListenerSettings listener;
  listener.connections = static_cast<std::size_t>(settings.daemon.connections);
  listener.session.message_bytes =
      static_cast<std::size_t>(settings.daemon.request_mib) * 1024 * 1024;
  listener.greeting = protocol::make_notification("greeting", protocol::encode(greeting));
  return listener;
}

/// Ends the process when its shutdown takes longer than kStopTime: a thread that is stuck cannot be
/// joined. The store survives it, and a job goes on with the next daemon.
class StopDeadline {
 public:
  /// Once; more calls change nothing.
  void start() {
    if (thread_.joinable()) return;
    thread_ = std::jthread([](const std::stop_token& stopped) {
      sleep_for(kStopTime, stopped);
      if (stopped.stop_requested()) return;
      log::error("daemon", "work that was asked to stop did not; it is left to the next start",
                 {{"seconds", kStopTime.count()}});
      log::flush();
      std::_Exit(EXIT_FAILURE);
    });
  }

 private:
  std::jthread thread_;
};

}  // namespace

/// Members in order of construction; destruction in reverse is the last part of the shutdown plan.
class Server::State {
 public:
  State(ServerParts parts, ListeningSocket socket, PeerCheck peers)
      : parts_(std::move(parts)),
        greeting_(make_greeting(parts_.version)),
        io_(1),
        pool_(static_cast<std::size_t>(parts_.settings.daemon.worker_threads)),
        write_pool_(static_cast<std::size_t>(parts_.settings.daemon.worker_threads)),
        slow_pool_(1),
        guest_pool_(kGuestThreads),
        program_pool_(program_threads()),
        worth_(parts_.base, parts_.clock),
        scheduler_(
            {parts_.base.store(), parts_.base.queue(), parts_.runner, parts_.clock, parts_.lanes,
             &parts_.base.agenda(), kMostQueued, [this] { lists_changed(); }},
            [this](const JobEvent& event) { publish(event); },
            [this](const JobRequest& request) { return worth_.expected_worth(request); }),
        proposals_(
            {parts_.base, scheduler_, parts_.machine, parts_.settings.queue.retune == "run"}),
        listener_(io_, std::move(socket), peers, listener_settings(parts_.settings, greeting_)),
        transports_(listener_),
        editors_(transports_, parts_.version),
        subscriptions_(editors_, [this](const JobId& id) { return scheduler_.latest(id); }),
        rpc_(dispatcher_, editors_, subscriptions_, executors()),
        mcp_(dispatcher_, rpc_, editors_, mcp_options()),
        signals_(io_, SIGTERM, SIGINT, SIGHUP),
        idle_timer_(io_),
        lease_timer_(io_),
        proposal_timer_(io_) {}

  ~State() {
    parts_.base.on_commit(nullptr);
    // Handlers refer to everything here: none may run when members go.
    for (auto* pool : {&pool_, &write_pool_, &slow_pool_, &guest_pool_, &program_pool_})
      pool->stop();
    join_pools();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Result<void> prepare() {
    WARPMIND_TRY(observation_, Observation::create(observed()));
    parts_.base.on_commit([this](const std::set<std::string>& kinds) {
      // A job that runs keeps drafts and its spending with every step; no list shows them.
      const bool shown = std::any_of(kinds.begin(), kinds.end(), [](const std::string& kind) {
        return kind != "draft" && kind != "spending";
      });
      if (shown) lists_changed();
    });
    register_methods();
    rpc_.speak(mcp_);
    rpc_.watch([this](std::string_view method, bool succeeded, auto took) {
      const std::chrono::duration<double> seconds = took;
      observation_->metrics().request_answered(method, succeeded, seconds.count());
    });
    WARPMIND_CHECK(open_web());
    for (const auto& method : dispatcher_.unserved()) {
      return fail(Errc::external_failure,
                  "the method table names '" + method + "', but nothing serves it");
    }
    WARPMIND_TRY(const auto statistics, parts_.base.store().statistics());
    health_.set_degraded(statistics.degraded);
    if (statistics.degraded)
      log::warn("daemon", "the base is degraded", {{"note", statistics.note}});
    if (parts_.guests != nullptr) {
      parts_.guests->on_end([this](const JobId& id) { observation_->ended(id); });
      WARPMIND_CHECK(parts_.guests->start());
    }
    return scheduler_.start();
  }

  void serve() {
    await_signal();
    if (parts_.settings.daemon.idle_exit_s > 0) await_idle();
    if (parts_.guests != nullptr) await_leases();
    asio::post(pool_, [this] {
      health_.set_device(parts_.device());
      lists_changed();
      asio::post(io_, [this] { await_proposals(std::chrono::seconds(0)); });
    });
    editors_.set_rpc(rpc_);
    listener_.start(editors_);
    if (web_) {
      if (const auto started = web_->start(); !started)
        log::error("daemon", "HTTP is not served", {{"why", started.error().message}});
    }
    notify_service_manager("READY=1");
    log::info("daemon", "ready", {{"pid", ::getpid()}, {"version", parts_.version}});
    io_.run();
    join_pools();
    log::info("daemon", "stopped");
    log::flush();
  }

 private:
  void register_methods() {
    using enum Execution;
    dispatcher_.add("hello", inline_io, hello(greeting_));
    dispatcher_.add(protocol::kStatus, inline_io,
                    status({scheduler_, health_, listener_, parts_.settings, parts_.clock,
                            parts_.clock.monotonic(), parts_.version}));
    dispatcher_.add(protocol::kTaskValidate, pool, task_validate());
    dispatcher_.add(protocol::kMovesExplain, pool, moves_explain(parts_.settings, parts_.base));
    dispatcher_.add(protocol::kFlopsCount, slow, flops_count(parts_.settings));
    dispatcher_.add(protocol::kProgramLift, pool, program_lift());
    dispatcher_.add(protocol::kProgramRewrite, pool, program_rewrite());
    const MachineView machine = [this] { return parts_.device(); };
    dispatcher_.add(protocol::kTaskAdmit, pool, task_admit(parts_.settings, machine));
    dispatcher_.add(protocol::kTaskSubmit, write,
                    task_submit(scheduler_, subscriptions_, parts_.settings, machine));
    dispatcher_.add(protocol::kTaskStatus, pool, task_status(scheduler_, subscriptions_));
    dispatcher_.add(protocol::kTaskCancel, write, task_cancel(scheduler_));
    dispatcher_.add(protocol::kTaskResult, pool, task_result(parts_.base.store()));
    const auto jobs_at_work = [this] {
      const auto queue = scheduler_.summary();
      return queue.queued + queue.running > 0;
    };
    add_knowledge_methods(dispatcher_, {parts_.base, health_, jobs_at_work, user_name(),
                                        parts_.settings.episode.skill_directory});
    add_queue_methods(dispatcher_,
                      {scheduler_, parts_.base, parts_.settings, user_name(), machine});
    add_guest_methods(dispatcher_, {parts_.guests, parts_.settings, machine});
    add_analysis_methods(dispatcher_, {parts_.analyst, parts_.settings, parts_.base.store()});
    add_skill_methods(dispatcher_, {parts_.analyst, parts_.settings, parts_.base, user_name()});
    add_program_task_methods(
        dispatcher_, {parts_.programs, parts_.settings, [this] { return parts_.device().mode; }});
    dispatcher_.add(protocol::kEpisodeList, pool, episode_list(parts_.base.store()));
    dispatcher_.add(protocol::kEpisodeRoofline, pool, episode_roofline(parts_.base.store()));
    Handler<protocol::Empty, protocol::DashboardOpenResult> open_page =
        [this](const protocol::Empty& /*params*/, RequestContext& /*context*/) {
          return open_dashboard();
        };
    dispatcher_.add(protocol::kDashboardOpen, inline_io, std::move(open_page));
    dispatcher_.add(protocol::kLogSetLevel, inline_io, log_set_level());
    dispatcher_.add(protocol::kLspAttach, inline_io, lsp_attach(editors_));
    dispatcher_.add(protocol::kShutdown, inline_io,
                    shutdown([this](ShutdownMode mode) { begin_shutdown(mode); }));
  }

  RpcService::Executors executors() {
    return {[this](RpcService::Task task) { asio::post(io_, std::move(task)); },
            [this](RpcService::Task task) { asio::post(pool_, std::move(task)); },
            [this](RpcService::Task task) { asio::post(write_pool_, std::move(task)); },
            [this](RpcService::Task task) { asio::post(slow_pool_, std::move(task)); },
            [this](RpcService::Task task) { asio::post(guest_pool_, std::move(task)); },
            [this](RpcService::Task task) { asio::post(program_pool_, std::move(task)); }};
  }

  Observation::Parts observed() {
    return {parts_.base,
            health_,
            parts_.settings,
            parts_.clock,
            parts_.version,
            [this](RpcService::Task task) { asio::post(pool_, std::move(task)); },
            [this](RpcService::Task task) { asio::post(io_, std::move(task)); }};
  }

  mcp::McpOptions mcp_options() {
    mcp::McpOptions options;
    options.version = parts_.version;
    options.latest = [this](const JobId& id) { return scheduler_.latest(id); };
    options.after = [this](std::chrono::milliseconds time, RpcService::Task task) {
      after(time, std::move(task));
    };
    return options;
  }

  void after(std::chrono::milliseconds time, RpcService::Task task) {
    auto timer = std::make_shared<asio::steady_timer>(io_, time);
    timer->async_wait([timer, task = std::move(task)](const boost::system::error_code& error) {
      if (!error) task();
    });
  }

  /// HTTP, which most daemons do without (docs/mcp.md).
  Result<void> open_web() {
    const auto& daemon = parts_.settings.daemon;
    if (parts_.settings.http.listen.empty()) {
      // A daemon that was killed left its address: clients must not send a token there.
      std::error_code ignored;
      std::filesystem::remove(daemon.state_directory / protocol::kHttpUrlFile, ignored);
      return {};
    }
    return open_web(parts_.settings.http.listen, true);
  }

  Result<void> open_web(const std::string& listen, bool serve_mcp) {
    const auto& daemon = parts_.settings.daemon;
    http::HttpDoorParts parts{io_, mcp_, rpc_, dispatcher_};
    parts.defer = [this](RpcService::Task task) { asio::post(io_, std::move(task)); };
    parts.after = [this](std::chrono::milliseconds time, RpcService::Task task) {
      after(time, std::move(task));
    };
    parts.listen = listen;
    parts.serve_mcp = serve_mcp;
    parts.directory = daemon.state_directory;
    parts.connections = static_cast<std::size_t>(daemon.connections);
    parts.body_bytes = static_cast<std::size_t>(daemon.request_mib) * 1024 * 1024;
    parts.watch = [this](const std::string& path, int status, auto took) {
      const std::chrono::duration<double> seconds = took;
      observation_->metrics().web_request_answered(path, status, seconds.count());
    };
    WARPMIND_TRY(web_, http::HttpDoor::open(std::move(parts)));
    observation_->serve(web_->router(), scheduler_, [this] {
      return Observation::Counts{static_cast<std::int64_t>(listener_.count()),
                                 static_cast<std::int64_t>(web_->count()), stopping_};
    });
    transports_.set_web(web_->connections());
    return {};
  }

  /// Where HTTP is off, a port for the page alone: who may connect here may have it.
  Result<protocol::DashboardOpenResult> open_dashboard() {
    if (stopping_) return fail(Errc::unavailable, "the daemon is shutting down");
    if (!web_) {
      WARPMIND_CHECK(open_web(kAnyPort, false));
      const auto started = web_->start();
      if (!started) return fail(started.error());
    }
    WARPMIND_TRY(auto url, web_->page_url());
    return protocol::DashboardOpenResult{std::move(url), http::kCodeLife.count()};
  }

  [[nodiscard]] std::size_t clients() const {
    return listener_.count() + (web_ ? web_->count() : 0);
  }

  void join_pools() {
    for (auto* pool : {&pool_, &write_pool_, &slow_pool_, &guest_pool_, &program_pool_})
      pool->join();
  }

  void publish(const JobEvent& event) {
    observation_->on_event(event);
    asio::post(io_, [this, event] {
      subscriptions_.publish(event);
      mcp_.on_event(event);
      if (web_) web_->on_event(event);
    });
  }

  /// Pages are told that their lists are stale: of a burst of changes once. From any thread.
  void lists_changed() {
    if (change_noted_.exchange(true)) return;
    asio::post(io_, [this] {
      after(kChangesTogether, [this] {
        change_noted_ = false;
        if (web_) web_->on_change();
      });
    });
  }

  void await_signal() {
    signals_.async_wait([this](const boost::system::error_code& error, int signal) {
      if (error) return;
      log::info("daemon", "signal", {{"number", signal}});
      begin_shutdown(ShutdownMode::park);
      await_signal();
    });
  }

  /// Counts the seconds in which nobody is connected and nothing is to be done.
  void await_idle() {
    idle_timer_.expires_after(kIdleCheck);
    idle_timer_.async_wait([this](const boost::system::error_code& error) {
      if (error || stopping_) return;
      const auto queue = scheduler_.summary();
      const bool idle = clients() == 0 && queue.queued + queue.running == 0;
      idle_seconds_ = idle ? idle_seconds_ + kIdleCheck.count() : 0;
      if (idle_seconds_ < parts_.settings.daemon.idle_exit_s) return await_idle();
      log::info("daemon", "leaving: nobody asks and nothing is to be done");
      begin_shutdown(ShutdownMode::park);
    });
  }

  /// Closes external episodes that nobody came back for.
  void await_leases() {
    lease_timer_.expires_after(kLeaseCheck);
    lease_timer_.async_wait([this](const boost::system::error_code& error) {
      if (error || stopping_) return;
      asio::post(guest_pool_, [this] {
        parts_.guests->expire();
        asio::post(io_, [this] {
          if (!stopping_) await_leases();
        });
      });
    });
  }

  /// Looks now and then for jobs that nobody asked for and that may be worth it.
  void await_proposals(std::chrono::seconds time) {
    if (stopping_ || parts_.settings.queue.retune == "off") return;
    proposal_timer_.expires_after(time);
    proposal_timer_.async_wait([this](const boost::system::error_code& error) {
      if (error || stopping_) return;
      asio::post(guest_pool_, [this] {
        if (const auto made = proposals_.look(); !made) {
          log::warn("daemon", "no jobs were proposed", {{"why", made.error().message}});
        }
        asio::post(io_, [this] { await_proposals(kProposalCheck); });
      });
    });
  }

  void begin_shutdown(ShutdownMode mode) {
    const bool first = !std::exchange(stopping_, true);
    const auto how = mode == ShutdownMode::park ? Scheduler::Stop::park : Scheduler::Stop::finish;
    if (mode == ShutdownMode::park) stop_deadline_.start();
    if (!first) return scheduler_.stop(how, {});
    log::info("daemon", "shutting down", {{"mode", name_of(mode)}});
    notify_service_manager("STOPPING=1");
    listener_.stop_accepting();
    if (web_) web_->stop_accepting();
    idle_timer_.cancel();
    lease_timer_.cancel();
    proposal_timer_.cancel();
    if (parts_.guests != nullptr) parts_.guests->stop();
    // A check or an import of a large base may take minutes, in which no other daemon can start.
    rpc_.stop_slow();
    scheduler_.stop(how, [this] { asio::post(io_, [this] { on_lane_idle(); }); });
  }

  void on_lane_idle() {
    stop_deadline_.start();
    rpc_.when_quiet([this] {
      if (!web_) return drain_sockets();
      web_->drain([this] { drain_sockets(); });
    });
  }

  void drain_sockets() {
    listener_.drain([this] {
      signals_.cancel();
      io_.stop();
    });
  }

  StopDeadline stop_deadline_;  // first: the end of all others is bounded as well
  ServerParts parts_;
  protocol::Greeting greeting_;
  HealthBoard health_;
  std::unique_ptr<Observation> observation_;  // there from prepare() on; no job runs before
  asio::io_context io_;
  asio::thread_pool pool_;
  asio::thread_pool write_pool_;
  asio::thread_pool slow_pool_;
  asio::thread_pool guest_pool_;
  asio::thread_pool program_pool_;
  std::atomic<bool> change_noted_ = false;  // and pages are told soon
  QueueWorth worth_;
  Scheduler scheduler_;
  QueueProposals proposals_;
  UnixListener listener_;
  http::ConnectionFork transports_;
  lsp::LspDoor editors_;
  Subscriptions subscriptions_;
  Dispatcher dispatcher_;
  RpcService rpc_;
  mcp::McpService mcp_;
  std::unique_ptr<http::HttpDoor> web_;  // null = off
  asio::signal_set signals_;
  asio::steady_timer idle_timer_;
  asio::steady_timer lease_timer_;
  asio::steady_timer proposal_timer_;
  bool stopping_ = false;
  std::int64_t idle_seconds_ = 0;
};

Server::Server(std::unique_ptr<State> state) : state_(std::move(state)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::create(ServerParts parts, ListeningSocket socket) {
  WARPMIND_TRY(const PeerCheck peers, PeerCheck::create());
  auto state = std::make_unique<State>(std::move(parts), std::move(socket), peers);
  WARPMIND_CHECK(state->prepare());
  return std::unique_ptr<Server>(new Server(std::move(state)));
}

void Server::serve() { state_->serve(); }

}  // namespace warpmind::daemon
