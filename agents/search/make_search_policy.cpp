#include "agents/search/auto_search.h"
#include "agents/search/evolution_search.h"
#include "agents/search/graph_search.h"
#include "agents/search/incumbent_search.h"
#include "agents/search/search_policy.h"
#include "agents/search/turns_search.h"

namespace warpmind::agents {

Result<std::unique_ptr<SearchPolicy>> make_search_policy(std::string_view name,
                                                         std::uint64_t seed) {
  std::unique_ptr<SearchPolicy> policy;
  if (name == "greedy") policy = std::make_unique<GreedySearch>();
  if (name == "fsr") policy = std::make_unique<RoundSearch>(seed);
  if (name == "mcgs") policy = std::make_unique<GraphSearch>(seed);
  if (name == "evolve") policy = std::make_unique<EvolutionSearch>(seed);
  if (name == "turns") policy = std::make_unique<TurnsSearch>(seed);
  if (name == "auto") policy = std::make_unique<AutoSearch>(seed);
  if (policy) return policy;
  return fail(Errc::invalid_argument, "there is no search policy \"" + std::string(name) +
                                          "\"; use greedy, fsr, mcgs, evolve, turns or auto");
}

}  // namespace warpmind::agents
