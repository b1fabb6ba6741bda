#pragma once
/// \file
/// A limit on tokens and money, kept by reserving before spending.

#include "agents/llm/language_model.h"

#include <cstdint>

namespace warpmind::agents::llm {

/// Limits; 0 = none.
struct SpendLimits {
  std::int64_t tokens = 0;
  std::int64_t micro_usd = 0;
  bool operator==(const SpendLimits&) const = default;
};

/// The most that one attempt can take.
struct SpendBound {
  std::int64_t tokens = 0;
  std::int64_t micro_usd = 0;
  bool priced = false;  ///< false: what it costs is not known
};

struct Reservation {
  std::uint64_t number = 0;
};

/// Threads: any. Every reservation is ended by exactly one of settle() and release().
class SpendLedger {
 public:
  virtual ~SpendLedger() = default;
  /// Errors: unavailable, naming the limit and how to raise it, when what is spent and reserved
  /// leaves no room; invalid_argument when a limit of money meets a model without a price.
  [[nodiscard]] virtual Result<Reservation> reserve(const SpendBound& bound) = 0;
  /// Replaces the reservation by what was really taken. It counts whatever happens: errors say only
  /// that it could not be made durable yet.
  [[nodiscard]] virtual Result<void> settle(Reservation reservation, const Usage& actual) = 0;
  /// Nothing was taken.
  virtual void release(Reservation reservation) = 0;
};

}  // namespace warpmind::agents::llm
