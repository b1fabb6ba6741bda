#pragma once
/// \file
/// What bases say, on a stream from which nothing can be taken. Subjects: docs/hosts.md.

#include "daemon/hosts/claim_bus.h"
#include "daemon/hosts/nats_link.h"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace warpmind::daemon::hosts {

class NatsClaimBus final : public ClaimBus {
 public:
  explicit NatsClaimBus(std::shared_ptr<NatsLink> link) : link_(std::move(link)) {}

  [[nodiscard]] Result<std::uint64_t> append(const std::string& node, const std::string& body,
                                             std::uint64_t after) override;
  [[nodiscard]] Result<std::optional<LoggedMessage>> newest_of(const std::string& node) override;
  [[nodiscard]] Result<LogExtent> extent() override;
  [[nodiscard]] Result<std::optional<LoggedMessage>> read(std::uint64_t position) override;
  [[nodiscard]] Result<void> ask_again(const std::string& node, const std::string& asker,
                                       const std::string& body) override;
  [[nodiscard]] Result<std::map<std::string, std::string>> asked(const std::string& node) override;
  [[nodiscard]] Result<void> answered(const std::string& node, const std::string& asker) override;

 private:
  std::shared_ptr<NatsLink> link_;
};

}  // namespace warpmind::daemon::hosts
