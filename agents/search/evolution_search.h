#pragma once
/// \file
/// `evolve`: a population of the fastest kernels, mutated and recombined (after robust-kbench's
/// loop and ShinkaEvolve's choice of parents).

#include "agents/search/search_policy.h"

namespace warpmind::agents {

struct EvolutionOptions {
  std::size_t archive = 5;      ///< kernels that may be parents
  double recombination = 0.25;  ///< chance to take an edit from another parent's way
  double boldness = 1;          ///< of the draws that choose a mutation
};

/// Parents are drawn by
///   sigmoid((ln gain - median) / spread) / (1 + children),
/// with median and spread (median absolute deviation) over the archive: better ones, and those with
/// few children. A mutation is an untried edit; a recombination is an edit from the way to another
/// parent that this one lacks.
class EvolutionSearch final : public SearchPolicy {
 public:
  explicit EvolutionSearch(std::uint64_t seed, EvolutionOptions options = {})
      : dice_(seed), options_(options) {}

  [[nodiscard]] std::string_view name() const override { return "evolve"; }
  [[nodiscard]] std::optional<Choice> next(const SearchTree& tree, SearchSpace& space) override;
  void learned(const SearchTree& /*tree*/, EdgeIndex /*edge*/) override {}

 private:
  [[nodiscard]] std::optional<Choice> recombine(const SearchTree& tree, SearchSpace& space,
                                                NodeIndex parent,
                                                const std::vector<NodeIndex>& archive);

  Dice dice_;
  EvolutionOptions options_;
};

}  // namespace warpmind::agents
