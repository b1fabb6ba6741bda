#include "daemon/hosts/buses.h"

#ifdef WARPMIND_HAS_NATS
#include "daemon/hosts/nats_claim_bus.h"
#include "daemon/hosts/nats_evaluation_bus.h"
#endif

#include <array>
#include <memory>

namespace warpmind::daemon::hosts {

Result<void> check_nats_url(const std::string& url) {
  const bool known = url.starts_with("nats://") || url.starts_with("tls://");
  const auto host = known ? url.substr(url.find("//") + 2) : std::string();
  if (host.find('@') != std::string::npos) {
    return fail(Errc::invalid_argument,
                "queue.nats must not hold a secret, for others can read it: put the token into a "
                "file of mode 0600 and name it in queue.nats_token_file");
  }
  if (host.empty() || host.find_first_of(" ,/") != std::string::npos) {
    return fail(Errc::invalid_argument,
                "queue.nats must be an address like nats://127.0.0.1:4222 or tls://host:4222");
  }
  return {};
}

#ifdef WARPMIND_HAS_NATS

Result<Buses> open_nats(const NatsOptions& options) {
  WARPMIND_CHECK(check_nats_url(options.url));
  auto link = std::make_shared<NatsLink>(options);
  return Buses{std::make_shared<NatsEvaluationBus>(link), std::make_shared<NatsClaimBus>(link)};
}

Result<std::string> describe_nats(const NatsOptions& options) {
  WARPMIND_CHECK(check_nats_url(options.url));
  NatsLink link(options);
  WARPMIND_TRY(const auto session, link.session());
  constexpr std::size_t kUrlBytes = 256;
  std::array<char, kUrlBytes> url{};
  const auto status = natsConnection_GetConnectedUrl(session->connection, url.data(), url.size());
  return "JetStream answers at " + (status == NATS_OK ? std::string(url.data()) : options.url);
}

#else

namespace {

tl::unexpected<Error> absent() {
  return fail(
      Errc::unavailable,
      "this build has no NATS client: apt-get install libnats-dev, then configure and build "
      "again");
}

}  // namespace

Result<Buses> open_nats(const NatsOptions& options) {
  WARPMIND_CHECK(check_nats_url(options.url));
  return absent();
}

Result<std::string> describe_nats(const NatsOptions& options) {
  WARPMIND_CHECK(check_nats_url(options.url));
  return absent();
}

#endif

}  // namespace warpmind::daemon::hosts
