#pragma once
/// \file
/// What the commands share: a question to the daemon, files of the user, the style of reports.

#include "clients/cli/report/style.h"
#include "clients/cli/session.h"
#include "daemon/protocol/message_codec.h"

#include <string>
#include <string_view>
#include <type_traits>

namespace warpmind::clients {

/// The daemon may have another working folder. Empty stays empty.
[[nodiscard]] std::string absolute_path(const std::string& text);

/// A file of the user's, "-" = standard input. Errors: as read_file().
[[nodiscard]] Result<std::string> read_input(Console& console, const std::string& file,
                                             std::size_t limit_bytes);

/// Style of the reports on this console.
[[nodiscard]] Style style_of(const Console& console);

/// A person at a terminal is told what a long silence means.
void tell_of_long_waits(Session& session, DaemonClient& client);

/// Asks the daemon and shows its answer: the document, or `render(reply)`. `params` is JSON, as a
/// person may have written it. `judge(reply)` is the exit code.
template <class Reply, class Render, class Judge>
ExitCode ask_in_json(Session& session, std::string_view method, std::string_view params,
                     Milliseconds timeout, const Render& render, const Judge& judge) {
  auto client = connect_daemon(session, WhenAbsent::start);
  if (!client) return report_no_daemon(session, client.error());
  tell_of_long_waits(session, *client);
  const auto answer = client->call(method, params, timeout);
  if (!answer) return report_call_error(session, *client, answer.error());
  const auto reply = daemon::protocol::decode<Reply>(*answer);
  if (!reply) return report_call_error(session, *client, reply.error());
  if (session.console.json) {
    write_document(session.console, daemon::protocol::encode(*reply));
  } else {
    session.console.out << render(*reply) << std::flush;
  }
  return judge(*reply);
}

template <class Params, class Reply, class Render, class Judge>
ExitCode ask(Session& session, const daemon::protocol::Method<Params, Reply>& method,
             const std::type_identity_t<Params>& params, Milliseconds timeout, const Render& render,
             const Judge& judge) {
  return ask_in_json<Reply>(session, method.name, daemon::protocol::encode(params), timeout, render,
                            judge);
}

template <class Params, class Reply, class Render>
ExitCode ask(Session& session, const daemon::protocol::Method<Params, Reply>& method,
             const std::type_identity_t<Params>& params, const Render& render,
             Milliseconds timeout = kNoTimeout) {
  return ask(session, method, params, timeout, render,
             [](const Reply& /*reply*/) { return ExitCode::ok; });
}

}  // namespace warpmind::clients
