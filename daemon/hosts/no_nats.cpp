#include "daemon/hosts/buses.h"

namespace warpmind::daemon::hosts {
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

}  // namespace warpmind::daemon::hosts
