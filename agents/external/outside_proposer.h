#pragma once
/// \file
/// Stands for whoever writes outside of the daemon: names the techniques that the base ranks in the
/// brief, and writes nothing itself.

#include "agents/proposer.h"
#include "base/job_names.h"

#include <string_view>
#include <utility>

namespace warpmind::agents {

class OutsideProposer final : public Proposer {
 public:
  explicit OutsideProposer(std::vector<std::string> techniques)
      : techniques_(std::move(techniques)) {}

  [[nodiscard]] std::string name() const override { return std::string(kExternalProposer); }
  [[nodiscard]] std::vector<std::string> techniques() const override { return techniques_; }
  [[nodiscard]] std::vector<Move> moves(const ProposalContext& /*context*/) const override {
    return {};
  }
  [[nodiscard]] Result<Writing> write(const Move& /*move*/, const ProposalContext& /*context*/,
                                      std::stop_token /*stop*/) override {
    return Writing{};
  }

 private:
  std::vector<std::string> techniques_;
};

}  // namespace warpmind::agents
