#pragma once
/// \file
/// Carries what this base says to the log between hosts, and what others say into this base. The
/// bases are the record: whatever the log lost is said again. docs/hosts.md.

#include "base/result.h"
#include "daemon/hosts/claim_bus.h"
#include "daemon/hosts/evaluation_bus.h"
#include "knowledge_base/packs/claim_log.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

namespace warpmind::daemon::hosts {

/// For `status` and tests.
struct CourierCounts {
  std::int64_t said = 0;       ///< entries appended
  std::int64_t heard = 0;      ///< entries taken in
  std::int64_t known = 0;      ///< entries that were heard before
  std::int64_t gaps = 0;       ///< times that a base was asked to say something again
  std::int64_t refused = 0;    ///< entries that are not what they say
  std::int64_t said_upto = 0;  ///< change of this base
};

/// Threads: one calls carry_claims() or turn(); counts() from any.
class ClaimCourier {
 public:
  /// The references must outlive it.
  ClaimCourier(knowledge_base::ClaimLog& log, ClaimBus& bus, EvaluationBus& blobs)
      : log_(log), bus_(bus), blobs_(blobs) {}

  /// Until `stop`; what fails is tried again.
  void carry_claims(const std::stop_token& stop);
  /// Says and hears everything that there is now. Errors: unavailable when the other side is out of
  /// reach; what the base refuses.
  [[nodiscard]] Result<void> turn(const std::stop_token& stop);

  [[nodiscard]] CourierCounts counts() const;

 private:
  /// Where the log between hosts stands with what this base says.
  struct Said {
    knowledge_base::ClaimLogState base;
    std::int64_t upto = 0;       ///< change of this base
    std::uint64_t position = 0;  ///< of the newest message of its subject
  };

  Result<Said> find_said();
  Result<void> say(const std::stop_token& stop);
  Result<void> say_from(Said& said, const std::stop_token& stop);
  Result<void> say_again(const std::stop_token& stop);
  Result<void> hear(const std::stop_token& stop);
  Result<void> hear(const LoggedMessage& message);
  Result<void> ask_for(const std::string& node, const knowledge_base::HeardMark& mark);
  void count(std::int64_t CourierCounts::*member, std::int64_t by = 1);

  knowledge_base::ClaimLog& log_;
  ClaimBus& bus_;
  EvaluationBus& blobs_;
  std::string log_name_;  ///< of the log that `read_upto_` is about
  std::uint64_t read_upto_ = 0;
  std::optional<Said> said_;  ///< nothing = to be found out
  bool era_begun_ = false;    ///< a second time would be a copy that speaks too
  std::map<std::string, knowledge_base::HeardMark> gaps_;  ///< by node: where something is missing
  std::map<std::string, std::int64_t> asked_;  ///< by node: mark that was asked about last
  mutable std::mutex mutex_;
  CourierCounts counts_;
};

}  // namespace warpmind::daemon::hosts
