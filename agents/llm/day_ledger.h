#pragma once
/// \file
/// The limit of one day (llm.tokens_per_day, llm.usd_per_day), across restarts and episodes.

#include "agents/llm/spend_account.h"
#include "agents/llm/spend_ledger.h"
#include "base/clock.h"
#include "knowledge_base/spending.h"

#include <cstdint>
#include <map>
#include <mutex>

namespace warpmind::agents::llm {

/// What is spent is durable, what is reserved is not: a crash forgets reservations, and with them
/// what their requests took.
/// A request counts for the day (UTC) in which it was reserved.
class DayLedger final : public SpendLedger {
 public:
  /// `store` and `clock` must outlive it; nobody else writes to `store`.
  DayLedger(knowledge_base::DayStore& store, const Clock& clock, const SpendLimits& limits)
      : store_(store), clock_(clock), account_(limits) {}

  /// Errors: those of SpendLedger; unavailable when what was spent cannot be recorded.
  [[nodiscard]] Result<Reservation> reserve(const SpendBound& bound) override;
  [[nodiscard]] Result<void> settle(Reservation reservation, const Usage& actual) override;
  void release(Reservation reservation) override;

  /// Of the current day, so far. Errors: those of the store.
  [[nodiscard]] Result<SpendLimits> spent();

 private:
  Result<void> turn_to_today();
  Result<void> record_owed();

  knowledge_base::DayStore& store_;
  const Clock& clock_;
  std::mutex mutex_;  ///< of all below; held while the store writes, which takes milliseconds
  SpendAccount account_;
  std::int64_t today_ = -1;
  std::map<std::uint64_t, std::int64_t> day_of_;              ///< by reservation
  std::map<std::int64_t, knowledge_base::DaySpending> owed_;  ///< spent, not yet durable, by day
};

}  // namespace warpmind::agents::llm
