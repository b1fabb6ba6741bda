#pragma once
/// \file
/// The proposer that needs no model: applies the techniques of agents/builtin/technique.h.

#include "agents/builtin/technique.h"
#include "agents/proposer.h"
#include "base/job_names.h"

#include <deque>
#include <mutex>
#include <utility>

namespace warpmind::agents::builtin {

class BuiltinProposer final : public Proposer {
 public:
  explicit BuiltinProposer(std::vector<Technique> table = builtin::techniques())
      : table_(std::move(table)) {}

  [[nodiscard]] std::string name() const override { return std::string(kBuiltinProposer); }
  [[nodiscard]] std::vector<std::string> techniques() const override;
  [[nodiscard]] std::vector<Move> moves(const ProposalContext& context) const override;
  [[nodiscard]] Result<Writing> write(const Move& move, const ProposalContext& context,
                                      std::stop_token stop) override;

 private:
  /// What moves() found for one kernel in one situation. Episodes ask for it when they recall, when
  /// they choose, and again after each step.
  struct Known {
    KernelId kernel;
    TaskId task;
    Bottleneck bottleneck;
    DeviceSpec device;
    std::vector<Move> moves;
  };

  std::vector<Technique> table_;
  mutable std::mutex mutex_;
  mutable std::deque<Known> known_;  ///< the newest first
};

}  // namespace warpmind::agents::builtin
