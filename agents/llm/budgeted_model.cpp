#include "agents/llm/budgeted_model.h"

#include "agents/llm/token_estimate.h"
#include "base/log.h"

#include <algorithm>
#include <utility>

namespace warpmind::agents::llm {
namespace {

/// The reservations of one request: none or one in each ledger. What is still held when the request
/// ends took nothing and is released.
class LedgerMeter final : public CallMeter {
 public:
  LedgerMeter(const std::vector<SpendLedger*>& ledgers, const SpendBound& bound)
      : ledgers_(ledgers), bound_(bound) {}
  ~LedgerMeter() override { release_all(); }
  LedgerMeter(const LedgerMeter&) = delete;
  LedgerMeter& operator=(const LedgerMeter&) = delete;

  Result<void> begin_attempt() override {
    if (!held_.empty()) return {};
    for (SpendLedger* ledger : ledgers_) {
      auto made = ledger->reserve(bound_);
      if (!made) {
        release_all();
        return fail(std::move(made).error());
      }
      held_.emplace_back(ledger, *made);
    }
    return {};
  }

  void lost(const Usage& usage) override {
    settle(usage);
    add_usage(lost_, usage);
  }

  void settle(const Usage& usage) {
    for (const auto& [ledger, reservation] : std::exchange(held_, {})) {
      const auto settled = ledger->settle(reservation, usage);
      if (settled) continue;
      // The answer is there and counted; the ledger refuses the next request until it is written.
      log::warn("agents", "spending is not durable yet", {{"why", settled.error().message}});
    }
  }

  [[nodiscard]] const Usage& lost_before() const { return lost_; }

 private:
  void release_all() {
    for (const auto& [ledger, reservation] : std::exchange(held_, {})) {
      ledger->release(reservation);
    }
  }

  const std::vector<SpendLedger*>& ledgers_;
  SpendBound bound_;
  std::vector<std::pair<SpendLedger*, Reservation>> held_;
  Usage lost_;
};

}  // namespace

SpendBound most_of(const ModelRequest& request, const std::optional<ModelPrice>& price) {
  const std::int64_t input = most_input_tokens(request);
  SpendBound bound;
  bound.tokens = input + request.max_output_tokens;
  if (!price) return bound;
  bound.priced = true;
  // Whichever way the input goes, none costs more than this.
  ModelPrice dearest = *price;
  dearest.input = std::max({price->input, price->cached, price->cache_write});
  Usage most;
  most.input_tokens = input;
  most.output_tokens = request.max_output_tokens;
  bound.micro_usd = cost_of(most, dearest);
  return bound;
}

BudgetedModel::BudgetedModel(std::shared_ptr<LanguageModel> inner,
                             std::vector<SpendLedger*> ledgers, std::optional<ModelPrice> price)
    : inner_(std::move(inner)),
      // Rules and recordings cost nothing when they fail, and so are no MeteredModel.
      metered_(dynamic_cast<MeteredModel*>(inner_.get())),
      ledgers_(std::move(ledgers)),
      price_(std::move(price)) {}

Result<ModelReply> BudgetedModel::complete(const ModelRequest& request, std::stop_token stop) {
  LedgerMeter meter(ledgers_, most_of(request, price_));
  if (metered_ == nullptr) WARPMIND_CHECK(meter.begin_attempt());
  auto reply = metered_ == nullptr ? inner_->complete(request, std::move(stop))
                                   : metered_->complete_metered(request, std::move(stop), meter);
  if (!reply) return reply;
  meter.settle(reply->usage);
  Usage whole = meter.lost_before();
  add_usage(whole, reply->usage);
  reply->usage = whole;
  return reply;
}

}  // namespace warpmind::agents::llm
