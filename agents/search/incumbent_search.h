#pragma once
/// \file
/// `greedy` and `fsr`: policies that edit the fastest kernel so far.

#include "agents/search/search_policy.h"

namespace warpmind::agents {

/// `greedy`: the most promising untried edit of the fastest kernel; when it has none left, of the
/// next fastest.
class GreedySearch final : public SearchPolicy {
 public:
  [[nodiscard]] std::string_view name() const override { return "greedy"; }
  [[nodiscard]] std::optional<Choice> next(const SearchTree& tree, SearchSpace& space) override;
  void learned(const SearchTree& /*tree*/, EdgeIndex /*edge*/) override {}
};

/// `fsr` (CUDA-LLM's feature search and reinforcement): rounds of so many candidates from one
/// kernel, drawn boldly so that they differ; the fastest right one of all is the start of the next.
/// A round without a right candidate is repeated with other edits of the same kernel.
class RoundSearch final : public SearchPolicy {
 public:
  explicit RoundSearch(std::uint64_t seed, std::size_t width = 4) : dice_(seed), width_(width) {}

  [[nodiscard]] std::string_view name() const override { return "fsr"; }
  [[nodiscard]] std::optional<Choice> next(const SearchTree& tree, SearchSpace& space) override;
  void learned(const SearchTree& tree, EdgeIndex edge) override;

 private:
  Dice dice_;
  std::size_t width_;
  NodeIndex base_ = SearchTree::kRoot;
  std::size_t chosen_ = 0;   ///< of this round
  std::size_t pending_ = 0;  ///< of them
};

/// Right kernels of the tree, the fastest first, older before newer among equals.
[[nodiscard]] std::vector<NodeIndex> right_kernels(const SearchTree& tree);

}  // namespace warpmind::agents
