#pragma once
/// \file
/// The buses between hosts in memory, for tests without a server: same rules, and faults on demand.

#include "daemon/hosts/claim_bus.h"
#include "daemon/hosts/evaluation_bus.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace warpmind::fakes {

using daemon::hosts::Delivery;
using daemon::hosts::LaneName;
using daemon::hosts::LogExtent;
using daemon::hosts::LoggedMessage;

/// Threads: any.
class MemoryEvaluationBus final : public daemon::hosts::EvaluationBus {
 public:
  explicit MemoryEvaluationBus(std::chrono::milliseconds lease) : lease_(lease) {}

  [[nodiscard]] std::size_t most_bytes() const override { return most_bytes_; }
  [[nodiscard]] Result<void> post(const LaneName& lane, const std::string& id,
                                  const std::string& body) override;
  [[nodiscard]] Result<bool> is_pending(const LaneName& lane, const std::string& id) override;
  [[nodiscard]] Result<void> withdraw(const LaneName& lane, const std::string& id) override;
  [[nodiscard]] Result<std::unique_ptr<Delivery>> take(const LaneName& lane,
                                                       std::chrono::milliseconds patience) override;
  [[nodiscard]] Result<bool> put_result(const std::string& id, const std::string& body) override;
  [[nodiscard]] Result<std::optional<std::string>> find_result(const std::string& id) override;
  [[nodiscard]] Result<void> note_start(const std::string& id, const std::string& worker) override;
  [[nodiscard]] Result<void> forget_start(const std::string& id,
                                          const std::string& worker) override;
  [[nodiscard]] Result<std::vector<std::string>> starts(const std::string& id) override;
  [[nodiscard]] Result<void> announce(const std::string& worker, const std::string& body) override;
  [[nodiscard]] Result<void> leave(const std::string& worker) override;
  [[nodiscard]] Result<std::vector<std::string>> workers() override;
  [[nodiscard]] Result<std::string> put_blob(const std::string& bytes) override;
  [[nodiscard]] Result<std::string> get_blob(const std::string& name) override;

  /// While set, every call fails as if the link were cut.
  void cut(bool is_cut);
  /// A server whose disk was replaced.
  void wipe();
  void set_most_bytes(std::size_t bytes) { most_bytes_ = bytes; }

 private:
  friend class MemoryDelivery;
  struct Order {
    LaneName lane;
    std::string body;
    std::chrono::steady_clock::time_point free_at;  ///< when somebody may take it
    std::int64_t holder = 0;                        ///< number of the newest delivery
  };
  Result<void> reachable() const;
  std::unique_ptr<Delivery> free_order(const LaneName& lane);
  Result<void> with_order(const std::string& id, std::int64_t holder,
                          const std::function<void(std::map<std::string, Order>::iterator)>& then);

  const std::chrono::milliseconds lease_;
  std::size_t most_bytes_ = std::size_t{256} * 1024;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool cut_ = false;
  std::int64_t deliveries_ = 0;
  std::map<std::string, Order> orders_;
  std::map<std::string, std::string> results_;
  std::map<std::string, std::string> blobs_;
  std::map<std::string, std::vector<std::string>> starts_;
  std::map<std::string, std::pair<std::string, std::chrono::steady_clock::time_point>> workers_;
};

/// Threads: any.
class MemoryClaimBus final : public daemon::hosts::ClaimBus {
 public:
  [[nodiscard]] Result<std::uint64_t> append(const std::string& node, const std::string& body,
                                             std::uint64_t after) override;
  [[nodiscard]] Result<std::optional<LoggedMessage>> newest_of(const std::string& node) override;
  [[nodiscard]] Result<LogExtent> extent() override;
  [[nodiscard]] Result<std::optional<LoggedMessage>> read(std::uint64_t position) override;
  [[nodiscard]] Result<void> ask_again(const std::string& node, const std::string& asker,
                                       const std::string& body) override;
  [[nodiscard]] Result<std::map<std::string, std::string>> asked(const std::string& node) override;
  [[nodiscard]] Result<void> answered(const std::string& node, const std::string& asker) override;

  void cut(bool is_cut);
  void wipe();
  /// As a limit of age or size does.
  void forget_up_to(std::uint64_t position);
  /// Whatever a stranger writes.
  void inject(const std::string& node, const std::string& body);
  [[nodiscard]] std::uint64_t last() const;

 private:
  Result<void> reachable() const;

  mutable std::mutex mutex_;
  bool cut_ = false;
  int generation_ = 1;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, LoggedMessage> messages_;
  std::map<std::pair<std::string, std::string>, std::string> asked_;
};

}  // namespace warpmind::fakes
