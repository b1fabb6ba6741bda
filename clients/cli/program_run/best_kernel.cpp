#include "clients/cli/program_run/best_kernel.h"

#include "clients/cli/report/episode_sections.h"
#include "clients/cli/report/text.h"

#include <algorithm>

namespace warpmind::clients {

const Step* best_without_flags(const Episode& episode) {
  const Step* const best = best_of(episode);
  if (best == nullptr) return nullptr;
  const auto& given = episode.steps.front().candidate.kernel.build_flags;
  for (auto at = static_cast<std::size_t>(best->index); at > 0; --at) {
    const Step& step = episode.steps[at];
    const bool is_best = at == static_cast<std::size_t>(best->index);
    if ((is_best || step.accepted) && step.candidate.kernel.build_flags == given) return &step;
  }
  return nullptr;
}

std::vector<std::string> changes_up_to(const Episode& episode, const Step& step) {
  std::vector<std::string> changes;
  const auto count = static_cast<std::int64_t>(episode.steps.size());
  const Step* at = &step;
  while (at->index > 0) {
    const auto& candidate = at->candidate;
    std::string change = clean_line(candidate.technique);
    if (!candidate.parameters.empty()) change += " " + clean_line(candidate.parameters);
    changes.push_back(std::move(change));
    if (at->edited < 0 || at->edited >= at->index || at->edited >= count) break;
    at = &episode.steps[static_cast<std::size_t>(at->edited)];
  }
  std::reverse(changes.begin(), changes.end());
  return changes;
}

}  // namespace warpmind::clients
