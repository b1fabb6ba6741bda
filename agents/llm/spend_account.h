#pragma once
/// \file
/// The arithmetic of a ledger: what is spent, what is reserved, what room a limit leaves.

#include "agents/llm/spend_ledger.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace warpmind::agents::llm {

/// How a ledger speaks of itself.
struct LedgerNames {
  std::string_view period;  ///< "this episode", "today (UTC)"
  std::string_view tokens;  ///< the setting that raises the limit: "episode.tokens"
  std::string_view money;
};

/// Not thread-safe.
class SpendAccount {
 public:
  explicit SpendAccount(const SpendLimits& limits) : limits_(limits) {}

  /// Errors: as SpendLedger::reserve.
  [[nodiscard]] Result<Reservation> reserve(const SpendBound& bound, const LedgerNames& names);
  /// False when there is no such reservation (any more).
  bool end(Reservation reservation);
  void spend(std::int64_t tokens, std::int64_t micro_usd);
  /// Another beginning; reservations stay.
  void set_spent(std::int64_t tokens, std::int64_t micro_usd);

  [[nodiscard]] std::int64_t tokens_spent() const { return spent_.tokens; }
  [[nodiscard]] std::int64_t micro_usd_spent() const { return spent_.micro_usd; }
  [[nodiscard]] SpendLimits reserved() const;

 private:
  SpendLimits limits_;
  SpendLimits spent_;
  std::map<std::uint64_t, SpendBound> held_;
  std::uint64_t next_ = 1;
};

}  // namespace warpmind::agents::llm
