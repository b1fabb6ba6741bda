// Loads, conversions from floating point, shuffles and atomics give unknown values. An operation on
// an unknown value gives one. A guard or a branch on an unknown value ends the walk, unless what it
// guards cannot be counted differently by going either way: a guarded move of a value.
#include "profilers/flops/thread_walk.h"

#include "profilers/flops/counter_mix.h"
#include "profilers/flops/static_count.h"
#include "profilers/flops/walk_joins.h"
#include "profilers/flops/walk_program.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace warpmind::profilers {
namespace {

using simulator::ptx::Function;
using Dim3 = std::array<std::uint32_t, 3>;

constexpr std::uint64_t kMostThreadSteps = 50'000'000;
constexpr std::uint64_t kMostBudgets = 8;

std::uint64_t product(const Dim3& extents) {
  return std::uint64_t{extents[0]} * extents[1] * extents[2];
}

Dim3 index_in(std::uint64_t linear, const Dim3& extents) {
  return {static_cast<std::uint32_t>(linear % extents[0]),
          static_cast<std::uint32_t>(linear / extents[0] % extents[1]),
          static_cast<std::uint32_t>(linear / extents[0] / extents[1])};
}

/// One thread after the other; counts add up.
class Walker {
 public:
  /// `joins`: null where every condition must be known.
  Walker(const WalkProgram& program, const WalkLaunch& launch, std::uint64_t most_steps,
         WalkJoins* joins)
      : program_(program),
        launch_(launch),
        most_steps_(most_steps),
        joins_(joins),
        counts_(program.steps.size(), 0) {}

  /// False when the walk cannot go on; undecided() says why.
  bool walk_block(std::uint64_t block) {
    const std::uint64_t threads = product(launch_.block);
    for (std::uint64_t thread = 0; thread < threads; ++thread) {
      if (!walk_one(block, thread)) return false;
    }
    return true;
  }
  bool walk_one(std::uint64_t block, std::uint64_t thread) {
    return walk_thread(index_in(block, launch_.grid), index_in(thread, launch_.block));
  }

  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  [[nodiscard]] const std::string& undecided() const { return undecided_; }
  [[nodiscard]] bool passed_conditions() const { return passed_; }
  std::vector<std::uint64_t> take_counts() {
    return std::exchange(counts_, std::vector<std::uint64_t>(program_.steps.size(), 0));
  }

 private:
  bool walk_thread(const Dim3& block, const Dim3& thread);
  /// Goes to where the step's condition no longer matters. False when it matters.
  bool pass(std::size_t& at);
  bool stop(const WalkStep& step, const char* what) {
    undecided_ = "line " + std::to_string(step.source_line) + ": " + what;
    return false;
  }

