#pragma once
/// \file
/// Scores of the turns of an episode, as Kevin defines them, on a tree instead of a row.

#include "agents/search/search_tree.h"
#include "base/model/episode.h"

#include <map>

namespace warpmind::agents {

/// Fills score and turn_return of every step: the score by reward.h with the time of the given
/// kernel over the step's; the return is score + discount × the best return of a step that edited
/// this one's kernel, so along one row of edits it is Kevin's. `steps` = position of the step that
/// judged the kernel of a node.
void credit_turns(Episode& episode, const SearchTree& tree,
                  const std::map<NodeIndex, std::size_t>& steps);

}  // namespace warpmind::agents
