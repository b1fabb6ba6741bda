#include "agents/builtin/builtin_proposer.h"

#include "agents/builtin/scene_rewrites.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

constexpr std::size_t kMostKnown = 32;

/// Where the plan runs one kernel its name says nothing, and would keep what is learned of a move
/// from the next task.
std::string general_parameters(const Scene& scene, std::string parameters) {
  if (scene.only_function() == nullptr || !parameters.starts_with("kernel=")) return parameters;
  return parameters.substr(std::min(parameters.find(';'), parameters.size() - 1) + 1);
}

/// A rewrite of statements knows how often it helped, not what the kernel will take: it is believed
/// to come as near to the limit as such rewrites did, and no nearer.
void keep_within_limit(const Bottleneck& bottleneck, const Technique& technique, Move& move) {
  constexpr double kUsualShare = 0.75;  ///< of the limit, reached on the shipped tasks on an H200
  if (technique.writes_anew || bottleneck.headroom <= 0) return;
  const double most = std::max(1.0, kUsualShare * bottleneck.headroom);
  if (move.prior_gain <= most) return;
  move.prior_gain = most * (1 + 0.1 * (1 - most / move.prior_gain));  // keeps their order
}

std::vector<Move> find_moves(const ProposalContext& context, const std::vector<Technique>& table) {
  std::vector<Move> all;
  const auto rewrites = SceneRewrites::read(context);
  if (!rewrites) return all;
  for (const auto& technique : table) {
    for (auto& move : rewrites->offer(technique).moves) {
      keep_within_limit(context.bottleneck, technique, move);
      move.parameters = general_parameters(rewrites->scene(), std::move(move.parameters));
      all.push_back(std::move(move));
    }
  }
  return all;
}

}  // namespace

std::vector<std::string> BuiltinProposer::techniques() const {
  std::vector<std::string> names;
  for (const auto& technique : table_) names.push_back(technique.name);
  return names;
}

std::vector<Move> BuiltinProposer::moves(const ProposalContext& context) const {
  Known fresh{id_of(context.kernel), context.task.id, context.bottleneck, context.device, {}};
  {
    const std::lock_guard lock(mutex_);
    for (const auto& known : known_) {
      if (known.kernel == fresh.kernel && known.task == fresh.task &&
          known.bottleneck == fresh.bottleneck && known.device == fresh.device) {
        return known.moves;
      }
    }
  }
  fresh.moves = find_moves(context, table_);
  const std::lock_guard lock(mutex_);
  known_.push_front(fresh);
  if (known_.size() > kMostKnown) known_.pop_back();
  return std::move(fresh.moves);
}

Result<Writing> BuiltinProposer::write(const Move& move, const ProposalContext& context,
                                       std::stop_token /*stop*/) {
  WARPMIND_TRY(const auto rewrites, SceneRewrites::read(context));
  for (const auto& technique : table_) {
    if (technique.name != move.technique) continue;
    auto kernel = rewrites.rewrite(technique, move.parameters);
    if (!kernel) return Writing{};
    Candidate candidate;
    candidate.kernel = std::move(*kernel);
    candidate.parent = id_of(context.kernel);
    candidate.proposer = name();
    candidate.technique = move.technique;
    candidate.parameters = move.parameters;
    candidate.rationale = technique.rationale;
    candidate.predicted_gain = move.prior_gain;
    candidate.predicted_low = move.prior_gain;
    candidate.predicted_high = move.prior_gain;
    for (const auto& known : context.advice.techniques) {
      if (known.technique != move.technique || known.observations == 0) continue;
      candidate.predicted_gain = known.predicted_gain;
      candidate.predicted_low = known.gain_low;
      candidate.predicted_high = known.gain_high;
      candidate.rationale += "; " + known.why;
    }
    candidate.rationale += '.';
    return Writing{std::move(candidate)};
  }
  return fail(Errc::invalid_argument, "no built-in technique named '" + move.technique + "'");
}

}  // namespace warpmind::agents::builtin
