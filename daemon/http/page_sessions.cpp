#include "daemon/http/page_sessions.h"

#include "daemon/http/access_token.h"
#include "daemon/http/connection_fork.h"

#include <algorithm>

namespace warpmind::daemon::http {
namespace {

constexpr std::size_t kSecretBytes = 32;
constexpr std::size_t kMostCodes = 16;
constexpr std::size_t kMostSessions = 64;

}  // namespace

Result<std::string> PageSessions::make_code() {
  WARPMIND_TRY(auto text, random_hex(kSecretBytes));
  if (codes_.size() >= kMostCodes) codes_.erase(codes_.begin());
  codes_.push_back({text, now_()});
  return text;
}

Result<PageSessions::Opened> PageSessions::redeem(std::string_view code) {
  const Time now = now_();
  std::erase_if(codes_, [now](const Code& one) { return now - one.made > kCodeLife; });
  const auto found = std::find_if(codes_.begin(), codes_.end(),
                                  [code](const Code& one) { return same_secret(one.text, code); });
  if (found == codes_.end()) {
    return fail(Errc::not_found,
                "This address was used before, or is older than 60 s; `warpmind dashboard` makes "
                "a new one.");
  }
  codes_.erase(found);
  WARPMIND_TRY(auto token, random_hex(kSecretBytes));
  if (sessions_.size() >= kMostSessions) {
    return fail(Errc::unavailable, "Too many pages are open; close some with Leave.");
  }
  const ConnectionId connection = kFirstPageConnection + ++last_;
  sessions_.push_back({token, connection, now});
  return Opened{std::move(token), connection};
}

std::vector<PageSessions::Session>::iterator PageSessions::find(std::string_view token) {
  const Time now = now_();
  return std::find_if(sessions_.begin(), sessions_.end(), [&](const Session& session) {
    return same_secret(session.token, token) && now - session.used <= kSessionLife;
  });
}

std::optional<ConnectionId> PageSessions::use(std::string_view token) {
  const auto session = find(token);
  if (session == sessions_.end()) return std::nullopt;
  session->used = now_();
  return session->connection;
}

bool PageSessions::knows(std::string_view token) const {
  const Time now = now_();
  return std::any_of(sessions_.begin(), sessions_.end(), [&](const Session& session) {
    return same_secret(session.token, token) && now - session.used <= kSessionLife;
  });
}

std::optional<ConnectionId> PageSessions::end(std::string_view token) {
  const auto session = find(token);
  if (session == sessions_.end()) return std::nullopt;
  const ConnectionId connection = session->connection;
  sessions_.erase(session);
  return connection;
}

void PageSessions::keep(ConnectionId connection) {
  for (auto& session : sessions_) {
    if (session.connection == connection) session.used = now_();
  }
}

std::vector<ConnectionId> PageSessions::sweep() {
  const Time now = now_();
  std::vector<ConnectionId> ended;
  for (const auto& session : sessions_) {
    if (now - session.used > kSessionLife) ended.push_back(session.connection);
  }
  std::erase_if(sessions_,
                [now](const Session& session) { return now - session.used > kSessionLife; });
  return ended;
}

}  // namespace warpmind::daemon::http
