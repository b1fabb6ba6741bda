#pragma once
/// \file
/// What language models took, by day. A limit for a day holds across restarts because of it.

#include "base/model/token_counts.h"
#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace warpmind::knowledge_base {

class OpenBase;

/// Tokens and money.
struct DaySpending : TokenCounts {
  std::int64_t requests = 0;
  std::int64_t micro_usd = 0;
  std::int64_t unpriced_requests = 0;   ///< of a model without a price: in the tokens alone
  std::int64_t estimated_requests = 0;  ///< whose server reported no tokens
  bool operator==(const DaySpending&) const = default;
};

/// Threads: any.
class DayStore {
 public:
  virtual ~DayStore() = default;
  /// `day` counts from 1970-01-01, UTC. A day without a record is empty.
  [[nodiscard]] virtual Result<DaySpending> read(std::int64_t day) const = 0;
  /// Durable when it returns. Errors: unavailable when the base is read-only or the disk is full.
  [[nodiscard]] virtual Result<void> add(std::int64_t day, const DaySpending& more) = 0;
};

/// Family `budgets`: one record a day. Each add() is one change of the log; `base` must outlive it.
class Spending final : public DayStore {
 public:
  explicit Spending(OpenBase& base) : base_(base) {}
  [[nodiscard]] Result<DaySpending> read(std::int64_t day) const override;
  [[nodiscard]] Result<void> add(std::int64_t day, const DaySpending& more) override;

 private:
  OpenBase& base_;
};

[[nodiscard]] Result<std::string> encode_spending(const DaySpending& spending);
/// Errors: corrupt_data, also for amounts below zero.
[[nodiscard]] Result<DaySpending> decode_spending(std::string_view bytes);

}  // namespace warpmind::knowledge_base
