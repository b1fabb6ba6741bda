#include "knowledge_base/insights/reflection.h"

#include "knowledge_base/evidence.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace warpmind::knowledge_base {
namespace {

constexpr std::size_t kLongestSequence = 6;

std::optional<TechniqueTry> try_of(const Episode& episode, const Evidence& evidence) {
  const Step& step = episode.steps[evidence.step];
  TechniqueTry made;
  made.step = evidence.step;
  made.parameters = step.candidate.parameters;
  if (evidence.feasible == false) {
    made.failed = true;
    return made;
  }
  const Outcome outcome = step.verdict.outcome;
  if (outcome == Outcome::inconclusive) return std::nullopt;
  if (evidence.confirmed_log_gain) {
    made.log_gain = *evidence.confirmed_log_gain;
    made.gained = outcome == Outcome::improved && made.log_gain > 0;
    return made;
  }
  if (!evidence.screened_log_gain) return std::nullopt;
  made.log_gain = *evidence.screened_log_gain;
  return made;
}

TechniqueTries& group_of(std::vector<TechniqueTries>& groups, const Evidence& evidence) {
  const auto found =
      std::find_if(groups.begin(), groups.end(), [&evidence](const TechniqueTries& group) {
        return group.technique == evidence.scope.technique &&
               group.bottleneck == evidence.scope.bottleneck &&
               group.device == evidence.scope.device;
      });
  if (found != groups.end()) return *found;
  const auto& scope = evidence.scope;
  const TechniqueSetting setting{scope.technique, scope.bottleneck, scope.device,
                                 evidence.toolchain.toolkit};
  return groups.emplace_back(TechniqueTries{setting, {}});
}

double rank(const TechniqueTry& made) {
  return made.failed ? -std::numeric_limits<double>::infinity() : made.log_gain;
}

}  // namespace

const TechniqueTry& TechniqueTries::best() const {
  return *std::max_element(tries.begin(), tries.end(),
                           [](const TechniqueTry& a, const TechniqueTry& b) {
                             if (a.gained != b.gained) return b.gained;
                             return rank(a) < rank(b);
                           });
}

std::vector<TechniqueTries> tries_of(const Episode& episode) {
  std::vector<TechniqueTries> groups;
  for (const auto& evidence : evidence_of(episode)) {
    if (auto made = try_of(episode, evidence)) {
      group_of(groups, evidence).tries.push_back(std::move(*made));
    }
  }
  return groups;
}

std::vector<std::string> sequence_of(const Episode& episode) {
  if (episode.split == Split::heldout || episode.outcome != Outcome::improved) return {};
  const auto& total = episode.best_against_baseline;
  if (!total || !is_confirmed(*total, episode.provider) || !(total->ratio > 1)) return {};
  std::vector<std::string> sequence;
  for (const std::size_t at : way_to(episode, static_cast<std::size_t>(episode.best_step))) {
    const auto& candidate = episode.steps[at].candidate;
    // A remembered kernel on the way: part of the gain is older.
    if (candidate.proposer == "memory" || candidate.technique.empty()) return {};
    if (sequence.empty() || sequence.back() != candidate.technique) {
      sequence.push_back(candidate.technique);
    }
  }
  if (sequence.size() < 2 || sequence.size() > kLongestSequence) return {};
  return sequence;
}

std::vector<std::size_t> way_to(const Episode& episode, std::size_t at) {
  std::vector<std::size_t> way;
  // A step edits an earlier one: the way ends.
  while (at > 0 && at < episode.steps.size()) {
    way.push_back(at);
    at = std::min(edited_step(episode, at), at - 1);
  }
  std::reverse(way.begin(), way.end());
  return way;
}

std::size_t edited_step(const Episode& episode, std::size_t at) {
  const std::int64_t recorded = episode.steps[at].edited;
  if (recorded >= 0 && recorded < static_cast<std::int64_t>(at)) {
    return static_cast<std::size_t>(recorded);
  }
  const KernelId& parent = episode.steps[at].candidate.parent;
  // Most often the newest accepted one.
  for (std::size_t i = at; i-- > 0;) {
    const Step& step = episode.steps[i];
    if (!step.accepted) continue;
    if (parent.empty() || id_of(step.candidate.kernel) == parent) return i;
  }
  for (std::size_t i = 0; i < at; ++i) {
    if (!episode.steps[i].accepted && id_of(episode.steps[i].candidate.kernel) == parent) return i;
  }
  return 0;
}

}  // namespace warpmind::knowledge_base
