#include "agents/benchmark/table_proposer.h"

#include "base/hash.h"

#include <algorithm>
#include <utility>

namespace warpmind::agents::benchmark {

std::optional<KernelId> MoveResults::result_of(const std::string& key, const Writer& write) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(key);
    if (found != known_.end()) return found->second;
  }
  auto result = write();
  const std::lock_guard lock(mutex_);
  return known_.emplace(key, std::move(result)).first->second;
}

std::optional<KernelId> TableProposer::result_of(const Move& move,
                                                 const ProposalContext& context) const {
  const auto write = [&]() -> std::optional<KernelId> {
    const auto writing = proposer_.write(move, context, {});
    if (!writing || !writing->candidate) return std::nullopt;
    return id_of(writing->candidate->kernel);
  };
  const std::string from = id_of(context.kernel).str();
  return results_.result_of(hash_input({from, move.technique, move.parameters}), write);
}

std::vector<Move> TableProposer::moves(const ProposalContext& context) const {
  auto all = proposer_.moves(context);
  const TaskRecording* recording = table_.find(context.task.id);
  if (recording == nullptr) return {};
  std::erase_if(all, [&](const Move& move) {
    const auto result = result_of(move, context);
    return !result || recording->find(*result) == nullptr;
  });
  return all;
}

Result<Writing> TableProposer::known_only(Result<Writing> writing, const Task& task) const {
  if (!writing || !writing->candidate) return writing;
  const TaskRecording* recording = table_.find(task.id);
  if (recording != nullptr && recording->find(id_of(writing->candidate->kernel)) != nullptr) {
    return writing;
  }
  writing->candidate.reset();
  writing->note = "the table lacks the kernel that was written";
  return writing;
}

Result<Writing> TableProposer::write(const Move& move, const ProposalContext& context,
                                     std::stop_token stop) {
  return known_only(proposer_.write(move, context, std::move(stop)), context.task);
}

Result<Writing> TableProposer::repair(const ProposalContext& context, std::stop_token stop) {
  return known_only(proposer_.repair(context, std::move(stop)), context.task);
}

}  // namespace warpmind::agents::benchmark
