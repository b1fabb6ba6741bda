#pragma once
/// \file
/// The proposer that needs no model: applies the techniques of agents/builtin/technique.h.

#include "agents/proposer.h"

namespace warpmind::agents::builtin {

class BuiltinProposer final : public Proposer {
 public:
  [[nodiscard]] std::string name() const override { return "builtin"; }
  [[nodiscard]] std::vector<std::string> techniques() const override;
  [[nodiscard]] std::vector<Move> moves(const ProposalContext& context) const override;
  [[nodiscard]] Result<Writing> write(const Move& move, const ProposalContext& context,
                                      std::stop_token stop) override;
};

}  // namespace warpmind::agents::builtin