  const WalkProgram& program_;
  const WalkLaunch& launch_;
  std::uint64_t most_steps_;
  WalkJoins* joins_;
  std::vector<std::uint64_t> counts_;
  std::vector<WalkValue> registers_;
  std::uint64_t steps_ = 0;
  bool passed_ = false;
  std::string undecided_;
};

bool Walker::pass(std::size_t& at) {
  if (joins_ == nullptr) return false;
  const WalkStep& step = program_.steps[at];
  const auto forget = [this](std::int32_t reg) {
    if (reg >= 0) registers_[static_cast<std::size_t>(reg)] = WalkValue{};
  };
  if (step.kind == WalkStep::Kind::compute) {
    if (joins_->counts(at)) return false;
    for (const std::int32_t reg : step.destinations) forget(reg);
    for (const std::int32_t reg : step.more_destinations) forget(reg);
    ++at;
  } else {
    const WalkJoin& join = joins_->join_at(at);
    if (!join.exists) return false;
    for (const std::int32_t reg : join.written) forget(reg);
    at = join.at;
  }
  passed_ = true;
  return true;
}

bool Walker::walk_thread(const Dim3& block, const Dim3& thread) {
  registers_.assign(program_.registers, WalkValue{});
  const WalkPlace place{launch_, block, thread};
  std::size_t at = 0;
  std::uint64_t own_steps = 0;
  while (at < program_.steps.size()) {
    const WalkStep& step = program_.steps[at];
    if (++own_steps > kMostThreadSteps) return stop(step, "a loop has no end that can be seen");
    bool taken = true;
    if (step.guard >= 0) {
      const WalkValue& guard = registers_[static_cast<std::size_t>(step.guard)];
      if (!guard.known) {
        if (pass(at)) continue;
        return stop(step, "a condition depends on values that are loaded");
      }
      taken = (guard.bits != 0) != step.guard_negated;
    }
    if (!taken) {
      ++at;
      continue;
    }
    ++counts_[at];
    if (step.kind == WalkStep::Kind::leave) break;
    if (step.kind == WalkStep::Kind::jump) {
      at = static_cast<std::size_t>(step.target);
      continue;
    }
    compute(step, place, registers_);
    ++at;
  }
  steps_ += own_steps;
  if (steps_ > most_steps_) {
    undecided_ = "its threads take too many steps to be walked";
    return false;
  }
  return true;
}

/// Blocks that stand for the others when there is no time for all: evenly spread, ends included.
std::vector<std::uint64_t> spread(std::uint64_t blocks, std::uint64_t wanted) {
  std::vector<std::uint64_t> chosen;
  if (wanted < 2) wanted = 2;
  for (std::uint64_t i = 0; i < wanted; ++i) {
    const std::uint64_t block =
        (blocks - 1) / (wanted - 1) * i + (blocks - 1) % (wanted - 1) * i / (wanted - 1);
    if (chosen.empty() || chosen.back() != block) chosen.push_back(block);
  }
  return chosen;
}

void add(const std::vector<std::uint64_t>& counts, double times, std::vector<double>& sums) {
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += static_cast<double>(counts[i]) * times;
}

/// One of many, and for how many it stands.
struct Chosen {
  std::uint64_t index = 0;
  double weight = 1;
};

/// `wanted` of `count`: the first and the last for themselves, those between for all between.
std::vector<Chosen> choose(std::uint64_t count, std::uint64_t wanted) {
  std::vector<Chosen> chosen;
  std::uint64_t between = 0;
  for (const std::uint64_t index : spread(count, wanted)) {
    chosen.push_back({index, 1});
    between += index == 0 || index == count - 1 ? 0 : 1;
  }
  for (Chosen& one : chosen) {
    if (one.index == 0 || one.index == count - 1) continue;
    one.weight = static_cast<double>(count - 2) / static_cast<double>(between);
  }
  // Nothing stands for those between: the ends do.
  if (between == 0 && count > chosen.size()) {
    for (Chosen& one : chosen) {
      one.weight = static_cast<double>(count) / static_cast<double>(chosen.size());
    }
  }
  return chosen;
}

/// Those that stand for others are added up before they are weighted: whole numbers stay whole.
bool walk_sample(Walker& walker, std::uint64_t blocks, std::uint64_t wanted,
                 std::vector<double>& sums) {
  std::vector<double> others(sums.size(), 0);
  double weight = 1;
  for (const Chosen& block : choose(blocks, wanted)) {
    if (!walker.walk_block(block.index)) return false;
    const bool for_itself = block.weight == 1;
    add(walker.take_counts(), 1, for_itself ? sums : others);
    if (!for_itself) weight = block.weight;
  }
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += others[i] * weight;
  return true;
}

/// Where even one block takes too long: some threads of the first, the last and a middle block.
bool walk_threads_of_blocks(Walker& walker, std::uint64_t blocks, std::uint64_t threads,
                            std::uint64_t affordable, std::vector<double>& sums) {
  const auto some_blocks = choose(blocks, 3);
  const auto some_threads = choose(threads, affordable / some_blocks.size());
  for (const Chosen& block : some_blocks) {
    for (const Chosen& thread : some_threads) {
      if (!walker.walk_one(block.index, thread.index)) return false;
      add(walker.take_counts(), block.weight * thread.weight, sums);
    }
  }
  return true;
}

/// Every block, if that many are affordable.
bool walk_blocks(Walker& walker, std::uint64_t blocks, std::uint64_t affordable,
                 WalkCounts& counts) {
  if (affordable < blocks) {
    counts.sampled = true;
    return walk_sample(walker, blocks, affordable, counts.executions);
  }
  for (std::uint64_t block = 0; block < blocks; ++block) {
    if (!walker.walk_block(block)) return false;
  }
  add(walker.take_counts(), 1, counts.executions);
  return true;
}

bool does_flops(const simulator::ptx::Statement& statement) {
  const std::string opcode = opcode_of(statement);
  return share_of_ptx(opcode).type != FlopType::none || counter_mix_of(opcode) != CounterMix{};
}

WalkJoins joins_of(const Function& function, const WalkProgram& program) {
  std::vector<bool> counts(function.body.size());
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = does_flops(function.body[i]);
  return {program, std::move(counts)};
}

/// Every thread, or some that stand for the others.
void walk_launch(Walker& walker, std::uint64_t blocks, std::uint64_t threads,
                 std::uint64_t most_steps, WalkCounts& counts) {
  // Whether a walk decided is said by undecided().
  const bool walked = walker.walk_one(blocks / 2, threads / 2);
  const std::uint64_t a_thread = std::max<std::uint64_t>(1, walker.steps());
  (void)walker.take_counts();
  if (walked && threads > most_steps / a_thread) {
    counts.sampled = true;
    (void)walk_threads_of_blocks(walker, blocks, threads, most_steps / a_thread, counts.executions);
  } else if (walked && walker.walk_block(blocks / 2)) {
    const std::uint64_t a_block = std::max<std::uint64_t>(1, walker.steps() - a_thread);
    (void)walker.take_counts();
    (void)walk_blocks(walker, blocks, most_steps / a_block, counts);
  }
  counts.undecided = walker.undecided();
  counts.only_flops = walker.passed_conditions();
}

}  // namespace

Result<WalkCounts> walk_threads(const Function& function, const WalkLaunch& launch,
                                std::uint64_t most_steps, WalkGoal goal) {
  WARPMIND_TRY(const auto program, make_walk_program(function));
  WalkCounts counts;
  counts.executions.assign(function.body.size(), 0);
  const std::uint64_t blocks = product(launch.grid);
  const std::uint64_t threads = product(launch.block);
  if (blocks == 0 || threads == 0 || function.body.empty()) return counts;
  std::optional<WalkJoins> joins;
  if (goal == WalkGoal::flops) joins.emplace(joins_of(function, program));
  Walker walker(program, launch, kMostBudgets * most_steps, joins ? &*joins : nullptr);
  walk_launch(walker, blocks, threads, most_steps, counts);
  return counts;
}

}  // namespace warpmind::profilers
