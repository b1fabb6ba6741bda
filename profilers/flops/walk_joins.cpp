#include "profilers/flops/walk_joins.h"

#include "base/sequence.h"
#include "profilers/simulator/program/cfg.h"

#include <utility>

namespace warpmind::profilers {
namespace {

bool ends_block(const WalkStep& step) { return step.kind != WalkStep::Kind::compute; }

}  // namespace

WalkJoins::WalkJoins(const WalkProgram& program, std::vector<bool> counts)
    : program_(program), counts_(std::move(counts)) {
  split_into_blocks();
  successors_.resize(begins_.size() - 1);
  for (std::size_t block = 0; block < successors_.size(); ++block) {
    successors_[block] = successors_of(block);
  }
  post_dominators_ = simulator::find_post_dominators(successors_);
}

void WalkJoins::split_into_blocks() {
  const std::size_t size = program_.steps.size();
  std::vector<bool> leads(size + 1, false);
  leads[0] = true;
  for (std::size_t i = 0; i < size; ++i) {
    const WalkStep& step = program_.steps[i];
    if (ends_block(step)) leads[i + 1] = true;
    if (step.kind == WalkStep::Kind::jump) leads[static_cast<std::size_t>(step.target)] = true;
  }
  block_of_.resize(size);
  for (std::size_t i = 0; i < size; ++i) {
    if (leads[i]) begins_.push_back(i);
    block_of_[i] = static_cast<std::uint32_t>(begins_.size() - 1);
  }
  begins_.push_back(size);
}

std::uint32_t WalkJoins::block_at(std::size_t step) const {
  return step < block_of_.size() ? block_of_[step] : static_cast<std::uint32_t>(begins_.size() - 1);
}

std::vector<std::uint32_t> WalkJoins::successors_of(std::size_t block) const {
  std::vector<std::uint32_t> after;
  const std::size_t end = begins_[block + 1];
  const WalkStep& last = program_.steps[end - 1];
  if (last.kind == WalkStep::Kind::jump) {
    after.push_back(block_at(static_cast<std::size_t>(last.target)));
  }
  if (last.kind == WalkStep::Kind::leave) after.push_back(block_at(program_.steps.size()));
  if (!ends_block(last) || last.guard >= 0) after.push_back(block_at(end));
  return after;
}

bool WalkJoins::add_written(std::size_t block, WalkJoin& join) const {
  for (std::size_t i = begins_[block]; i < begins_[block + 1]; ++i) {
    if (counts_[i]) return false;
    const WalkStep& step = program_.steps[i];
    for (const std::int32_t reg : step.destinations) {
      if (reg >= 0) join.written.push_back(reg);
    }
    join.written.insert(join.written.end(), step.more_destinations.begin(),
                        step.more_destinations.end());
  }
  return true;
}

WalkJoin WalkJoins::find(std::size_t step) const {
  WalkJoin join;
  const std::uint32_t from = block_of_[step];
  const std::uint32_t meet = post_dominators_[from];
  std::vector<bool> seen(successors_.size() + 1, false);
  seen[meet] = true;
  std::vector<std::uint32_t> open = successors_[from];
  while (!open.empty()) {
    const std::uint32_t block = open.back();
    open.pop_back();
    if (seen[block]) continue;
    seen[block] = true;
    if (!add_written(block, join)) return {};
    open.insert(open.end(), successors_[block].begin(), successors_[block].end());
  }
  sort_unique(join.written);
  join.exists = true;
  join.at = begins_[meet];
  return join;
}

const WalkJoin& WalkJoins::join_at(std::size_t step) {
  const auto known = found_.find(step);
  if (known != found_.end()) return known->second;
  return found_.emplace(step, find(step)).first->second;
}

}  // namespace warpmind::profilers
