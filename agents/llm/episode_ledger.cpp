#include "agents/llm/episode_ledger.h"

#include "agents/llm/token_estimate.h"

namespace warpmind::agents::llm {

Result<Reservation> EpisodeLedger::reserve(const SpendBound& bound) {
  return account_.with([&](SpendAccount& account) {
    return account.reserve(bound, {"this episode", "episode.tokens", "episode.usd"});
  });
}

Result<void> EpisodeLedger::settle(Reservation reservation, const Usage& actual) {
  const bool was_held = account_.with([&](SpendAccount& account) {
    if (!account.end(reservation)) return false;
    account.spend(actual.tokens(), actual.micro_usd);
    return true;
  });
  if (was_held) spent_.with([&](Usage& spent) { add_usage(spent, actual); });
  return {};
}

void EpisodeLedger::release(Reservation reservation) {
  account_.with([&](SpendAccount& account) { (void)account.end(reservation); });
}

Usage EpisodeLedger::spent() const {
  return spent_.with([](const Usage& spent) { return spent; });
}

SpendLimits EpisodeLedger::reserved() const {
  return account_.with([](const SpendAccount& account) { return account.reserved(); });
}

}  // namespace warpmind::agents::llm
