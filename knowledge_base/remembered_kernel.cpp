#include "knowledge_base/remembered_kernel.h"

#include <algorithm>
#include <set>

namespace warpmind::knowledge_base {
namespace {

constexpr std::int64_t kConfirmedProcesses = 2;

/// Steps from the baseline to the best one, by parent kernel. Stops at the first parent that no
/// step of the episode wrote.
std::vector<const Step*> path_to_best(const Episode& episode) {
  std::vector<const Step*> path;
  std::set<KernelId> seen;
  const auto* step = &episode.steps[static_cast<std::size_t>(episode.best_step)];
  while (step != nullptr && step != &episode.steps.front()) {
    if (!seen.insert(id_of(step->candidate.kernel)).second) break;
    path.push_back(step);
    const KernelId& parent = step->candidate.parent;
    const auto writer = std::find_if(
        episode.steps.begin(), episode.steps.end(),
        [&parent](const Step& other) { return id_of(other.candidate.kernel) == parent; });
    step = writer == episode.steps.end() ? nullptr : &*writer;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace

std::optional<BestKernel> best_kernel_of(const Episode& episode) {
  if (episode.split == Split::heldout || episode.outcome != Outcome::improved) return std::nullopt;
  if (!episode.best_against_baseline || episode.best_step <= 0) return std::nullopt;
  const auto& comparison = *episode.best_against_baseline;
  const auto position = static_cast<std::size_t>(episode.best_step);
  if (position >= episode.steps.size() || comparison.processes < kConfirmedProcesses ||
      comparison.ratio <= 1) {
    return std::nullopt;
  }
  const Step& best = episode.steps[position];
  BestKernel found;
  found.kernel = id_of(best.candidate.kernel);
  found.baseline = id_of(episode.steps.front().candidate.kernel);
  found.episode = episode.id;
  found.provider = episode.provider;
  found.speedup = comparison.ratio;
  const auto& measured = best.verdict.measurement ? best.verdict.measurement
                                                  : episode.steps.front().verdict.measurement;
  if (measured) {
    found.device = measured->device.name;
    found.architecture =
        architecture_of(measured->device.compute_major, measured->device.compute_minor);
  }
  if (best.verdict.measurement) {
    found.median_ns = best.verdict.measurement->median_ns;
    found.workload = best.verdict.measurement->workload;
    found.harness = best.verdict.measurement->harness;
  }
  for (const Step* step : path_to_best(episode)) {
    if (step->candidate.proposer != "memory" && !step->candidate.technique.empty()) {
      found.techniques.push_back(step->candidate.technique);
    }
  }
  return found;
}

void inherit_techniques(BestKernel& next, const Episode& episode,
                        const std::vector<BestKernel>& known) {
  for (const Step* step : path_to_best(episode)) {
    if (step->candidate.proposer != "memory") continue;
    const KernelId origin = id_of(step->candidate.kernel);
    const auto match = std::find_if(known.begin(), known.end(), [&origin](const BestKernel& old) {
      return old.kernel == origin;
    });
    if (match == known.end()) continue;
    next.techniques.insert(next.techniques.begin(), match->techniques.begin(),
                           match->techniques.end());
    return;
  }
}

bool replaces(const BestKernel& next, const BestKernel& old) {
  if (next.baseline == old.baseline) return next.speedup > old.speedup;
  const bool comparable = next.median_ns > 0 && old.median_ns > 0 &&
                          next.workload == old.workload && next.harness == old.harness;
  return !comparable || next.median_ns < old.median_ns;
}

std::optional<BestKernel> choose(const std::vector<BestKernel>& known,
                                 const DeviceIdentity& device) {
  const std::string architecture = architecture_of(device.compute_major, device.compute_minor);
  std::optional<BestKernel> chosen;
  for (const auto& candidate : known) {
    if (candidate.device == device.name) return candidate;
    if (candidate.architecture != architecture) continue;
    if (!chosen || candidate.speedup > chosen->speedup) chosen = candidate;
  }
  return chosen;
}

}  // namespace warpmind::knowledge_base
