#include "agents/llm/spend_account.h"

#include "base/text.h"

namespace warpmind::agents::llm {
namespace {

std::string usd(std::int64_t micro_usd) {
  return fixed(static_cast<double>(micro_usd) / 1e6, 4) + " USD";
}

Error exceeded(const LedgerNames& names, std::string_view setting, const std::string& limit,
               const std::string& spent, const std::string& wanted) {
  return {Errc::unavailable, "the limit of " + limit + " for " + std::string(names.period) +
                                 " would be exceeded: " + spent +
                                 " are spent or reserved, the next request may take " + wanted +
                                 "; raise " + std::string(setting) + " to go on"};
}

}  // namespace

SpendLimits SpendAccount::reserved() const {
  SpendLimits sum;
  for (const auto& [number, bound] : held_) {
    sum.tokens += bound.tokens;
    sum.micro_usd += bound.micro_usd;
  }
  return sum;
}

Result<Reservation> SpendAccount::reserve(const SpendBound& bound, const LedgerNames& names) {
  const SpendLimits held = reserved();
  const std::int64_t tokens = spent_.tokens + held.tokens;
  if (limits_.tokens > 0 && tokens + bound.tokens > limits_.tokens) {
    return fail(exceeded(names, names.tokens, std::to_string(limits_.tokens) + " tokens",
                         std::to_string(tokens), std::to_string(bound.tokens)));
  }
  if (limits_.micro_usd > 0 && !bound.priced) {
    return fail(Errc::invalid_argument,
                std::string(names.money) +
                    " cannot be kept, for the model has no price: add it to the file of "
                    "llm.price_file, or set " +
                    std::string(names.money) + " to 0");
  }
  const std::int64_t money = spent_.micro_usd + held.micro_usd;
  if (limits_.micro_usd > 0 && money + bound.micro_usd > limits_.micro_usd) {
    return fail(
        exceeded(names, names.money, usd(limits_.micro_usd), usd(money), usd(bound.micro_usd)));
  }
  const Reservation made{next_++};
  held_.emplace(made.number, bound);
  return made;
}

bool SpendAccount::end(Reservation reservation) { return held_.erase(reservation.number) > 0; }

void SpendAccount::spend(std::int64_t tokens, std::int64_t micro_usd) {
  spent_.tokens += tokens;
  spent_.micro_usd += micro_usd;
}

void SpendAccount::set_spent(std::int64_t tokens, std::int64_t micro_usd) {
  spent_ = {tokens, micro_usd};
}

}  // namespace warpmind::agents::llm
