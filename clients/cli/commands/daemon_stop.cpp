#include "base/codec/json_guard.h"
#include "clients/cli/commands/commands.h"
#include "clients/cli/interrupts.h"
#include "clients/spawn_plan.h"

#include <array>
#include <poll.h>

namespace warpmind::clients {
namespace {

/// A parked job ends its running compiler or kernel, which takes seconds.
constexpr Milliseconds kParkTimeout{60'000};

/// Closing the connection comes before the end of the process, which then still holds its lock.
/// Errors: timeout; cancelled.
Result<void> wait_for_exit(int pidfd, int interrupt, Milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (true) {
    const auto left =
        std::chrono::ceil<Milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    if (left <= 0) return fail(Errc::timeout, "the daemon hung up but its process does not end");
    std::array<pollfd, 2> watched{{{.fd = pidfd, .events = POLLIN, .revents = 0},
                                   {.fd = interrupt, .events = POLLIN, .revents = 0}}};
    if (::poll(watched.data(), watched.size(), static_cast<int>(left)) <= 0) continue;
    if (watched[0].revents != 0) return {};
    if (watched[1].revents != 0) return fail(Errc::cancelled, "interrupted");
  }
}

ExitCode stopped(Session& session, bool ran) {
  if (session.console.json) {
    write_document(session.console, codec::dump_json(nlohmann::json{{"stopped", ran}}));
  } else {
    session.console.out << (ran ? "the daemon has ended\n" : "no daemon runs\n") << std::flush;
  }
  return ExitCode::ok;
}

}  // namespace

ExitCode run_command(Session& session, const DaemonStopOptions& options) {
  using daemon::protocol::ShutdownMode;
  auto interrupts = Interrupts::install();
  if (!interrupts) return report_error(session.console, interrupts.error(), ExitCode::daemon);
  session.interrupt = interrupts->fd();
  session.globals.assignments.clear();  // they cannot matter to a daemon that ends
  auto client = connect_daemon(session, WhenAbsent::refuse);
  if (!client && client.error().code == Errc::not_found) return stopped(session, false);
  if (!client) return report_no_daemon(session, client.error());
  const auto process = open_pidfd(static_cast<pid_t>(client->greeting().pid));
  const UniqueFd pidfd(process ? *process : -1);
  const auto asked = client->shutdown(options.finish ? ShutdownMode::finish : ShutdownMode::park);
  if (!asked) return report_call_error(session, *client, asked.error());
  auto closed = client->wait_for_close(options.finish ? Milliseconds::max() : kParkTimeout);
  // Without a descriptor it has ended already, or is in another process namespace.
  if (closed && pidfd) closed = wait_for_exit(pidfd.get(), session.interrupt, kParkTimeout);
  if (closed) return stopped(session, true);
  if (closed.error().code == Errc::cancelled) {
    return report_error(session.console, {Errc::cancelled, "left; the daemon still ends by itself"},
                        ExitCode::cancelled);
  }
  return report_call_error(session, *client, closed.error());
}

}  // namespace warpmind::clients
