#pragma once
/// \file
/// How evaluations travel between hosts: a queue of orders by lane, results by order, and who is
/// there to work. It carries bytes and knows nothing of kernels.

#include "base/result.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::daemon::hosts {

/// Which workers can serve an order: those of one device model and one harness.
struct LaneName {
  std::string architecture;  ///< "sm_90", "sim", "fixture"
  std::string model;         ///< of the device, as a token: "nvidia-h200", "h200"
  std::string harness;       ///< of the lab: verdicts of two versions are not mixed
  auto operator<=>(const LaneName&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// Letters, digits, '-' and '_' of `text`, in lower case; others become '-'. For names of subjects.
[[nodiscard]] std::string token_of(std::string_view text);
/// 64 hex digits.
[[nodiscard]] bool is_order_id(std::string_view text);

/// An order in the hands of a worker. Until it is settled it is the worker's for the lease time
/// after the last sign of life; then somebody else gets it.
class Delivery {
 public:
  virtual ~Delivery() = default;
  [[nodiscard]] virtual const std::string& order_id() const = 0;
  [[nodiscard]] virtual const std::string& body() const = 0;
  /// A sign of life. May be called from another thread than the rest.
  [[nodiscard]] virtual Result<void> in_progress() = 0;
  /// Settled: nobody gets it again.
  [[nodiscard]] virtual Result<void> done() = 0;
  /// Somebody gets it again, after `delay` at the earliest.
  [[nodiscard]] virtual Result<void> later(std::chrono::milliseconds delay) = 0;
  /// Settled although it was not served: what it says cannot be understood.
  [[nodiscard]] virtual Result<void> discard() = 0;
};

/// Every function may be repeated after an error without harm. Errors of all: unavailable when the
/// other side cannot be reached; they say nothing about whether the call had its effect.
/// Threads: any.
class EvaluationBus {
 public:
  virtual ~EvaluationBus() = default;

  /// Longest body; what is longer goes as a blob.
  [[nodiscard]] virtual std::size_t most_bytes() const = 0;

  /// Queues an order unless it is queued or with a worker already.
  [[nodiscard]] virtual Result<void> post(const LaneName& lane, const std::string& id,
                                          const std::string& body) = 0;
  /// Whether it is queued or with a worker.
  [[nodiscard]] virtual Result<bool> is_pending(const LaneName& lane, const std::string& id) = 0;
  /// Takes it out of the queue: nobody waits for it any more.
  [[nodiscard]] virtual Result<void> withdraw(const LaneName& lane, const std::string& id) = 0;
  /// The next order of `lane` (any model where that is empty); nothing when none came in
  /// `patience`.
  [[nodiscard]] virtual Result<std::unique_ptr<Delivery>> take(
      const LaneName& lane, std::chrono::milliseconds patience) = 0;

  /// Of two results of one order the first stays. Returns whether this was it.
  [[nodiscard]] virtual Result<bool> put_result(const std::string& id, const std::string& body) = 0;
  [[nodiscard]] virtual Result<std::optional<std::string>> find_result(const std::string& id) = 0;

  /// Notes that `worker` begins with an order. An order whose workers die under it is found out so.
  [[nodiscard]] virtual Result<void> note_start(const std::string& id,
                                                const std::string& worker) = 0;
  /// The worker gave it back alive.
  [[nodiscard]] virtual Result<void> forget_start(const std::string& id,
                                                  const std::string& worker) = 0;
  /// Who began with it and never came to an end, oldest first.
  [[nodiscard]] virtual Result<std::vector<std::string>> starts(const std::string& id) = 0;

  /// Says that a worker is there. Forgotten when it is not repeated within the lease time.
  [[nodiscard]] virtual Result<void> announce(const std::string& worker,
                                              const std::string& body) = 0;
  [[nodiscard]] virtual Result<void> leave(const std::string& worker) = 0;
  /// What the workers that are there announced.
  [[nodiscard]] virtual Result<std::vector<std::string>> workers() = 0;

  /// By content: returns its SHA-256 in hex. Kept for months, but not for ever.
  [[nodiscard]] virtual Result<std::string> put_blob(const std::string& bytes) = 0;
  /// Errors: also not_found; corrupt_data when the bytes do not have that name.
  [[nodiscard]] virtual Result<std::string> get_blob(const std::string& name) = 0;
};

}  // namespace warpmind::daemon::hosts
