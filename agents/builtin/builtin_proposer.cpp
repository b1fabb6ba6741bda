#include "agents/builtin/builtin_proposer.h"

#include "agents/builtin/technique.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

/// Where the plan runs one kernel its name says nothing, and would keep what is learned of a move
/// from the next task.
std::string general_parameters(const Scene& scene, std::string parameters) {
  if (scene.only_function() == nullptr || !parameters.starts_with("kernel=")) return parameters;
  return parameters.substr(std::min(parameters.find(';'), parameters.size() - 1) + 1);
}

}  // namespace

std::vector<std::string> BuiltinProposer::techniques() const {
  std::vector<std::string> names;
  for (const auto& technique : builtin::techniques()) names.emplace_back(technique.name);
  return names;
}

std::vector<Move> BuiltinProposer::moves(const ProposalContext& context) const {
  std::vector<Move> all;
  const auto scene = Scene::of(context);
  if (!scene) return all;
  for (const auto& technique : builtin::techniques()) {
    for (auto& move : technique.offer(*scene).moves) {
      if (!technique.apply(*scene, move.parameters)) continue;
      move.parameters = general_parameters(*scene, std::move(move.parameters));
      all.push_back(std::move(move));
    }
  }
  return all;
}

Result<Writing> BuiltinProposer::write(const Move& move, const ProposalContext& context,
                                       std::stop_token /*stop*/) {
  WARPMIND_TRY(const auto scene, Scene::of(context));
  for (const auto& technique : builtin::techniques()) {
    if (technique.name != move.technique) continue;
    auto kernel = technique.apply(scene, move.parameters);
    if (!kernel) return Writing{};
    Candidate candidate;
    candidate.kernel = std::move(*kernel);
    candidate.parent = id_of(context.kernel);
    candidate.proposer = name();
    candidate.technique = move.technique;
    candidate.parameters = move.parameters;
    candidate.rationale = std::string(technique.rationale);
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
