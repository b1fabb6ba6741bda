#include "daemon/hosts/worker_program.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "daemon/hosts/buses.h"
#include "daemon/hosts/evaluation_server.h"
#include "daemon/hosts/hosts.h"
#include "daemon/hosts/worker_labs.h"
#include "daemon/process_setup.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>

namespace warpmind::daemon::hosts {
namespace {

/// For the handler, which may do no more than write to it.
std::atomic<int> g_wake{-1};  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

extern "C" void on_signal(int /*signal*/) {
  const std::uint64_t one = 1;
  const int saved = errno;
  static_cast<void>(::write(g_wake.load(), &one, sizeof(one)) == 0);
  errno = saved;
}

Result<UniqueFd> listen_for_signals() {
  UniqueFd wake(::eventfd(0, EFD_CLOEXEC));
  if (!wake) return fail(Errc::external_failure, "no eventfd for signals");
  g_wake = wake.get();
  struct sigaction action {};
  action.sa_handler = on_signal;
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    if (::sigaction(signal, &action, nullptr) != 0) {
      return fail(Errc::external_failure, "signals cannot be listened for");
    }
  }
  return wake;
}

void wait_for_signal(const UniqueFd& wake) {
  std::uint64_t count = 0;
  while (::read(wake.get(), &count, sizeof(count)) < 0 && errno == EINTR) {
  }
}

std::string host_name() {
  constexpr std::size_t kLongest = 256;
  std::array<char, kLongest> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

/// Process ids come again, on one host too: the time of the start tells two apart.
std::string worker_name(const std::string& host) {
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  constexpr std::size_t kDigits = 6;
  return token_of(host) + "-" + std::to_string(::getpid()) + "-" +
         short_hash(std::to_string(now), kDigits);
}

}  // namespace

Result<void> run_worker(const config::Settings& settings, const std::string& version) {
  if (settings.queue.nats.empty()) {
    return fail(
        Errc::invalid_argument,
        "a worker needs the address of a NATS server: --nats nats://host:4222 (queue.nats)");
  }
  WARPMIND_CHECK(check_user(settings.daemon.allow_root));
  harden_process();
  WARPMIND_CHECK(log::open({{}, log::Level::info, true}));
  WARPMIND_TRY(const auto wake, listen_for_signals());
  const std::string host = host_name();
  const std::string name = worker_name(host);
  WARPMIND_TRY(const auto options, nats_options(settings, "warpmind worker " + name));
  WARPMIND_TRY(const auto buses, open_nats(options));
  WARPMIND_TRY(const auto labs, WorkerLabs::open(settings));

  EvaluationServerOptions serving;
  serving.device = labs->device();
  serving.lane = lane_of(labs->provider(), serving.device);
  serving.stamp = {name, host, version};
  serving.lease = options.lease;
  EvaluationServer server(
      *buses.evaluations, [&labs](const std::string& device) { return labs->lab_for(device); },
      serving);
  log::info("daemon", "serving evaluations",
            {{"server", options.url},
             {"provider", name_of(labs->provider())},
             {"device", serving.device.name},
             {"worker", name}});
  {
    const std::jthread work([&server](const std::stop_token& stop) { server.serve_orders(stop); });
    wait_for_signal(wake);
  }
  const auto counts = server.counts();
  log::info("daemon", "stopped",
            {{"judged", counts.judged},
             {"given_back", counts.given_back},
             {"known", counts.known},
             {"discarded", counts.discarded}});
  log::flush();
  return {};
}

}  // namespace warpmind::daemon::hosts
