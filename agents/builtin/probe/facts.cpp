#include "agents/builtin/probe/probe_points.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace warpmind::agents::builtin {
namespace {

constexpr int kThreads = 20;
constexpr int kIterations = 2;

/// Calls `visit` with every probe of `expression` until it answers false. False: a value was not
/// known, or `visit` ended it.
bool for_each_probe(
    const KernelProber& prober, NodeId expression,
    const std::function<bool(const ThreadPosition&, const Iterations&, std::int64_t)>& visit) {
  for (const auto& thread : probe_threads(prober, expression, kThreads)) {
    for (const auto& at : probe_iterations(prober, expression, thread, kIterations)) {
      const Probe found = prober.probe(expression, thread, at);
      if (found.state == ProbeState::unknown) return false;
      if (found.state == ProbeState::absent) continue;
      if (!visit(thread, at, found.value)) return false;
    }
  }
  return true;
}

/// Keeps a number that must be the same whenever it is seen.
class SameNumber {
 public:
  bool see(std::int64_t number) {
    if (seen_ && *seen_ != number) return false;
    seen_ = number;
    return true;
  }
  [[nodiscard]] std::optional<std::int64_t> number() const { return seen_; }

 private:
  std::optional<std::int64_t> seen_;
};

}  // namespace

std::optional<std::int64_t> stride_along_thread(const KernelProber& prober, NodeId expression,
                                                int axis) {
  const auto which = static_cast<std::size_t>(axis);
  const std::int64_t extent = prober.launch().shape.block.at(which);
  SameNumber stride;
  const bool whole =
      for_each_probe(prober, expression,
                     [&](const ThreadPosition& thread, const Iterations& at, std::int64_t value) {
                       // A neighbour on either side: the last active thread has none after it.
                       for (const int side : {1, -1}) {
                         ThreadPosition next = thread;
                         next.thread.at(which) += side;
                         if (next.thread.at(which) < 0 || next.thread.at(which) >= extent) continue;
                         const Probe neighbour = prober.probe(expression, next, at);
                         if (neighbour.state == ProbeState::unknown) return false;
                         if (neighbour.state == ProbeState::absent) continue;
                         if (!stride.see((neighbour.value - value) * side)) return false;
                       }
                       return true;
                     });
  return whole ? stride.number() : std::nullopt;
}

std::optional<std::int64_t> stride_along_loop(const KernelProber& prober, NodeId expression,
                                              NodeId loop) {
  SameNumber stride;
  const bool whole =
      for_each_probe(prober, expression,
                     [&](const ThreadPosition& thread, const Iterations& at, std::int64_t value) {
                       for (const int side : {1, -1}) {
                         Iterations next = at;
                         const std::int64_t iteration = next[loop] += side;
                         if (iteration < 0) continue;
                         const Probe neighbour = prober.probe(expression, thread, next);
                         if (neighbour.state == ProbeState::unknown) return false;
                         if (neighbour.state == ProbeState::absent) continue;
                         if (!stride.see((neighbour.value - value) * side)) return false;
                       }
                       return true;
                     });
  return whole ? stride.number() : std::nullopt;
}

std::optional<bool> is_uniform(const KernelProber& prober, NodeId expression) {
  const auto threads = probe_threads(prober, expression, kThreads);
  bool any = false;
  for (const auto& at : probe_iterations(prober, expression, threads.front(), kIterations)) {
    SameNumber same;
    for (const auto& thread : threads) {
      const Probe found = prober.probe(expression, thread, at);
      if (found.state == ProbeState::unknown) return std::nullopt;
      if (found.state == ProbeState::absent) continue;
      any = true;
      if (!same.see(found.value)) return false;
    }
  }
  return any ? std::optional<bool>(true) : std::nullopt;
}

std::optional<bool> is_flat_thread(const KernelProber& prober, NodeId expression) {
  const auto& shape = prober.launch().shape;
  bool any = false;
  bool differs = false;
  const bool whole = for_each_probe(
      prober, expression,
      [&](const ThreadPosition& thread, const Iterations& /*at*/, std::int64_t value) {
        std::int64_t flat = 0;
        for (std::size_t axis = 3; axis-- > 0;) {
          const std::int64_t block = shape.block.at(axis);
          flat = flat * block * shape.grid.at(axis) + thread.block.at(axis) * block +
                 thread.thread.at(axis);
        }
        any = true;
        differs |= flat != value;
        return !differs;
      });
  if (differs) return false;
  return whole && any ? std::optional<bool>(true) : std::nullopt;
}

std::optional<std::int64_t> largest_value(const KernelProber& prober, NodeId expression) {
  std::optional<std::int64_t> largest;
  const bool whole = for_each_probe(
      prober, expression,
      [&](const ThreadPosition& /*thread*/, const Iterations& /*at*/, std::int64_t value) {
        largest = std::max(largest.value_or(value), value);
        return true;
      });
  return whole ? largest : std::nullopt;
}

}  // namespace warpmind::agents::builtin
