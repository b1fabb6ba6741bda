#include "knowledge_base/remembered_kernel.h"

#include "knowledge_base/evidence.h"

#include <algorithm>
#include <set>

namespace warpmind::knowledge_base {
namespace {

/// Positions of the steps from the baseline (left out) to the best one, by parent kernel. Stops at
/// the first parent that no step of the episode wrote.
std::vector<std::size_t> path_to_best(const Episode& episode,
                                      const std::vector<KernelId>& kernels) {
  std::vector<std::size_t> path;
  std::set<KernelId> seen;
  auto at = static_cast<std::size_t>(episode.best_step);
  while (at != 0 && at < kernels.size() && seen.insert(kernels[at]).second) {
    path.push_back(at);
    const auto writer =
        std::find(kernels.begin(), kernels.end(), episode.steps[at].candidate.parent);
    at = static_cast<std::size_t>(writer - kernels.begin());
  }
  std::reverse(path.begin(), path.end());
  return path;
}

bool is_confirmed_gain(const Episode& episode) {
  if (episode.split == Split::heldout || episode.outcome != Outcome::improved) return false;
  return episode.best_against_baseline &&
         is_confirmed(*episode.best_against_baseline, episode.provider) &&
         episode.best_against_baseline->ratio > 1 && episode.best_step > 0 &&
         static_cast<std::size_t>(episode.best_step) < episode.steps.size();
}

void describe_measurement(const Episode& episode, BestKernel& best) {
  const auto& own = episode.steps[static_cast<std::size_t>(episode.best_step)].verdict.measurement;
  const auto& measured = own ? own : episode.steps.front().verdict.measurement;
  if (measured) {
    best.device = measured->device.name;
    best.architecture =
        architecture_of(measured->device.compute_major, measured->device.compute_minor);
  }
  if (own) {
    best.median_ns = own->median_ns;
    best.workload = own->workload;
    best.harness = own->harness;
  }
}

}  // namespace

std::vector<KernelId> kernel_ids(const Episode& episode) {
  std::vector<KernelId> ids;
  ids.reserve(episode.steps.size());
  for (const auto& step : episode.steps) ids.push_back(id_of(step.candidate.kernel));
  return ids;
}

std::optional<BestOffer> best_offer(const Episode& episode, const std::vector<KernelId>& kernels) {
  if (!is_confirmed_gain(episode)) return std::nullopt;
  BestOffer offer;
  offer.best.kernel = kernels[static_cast<std::size_t>(episode.best_step)];
  offer.best.baseline = kernels.front();
  offer.best.episode = episode.id;
  offer.best.provider = episode.provider;
  offer.best.speedup = episode.best_against_baseline->ratio;
  describe_measurement(episode, offer.best);
  for (const std::size_t at : path_to_best(episode, kernels)) {
    const Candidate& candidate = episode.steps[at].candidate;
    if (candidate.proposer == "memory") {
      offer.started_from = kernels[at];
    } else if (!candidate.technique.empty()) {
      offer.best.techniques.push_back(candidate.technique);
    }
  }
  return offer;
}

BestKernel with_inherited_techniques(BestOffer offer, const std::vector<BestKernel>& known) {
  const auto origin = std::find_if(known.begin(), known.end(), [&offer](const BestKernel& old) {
    return old.kernel == offer.started_from;
  });
  if (!offer.started_from.empty() && origin != known.end()) {
    offer.best.techniques.insert(offer.best.techniques.begin(), origin->techniques.begin(),
                                 origin->techniques.end());
  }
  return std::move(offer.best);
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
