#pragma once
/// \file
/// Replays candidates from a JSONL file, one a line, in order: for tests, for repeating a search,
/// and for kernels that somebody wrote by hand.
///
/// A line: {"technique": "...", "parameters": "...", "rationale": "...", "kernel": {…}} where every
/// member of `kernel` that is missing is taken from the task's own kernel; `source_file` names a
/// file beside the JSONL instead of `source`.

#include "agents/proposer.h"
#include "base/job_names.h"

#include <filesystem>
#include <vector>

namespace warpmind::agents {

class ReplayProposer final : public Proposer {
 public:
  /// Errors: not_found; invalid_argument naming file and line.
  [[nodiscard]] static Result<ReplayProposer> open(const std::filesystem::path& file,
                                                   const Task& task);

  [[nodiscard]] std::string name() const override { return std::string(kReplayProposer); }
  [[nodiscard]] std::vector<std::string> techniques() const override;
  [[nodiscard]] std::vector<Move> moves(const ProposalContext& context) const override;
  [[nodiscard]] Result<Writing> write(const Move& move, const ProposalContext& context,
                                      std::stop_token stop) override;

  void written_before(const Move& move) override;

 private:
  explicit ReplayProposer(std::vector<Candidate> candidates)
      : candidates_(std::move(candidates)), used_(candidates_.size(), false) {}

  [[nodiscard]] Move move_of(std::size_t i) const;

  std::vector<Candidate> candidates_;
  std::vector<bool> used_;
};

}  // namespace warpmind::agents
