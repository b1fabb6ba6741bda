#pragma once
/// \file
/// Orders on a work-queue stream, results on a stream with one message an order, presence in a
/// bucket that forgets. Subjects: docs/hosts.md.

#include "daemon/hosts/evaluation_bus.h"
#include "daemon/hosts/nats_link.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace warpmind::daemon::hosts {

class NatsEvaluationBus final : public EvaluationBus {
 public:
  explicit NatsEvaluationBus(std::shared_ptr<NatsLink> link) : link_(std::move(link)) {}

  [[nodiscard]] std::size_t most_bytes() const override;
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

 private:
  Result<UniqueSubscription> subscribe(const LaneName& lane);
  Result<void> require_queue(const LaneName& lane);
  Result<UniqueSubscription> free_subscription(const LaneName& lane);

  std::shared_ptr<NatsLink> link_;
  std::mutex mutex_;
  std::multimap<LaneName, UniqueSubscription> idle_;  ///< one serves one caller at a time
};

}  // namespace warpmind::daemon::hosts
