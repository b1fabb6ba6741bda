#pragma once
/// \file
/// A model that asks ledgers before it spends.

#include "agents/llm/language_model.h"
#include "agents/llm/metered_model.h"
#include "agents/llm/price_table.h"
#include "agents/llm/spend_ledger.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace warpmind::agents::llm {

/// Does:      reserves an upper bound in every ledger before an attempt, settles what it took.
///            A retry of an attempt that took nothing keeps its reservation; one of an attempt that
///            may be billed settles that and reserves anew.
/// Threads:   as the model inside.
class BudgetedModel final : public LanguageModel {
 public:
  /// `price` is that of the model inside, nullopt when it has none. The ledgers are asked in their
  /// order and must outlive it.
  BudgetedModel(std::shared_ptr<LanguageModel> inner, std::vector<SpendLedger*> ledgers,
                std::optional<ModelPrice> price);

  [[nodiscard]] std::string name() const override { return inner_->name(); }
  /// Errors: those of the model inside and of the ledgers. The usage of the reply includes attempts
  /// that broke off.
  [[nodiscard]] Result<ModelReply> complete(const ModelRequest& request,
                                            std::stop_token stop) override;

 private:
  std::shared_ptr<LanguageModel> inner_;
  MeteredModel* metered_;  ///< `inner_`, when it tells what its attempts cost; else null
  std::vector<SpendLedger*> ledgers_;
  std::optional<ModelPrice> price_;
};

/// The most that one attempt of `request` can take.
[[nodiscard]] SpendBound most_of(const ModelRequest& request,
                                 const std::optional<ModelPrice>& price);

}  // namespace warpmind::agents::llm
