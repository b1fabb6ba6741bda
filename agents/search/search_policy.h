#pragma once
/// \file
/// Which edit of which kernel to try next. Policies know moves, predictions and outcomes only: they
/// run the same on a GPU, on the simulator, on a recorded table and on a planted landscape.

#include "agents/search/search_tree.h"
#include "base/result.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::agents {

/// A legal edit and what is expected of it.
struct ScoredMove {
  Move move;
  double log_gain = 0;     ///< expected ln(gain) over the kernel that it edits, if it is right
  double deviation = 0.3;  ///< of that expectation
  double feasibility = 1;  ///< chance that the result builds and is right
  /// Added to log_gain where edits are put in order: what memory holds of an edit counts there so
  /// that no confirmed gain ever puts it behind another.
  double order_shift = 0;
};

/// What a policy can ask about the episode.
class SearchSpace {
 public:
  virtual ~SearchSpace() = default;
  /// Legal edits of a right kernel of the tree. Asked often: answers are kept by the callee. Valid
  /// until the next call.
  [[nodiscard]] virtual std::span<const ScoredMove> moves(NodeIndex node) = 0;
};

struct Choice {
  NodeIndex from = SearchTree::kRoot;
  Move move;
  std::vector<EdgeIndex> path;  ///< edges followed to `from`: who gets the credit
};

/// One policy in one episode. Chooses again while earlier choices are pending (parallel workers).
class SearchPolicy {
 public:
  virtual ~SearchPolicy() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// nullopt: nothing is left to try, or nothing until a pending choice is judged.
  [[nodiscard]] virtual std::optional<Choice> next(const SearchTree& tree, SearchSpace& space) = 0;
  /// A choice of this policy was judged (or dropped): `edge` says what came of it.
  virtual void learned(const SearchTree& tree, EdgeIndex edge) = 0;
};

/// "greedy", "fsr", "mcgs", "evolve", "turns", "auto". Every random choice follows from `seed`.
/// Errors: invalid_argument, with the names that there are.
[[nodiscard]] Result<std::unique_ptr<SearchPolicy>> make_search_policy(std::string_view name,
                                                                       std::uint64_t seed);

/// Random numbers that are the same on every platform.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  /// In [0, 1).
  [[nodiscard]] double uniform();
  /// Mean 0, deviation 1.
  [[nodiscard]] double normal();
  /// Position drawn in proportion to `weights`; at least one must be above 0.
  [[nodiscard]] std::size_t weighted(std::span<const double> weights);

 private:
  std::mt19937_64 engine_;
};

/// The untried edit of `node` with the highest draw of expected gain × feasibility, or nullptr.
/// `boldness` scales the deviation: 0 takes the expectation. `bonus`, in ln(gain), is what a policy
/// itself holds of an edit.
[[nodiscard]] const ScoredMove* best_untried(
    const SearchTree& tree, SearchSpace& space, NodeIndex node, double boldness, Dice& dice,
    const std::function<double(const Move&)>& bonus = nullptr);

/// The value that such a draw stands for: expected ln(gain), what failing costs included.
[[nodiscard]] double expected_value(const ScoredMove& move, double log_gain);

}  // namespace warpmind::agents
