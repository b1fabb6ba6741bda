#include "agents/export/held_out.h"

#include "agents/export/text_tokens.h"

#include <utility>

namespace warpmind::agents {

TaskId heldout_twin(Task task) {
  task.split = Split::heldout;
  return id_of(task);
}

void HeldOut::add(const SourceEpisode& source) {
  if (source.episode.split != Split::heldout) return;
  tasks_.insert(source.episode.task.str());
  for (const auto& step : source.episode.steps) {
    sources_.insert(normalised_hash(step.candidate.kernel.source));
  }
}

bool HeldOut::covers(const SourceEpisode& source) const {
  return source.episode.split == Split::heldout || is_task(source.episode.task.str()) ||
         is_task(source.heldout_twin.str());
}

bool HeldOut::has_source(std::string_view source) const {
  return !sources_.empty() && sources_.contains(normalised_hash(source));
}

}  // namespace warpmind::agents
