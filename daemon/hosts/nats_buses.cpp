#include "daemon/hosts/nats_claim_bus.h"
#include "daemon/hosts/nats_evaluation_bus.h"

#include <array>
#include <memory>

namespace warpmind::daemon::hosts {

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

}  // namespace warpmind::daemon::hosts
