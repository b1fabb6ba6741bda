#pragma once
/// \file
/// The limit of one episode (episode.tokens, episode.usd), in memory.

#include "agents/llm/spend_account.h"
#include "agents/llm/spend_ledger.h"
#include "base/guarded.h"

namespace warpmind::agents::llm {

class EpisodeLedger final : public SpendLedger {
 public:
  explicit EpisodeLedger(const SpendLimits& limits) : account_(SpendAccount(limits)) {}

  [[nodiscard]] Result<Reservation> reserve(const SpendBound& bound) override;
  [[nodiscard]] Result<void> settle(Reservation reservation, const Usage& actual) override;
  void release(Reservation reservation) override;

  /// What was settled so far.
  [[nodiscard]] Usage spent() const;
  /// What is reserved at the moment.
  [[nodiscard]] SpendLimits reserved() const;

 private:
  Guarded<SpendAccount> account_;
  Guarded<Usage> spent_;
};

}  // namespace warpmind::agents::llm
