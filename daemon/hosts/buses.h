#pragma once
/// \file
/// The two buses on a NATS server. Everything of libnats stays behind it.

#include "base/result.h"
#include "daemon/hosts/claim_bus.h"
#include "daemon/hosts/evaluation_bus.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

namespace warpmind::daemon::hosts {

struct NatsOptions {
  std::string url;                ///< "nats://host:4222", "tls://host:4222"; no secrets
  std::string token;              ///< empty = none
  std::filesystem::path ca_file;  ///< PEM; empty = the system's authorities
  std::string name = "warpmind";  ///< of the connection, for the server's monitoring
  std::chrono::milliseconds lease{30'000};
};

struct Buses {
  std::shared_ptr<EvaluationBus> evaluations;
  std::shared_ptr<ClaimBus> claims;
};

/// Connects when it is first used, and again whenever the server comes back.
/// Errors: invalid_argument for an address that holds a secret or is none; unavailable in a build
/// without libnats, with the way out.
[[nodiscard]] Result<Buses> open_nats(const NatsOptions& options);

/// For `doctor`: whether the server answers and has JetStream. Errors: as above; unavailable.
[[nodiscard]] Result<std::string> describe_nats(const NatsOptions& options);

/// Errors: invalid_argument with the sentence.
[[nodiscard]] Result<void> check_nats_url(const std::string& url);

}  // namespace warpmind::daemon::hosts
