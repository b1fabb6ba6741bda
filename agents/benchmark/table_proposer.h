#pragma once
/// \file
/// A proposer that keeps to what an evaluation table knows.

#include "agents/benchmark/evaluation_table.h"
#include "agents/proposer.h"

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace warpmind::agents::benchmark {

/// Which kernel a move makes of another. Writing a candidate to know it is slow, so it is done once
/// for all episodes. Threads: any.
class MoveResults {
 public:
  using Writer = std::function<std::optional<KernelId>()>;

  /// Absent when the move does not apply. `write` is called when it is not known yet.
  [[nodiscard]] std::optional<KernelId> result_of(const std::string& key, const Writer& write);

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::optional<KernelId>> known_;
};

/// Hides the moves whose result the table lacks. The references must outlive it.
class TableProposer final : public Proposer {
 public:
  TableProposer(Proposer& proposer, const EvaluationTable& table, MoveResults& results)
      : proposer_(proposer), table_(table), results_(results) {}

  [[nodiscard]] std::string name() const override { return proposer_.name(); }
  [[nodiscard]] std::vector<std::string> techniques() const override {
    return proposer_.techniques();
  }
  [[nodiscard]] std::vector<Move> moves(const ProposalContext& context) const override;
  [[nodiscard]] Result<Writing> write(const Move& move, const ProposalContext& context,
                                      std::stop_token stop) override;
  [[nodiscard]] Result<Writing> repair(const ProposalContext& context,
                                       std::stop_token stop) override;
  /// The kernel that `move` makes of the one of `context`, in the table or not; absent where it
  /// does not apply.
  [[nodiscard]] std::optional<KernelId> result_of(const Move& move,
                                                  const ProposalContext& context) const;

 private:
  [[nodiscard]] Result<Writing> known_only(Result<Writing> writing, const Task& task) const;

  Proposer& proposer_;
  const EvaluationTable& table_;
  MoveResults& results_;
};

}  // namespace warpmind::agents::benchmark
