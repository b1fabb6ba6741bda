#pragma once
/// \file
/// What language models were paid, and what was set as a limit.

#include "base/model/job.h"

#include <string>

namespace warpmind::clients {

/// "3 calls: 1 200 input tokens (300 more from the cache), 800 output (500 of reasoning),
/// 0.0012 USD, waited 3.2 s"; empty when no model was asked.
[[nodiscard]] std::string spending_text(const ModelSpending& spending);

/// "24 candidates, 10 min 0 s, 50 000 tokens"; limits that are not set are left out.
[[nodiscard]] std::string budget_text(const Budget& budget);

/// "policy mcgs, proposer llm, seed 7"; what is not recorded is left out.
[[nodiscard]] std::string search_text(const Episode& episode);

}  // namespace warpmind::clients
