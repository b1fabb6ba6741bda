#include "agents/llm/day_ledger.h"

#include "agents/llm/token_estimate.h"

namespace warpmind::agents::llm {
namespace {

using knowledge_base::DaySpending;

std::int64_t day_at(UnixMillis at) {
  constexpr std::int64_t kDayMs = 24LL * 3600 * 1000;
  return at.value / kDayMs;
}

DaySpending spending_of(const Usage& usage) {
  return {static_cast<const TokenCounts&>(usage), 1, usage.micro_usd, usage.priced ? 0 : 1,
          usage.reported ? 0 : 1};
}

void add_spending(DaySpending& into, const DaySpending& more) {
  into.add(more);
  into.requests += more.requests;
  into.micro_usd += more.micro_usd;
  into.unpriced_requests += more.unpriced_requests;
  into.estimated_requests += more.estimated_requests;
}

}  // namespace

Result<void> DayLedger::turn_to_today() {
  const std::int64_t day = day_at(clock_.wall());
  if (day == today_) return {};
  WARPMIND_TRY(auto spent, store_.read(day));
  if (const auto owed = owed_.find(day); owed != owed_.end()) add_spending(spent, owed->second);
  account_.set_spent(spent.tokens(), spent.micro_usd);
  // Reservations of another day take no room of this one.
  for (const auto& [number, reserved_on] : day_of_) {
    if (reserved_on != day) (void)account_.end({number});
  }
  today_ = day;
  return {};
}

Result<void> DayLedger::record_owed() {
  while (!owed_.empty()) {
    const auto first = owed_.begin();
    auto added = store_.add(first->first, first->second);
    if (!added) {
      return fail(
          std::move(added).error().while_doing("what the language model took cannot be recorded"));
    }
    owed_.erase(first);
  }
  return {};
}

Result<Reservation> DayLedger::reserve(const SpendBound& bound) {
  const std::lock_guard held(mutex_);
  WARPMIND_CHECK(turn_to_today());
  // Nothing more is spent while it could be forgotten.
  WARPMIND_CHECK(record_owed());
  WARPMIND_TRY(const auto made,
               account_.reserve(bound, {"today (UTC)", "llm.tokens_per_day", "llm.usd_per_day"}));
  day_of_[made.number] = today_;
  return made;
}

Result<void> DayLedger::settle(Reservation reservation, const Usage& actual) {
  const std::lock_guard held(mutex_);
  const auto found = day_of_.find(reservation.number);
  if (found == day_of_.end()) return {};
  const std::int64_t day = found->second;
  day_of_.erase(found);
  (void)account_.end(reservation);
  if (day == today_) account_.spend(actual.tokens(), actual.micro_usd);
  add_spending(owed_[day], spending_of(actual));
  return record_owed();
}

void DayLedger::release(Reservation reservation) {
  const std::lock_guard held(mutex_);
  if (day_of_.erase(reservation.number) > 0) (void)account_.end(reservation);
}

Result<SpendLimits> DayLedger::spent() {
  const std::lock_guard held(mutex_);
  WARPMIND_CHECK(turn_to_today());
  return SpendLimits{account_.tokens_spent(), account_.micro_usd_spent()};
}

}  // namespace warpmind::agents::llm
