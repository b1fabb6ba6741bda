#include "profilers/lab/hidden_oracle.h"

#include "base/expression.h"
#include "profilers/lab/run_case.h"

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <sys/random.h>
#include <utility>

namespace warpmind::profilers {
namespace {

Result<std::uint64_t> draw_secret() {
  std::uint64_t seed = 0;
  if (::getrandom(&seed, sizeof seed, 0) != static_cast<ssize_t>(sizeof seed)) {
    return fail(Errc::external_failure, "getrandom gave no seed for hidden workloads");
  }
  return seed;
}

/// A multiple within the range, from its lower half in even turns and its upper half in odd ones:
/// two workloads are enough to meet a small and a large one.
std::int64_t draw_size(const HiddenRange& range, std::int64_t turn, std::mt19937_64& random) {
  const std::int64_t step = std::max<std::int64_t>(range.multiple_of, 1);
  const std::int64_t first = (range.low + step - 1) / step;
  const std::int64_t last = range.high / step;
  if (last <= first) return first * step;
  const std::int64_t middle = first + (last - first) / 2;
  const bool upper = turn % 2 != 0;
  std::uniform_int_distribution<std::int64_t> within(upper ? middle + 1 : first,
                                                     upper ? last : middle);
  return within(random) * step;
}

/// What the reference on the CPU and the simulator compute in a second.
constexpr std::int64_t kMostHiddenBytes = std::int64_t{2} << 20U;
constexpr std::int64_t kMostHiddenFlops = std::int64_t{16} << 20U;

bool is_affordable(const Task& task, const Workload& workload) {
  const auto bytes = case_bytes(task, workload);
  if (!bytes || *bytes > kMostHiddenBytes) return false;
  if (task.cost.flops.empty()) return true;
  const auto flops = evaluate(task.cost.flops, workload.sizes);
  return flops && *flops <= kMostHiddenFlops;
}

/// Sizes around powers of two that `range` allows, or that lie between it and a timed workload's
/// size, and that can be computed; in ascending order.
std::vector<std::int64_t> straddling_sizes(const Task& task, const HiddenRange& range,
                                           Workload workload) {
  std::int64_t most = range.high;
  for (const Workload& one : task.workloads) {
    const auto size = one.sizes.find(range.size);
    if (one.timed && size != one.sizes.end()) most = std::max(most, size->second);
  }
  const std::int64_t step = std::max<std::int64_t>(range.multiple_of, 1);
  std::vector<std::int64_t> sizes;
  for (std::int64_t power = 2; power <= most && power > 0; power *= 2) {
    for (const std::int64_t size :
         {(power - 1) / step * step, power / step * step, (power + step) / step * step}) {
      if (size < range.low || size > most) continue;
      if (!sizes.empty() && size <= sizes.back()) continue;
      workload.sizes[range.size] = size;
      if (is_affordable(task, workload)) sizes.push_back(size);
    }
  }
  return sizes;
}

/// The smallest workload with the size of `range` around a power of two, if need be the largest.
std::optional<Workload> draw_straddling(const Task& task, const HiddenRange& range, bool largest,
                                        std::mt19937_64& random) {
  constexpr std::size_t kOfOnePower = 3;
  Workload workload = smallest_workload(task);
  const auto sizes = straddling_sizes(task, range, workload);
  if (sizes.empty()) return std::nullopt;
  const std::size_t among = largest ? std::min(kOfOnePower, sizes.size()) : sizes.size();
  workload.sizes[range.size] = sizes[sizes.size() - 1 - random() % among];
  workload.timed = false;
  return workload;
}

/// Says that it failed where nobody could prepare for it: the buffer and the distribution, nothing
/// of shape and values.
StageFailure disguised(StageFailure failure, bool has_ranges, const std::string& place) {
  const std::string where = std::string(has_ranges ? "on a hidden shape" : "on hidden inputs") +
                            (place.empty() ? "" : ": " + place);
  const std::string prefix = has_ranges ? "SHAPE_OVERFIT: right on every shown workload, but "
                                        : "right on the inputs shown, but ";
  switch (failure.outcome) {
    case Outcome::wrong: return {Outcome::wrong, prefix + "wrong " + where};
    case Outcome::build_failed:
      return {Outcome::wrong, prefix + "its launch plan cannot be evaluated " + where};
    case Outcome::crashed: return {Outcome::crashed, prefix + "it crashes " + where};
    case Outcome::timed_out: return {Outcome::timed_out, prefix + "it does not end " + where};
    default: return failure;
  }
}

/// For the author of a task whose own kernel fails.
StageFailure explained(const StageFailure& failure, const std::vector<Workload>& workloads) {
  std::string sizes;
  for (const Workload& workload : workloads) {
    sizes += (sizes.empty() ? "" : "; ") + workload.name + ":";
    for (const auto& [name, value] : workload.sizes) {
      sizes += " " + name + " = " + std::to_string(value);
    }
  }
  return {failure.outcome, "the given kernel fails on a workload from the [[hidden]] ranges (" +
                               sizes + "); correct it or narrow them: " + failure.reason};
}

}  // namespace

std::vector<Workload> draw_hidden_workloads(const Task& task, std::int64_t count,
                                            std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Workload> drawn;
  for (std::int64_t i = 0; i < count; ++i) {
    Workload workload = smallest_workload(task);
    workload.name = "hidden" + std::to_string(i);
    workload.timed = false;
    std::int64_t turn = i;
    for (const HiddenRange& range : task.hidden) {
      workload.sizes[range.size] = draw_size(range, turn, random);
      ++turn;  // one size small, the next one large
    }
    drawn.push_back(std::move(workload));
    if (task.hidden.empty()) return drawn;
  }
  const auto ranges = static_cast<std::int64_t>(task.hidden.size());
  for (std::int64_t i = 0; count > 0 && i < std::max(ranges, count); ++i) {
    auto workload = draw_straddling(task, task.hidden[static_cast<std::size_t>(i % ranges)],
                                    i < ranges, random);
    if (!workload) continue;
    workload->name = "hidden" + std::to_string(drawn.size());
    drawn.push_back(std::move(*workload));
  }
  return drawn;
}

Result<OracleEnd> run_hidden_oracle(Judging& judging, WorkerSession& runner,
                                    const BuiltKernel& candidate, const HiddenOrder& order) {
  WARPMIND_TRY(const std::uint64_t seed, draw_secret());
  const auto workloads = draw_hidden_workloads(judging.task, order.workloads, seed);
  OracleOrder oracle = order.each;
  for (const Workload& workload : workloads) oracle.workloads.push_back(&workload);
  // Without ranges there is one workload: as many inputs as the hidden ones would get together.
  if (judging.task.hidden.empty()) oracle.seeds *= order.workloads;
  WARPMIND_TRY(auto end, run_oracle(judging, runner, candidate, oracle));
  end.correctness.worst_case.clear();
  if (!end.left_out.empty())
    end.left_out = "some hidden inputs, which take too long or say too little";
  if (end.failure) {
    const bool has_ranges = !judging.task.hidden.empty();
    end.failure = order.explain && has_ranges
                      ? explained(*end.failure, workloads)
                      : disguised(std::move(*end.failure), has_ranges, end.worst_place);
    end.correctness.worst_case = end.failure->reason;
  }
  return end;
}

}  // namespace warpmind::profilers
