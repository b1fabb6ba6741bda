#include "tests/unit/agents/planted_landscape.h"

#include <numeric>

namespace warpmind::agents {
namespace {

constexpr int kWay = 4;
constexpr int kUnbuildable = 4;
constexpr int kWrong = 6;
constexpr int kTrap = 8;

}  // namespace

PlantedLandscape::PlantedLandscape(Ground ground, std::uint64_t seed)
    : ground_(ground), tree_("given") {
  Dice dice(seed);
  role_.resize(kTechniques);
  std::iota(role_.begin(), role_.end(), 0);
  for (std::size_t i = role_.size(); i > 1; --i) {
    std::swap(role_[i - 1],
              role_[static_cast<std::size_t>(dice.uniform() * static_cast<double>(i))]);
  }
  for (int i = 0; i < kTechniques; ++i) small_.push_back(0.02 + 0.1 * dice.uniform());
  states_.emplace_back();
}

double PlantedLandscape::log_gain_of(const State& state) const {
  double sum = 0;
  for (int i = 0; i < kTechniques; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (!state.used[at]) continue;
    const bool is_small = role_[at] > kTrap || (role_[at] == kTrap && ground_ != Ground::trap);
    if (is_small) sum += small_[at];
  }
  if (state.trapped) sum += 0.47;  // 1.6x
  if (ground_ == Ground::detour && state.planted > 0) {
    return sum - 0.05 + (kPlanted + 0.05) * (state.planted - 1) / (kWay - 1);
  }
  return sum + kPlanted * state.planted / kWay;
}

std::string PlantedLandscape::key_of(const State& state) {
  std::string key = std::to_string(state.planted) + (state.trapped ? "t" : "-");
  for (const bool used : state.used) key += used ? '1' : '0';
  return key;
}

int PlantedLandscape::technique_of(const Move& move) const {
  return std::stoi(move.technique.substr(1));
}

std::span<const ScoredMove> PlantedLandscape::moves(NodeIndex node) {
  const State state = states_.at(node);
  answer_.clear();
  for (int i = 0; i < kTechniques; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (state.used[at]) continue;
    ScoredMove one;
    one.move.technique = "t" + std::to_string(i);
    if (remembers_ && role_[at] == state.planted) {
      one.log_gain = 0.25;
      one.deviation = 0.2;
    } else {
      one.deviation = remembers_ ? 0.2 : 0.3;
      one.feasibility = 0.8;
    }
    answer_.push_back(learning_.adjusted(std::move(one)));
  }
  return answer_;
}

void PlantedLandscape::judge(EdgeIndex edge) {
  const auto& done = tree_.edge(edge);
  const auto at = static_cast<std::size_t>(technique_of(done.move));
  State next = states_.at(done.from);
  next.used[at] = true;
  Judgement judgement;
  const int role = role_[at];
  if (role >= kUnbuildable && role < kWrong) judgement.end = CandidateEnd::unbuildable;
  if (role >= kWrong && role < kTrap) judgement.end = CandidateEnd::wrong;
  if (role < kWay && role == next.planted && !next.trapped) ++next.planted;
  if (role == kTrap && ground_ == Ground::trap) next.trapped = true;
  if (judgement.end == CandidateEnd::measured) judgement.log_gain = log_gain_of(next);
  learning_.learn(done.move, judgement.end,
                  judgement.log_gain - tree_.node(done.from).judgement.log_gain);
  const NodeIndex node = tree_.finish(edge, key_of(next), judgement);
  if (node == states_.size()) states_.push_back(next);
}

std::int64_t PlantedLandscape::run(SearchPolicy& policy, std::int64_t judgements,
                                   std::size_t workers) {
  std::vector<EdgeIndex> under_way;
  while (tree_.judged() < judgements) {
    std::optional<Choice> choice;
    if (under_way.size() < workers) choice = policy.next(tree_, *this);
    if (choice) {
      under_way.push_back(tree_.start(choice->from, choice->move, choice->path));
      continue;
    }
    if (under_way.empty()) return 0;  // nothing is left
    const EdgeIndex edge = under_way.front();
    under_way.erase(under_way.begin());
    judge(edge);
    policy.learned(tree_, edge);
    if (states_.at(tree_.best()).planted == kWay) return tree_.judged();
  }
  return 0;
}

}  // namespace warpmind::agents
