#include "agents/builtin/explain_moves.h"

#include "agents/builtin/forms/normal_form.h"
#include "agents/builtin/scene_rewrites.h"
#include "agents/builtin/untiling/untiled.h"
#include "base/sequence.h"
#include "base/text.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

/// Kernels of `after` whose text is not that of `before`, and kernels of changed launches.
std::vector<std::string> changed_kernels(const Scene& before, const Kernel& after) {
  std::vector<std::string> changed;
  const auto add = [&](const std::string& name) { append_unique(changed, name); };
  if (const auto source = CudaSource::read(after.source)) {
    for (const auto& function : source->functions) {
      if (function.kind != FunctionKind::kernel) continue;
      const Function* same = before.source().kernel(function.name);
      if (same == nullptr || before.tree().text(same->node) != source->tree.text(function.node)) {
        add(function.name);
      }
    }
  }
  for (const auto& launch : after.plan.launches) {
    const auto& given = before.plan().launches;
    if (!contains(given, launch)) add(launch.kernel);
  }
  return changed;
}

bool has_kernel(const Scene& scene) {
  const auto& all = scene.source().functions;
  return std::any_of(all.begin(), all.end(),
                     [](const Function& f) { return f.kind == FunctionKind::kernel; });
}

/// A move that is expected to cost time is there for a search to try, and nothing to tell a person.
void leave_out_losses(ExplainedTechnique& technique) {
  if (technique.moves.empty()) return;
  const double best = technique.moves.front().predicted_gain;
  std::erase_if(technique.moves, [](const ExplainedMove& move) { return move.predicted_gain < 1; });
  if (technique.moves.empty()) {
    technique.refusal = "it is expected to cost time here, about " + significant(best) + " times";
  }
}

ExplainedTechnique explain(const SceneRewrites& rewrites, const Technique& technique,
                           const MoveFilter& filter) {
  ExplainedTechnique out;
  out.technique = technique.name;
  out.rationale = technique.rationale;
  out.parameters = technique.parameters;
  Offer offer = rewrites.offer(technique);
  for (auto& move : offer.moves) out.moves.push_back({std::move(move.parameters), move.prior_gain});
  out.refusal = std::move(offer.refusal);
  if (!has_kernel(rewrites.scene())) {
    out.moves.clear();
    out.refusal = "the file defines no kernel";
    return out;
  }
  leave_out_losses(out);
  if (!filter.parameters.empty()) {
    std::erase_if(out.moves,
                  [&](const ExplainedMove& m) { return m.parameters != filter.parameters; });
  }
  if (!out.moves.empty()) out.rewritten = rewrites.rewrite(technique, out.moves.front().parameters);
  if (out.rewritten) out.kernels = changed_kernels(rewrites.scene(), *out.rewritten);
  return out;
}

std::vector<ExplainedForm> forms_of(const Scene& scene) {
  std::vector<ExplainedForm> all;
  for (const FormFinding& finding : find_forms(scene)) {
    for (const NormalForm& form : finding.forms) {
      all.push_back({std::string(name_of(form.kind)), form.kernel, form.summary});
    }
  }
  return all;
}

/// Of the kernel as it stands, else in plain spelling, where that differs.
std::vector<ExplainedForm> forms_of(const Scene& scene, const Scene* plain) {
  std::vector<ExplainedForm> all = forms_of(scene);
  if (all.empty() && plain != nullptr) return forms_of(*plain);
  return all;
}

std::string listed(const std::vector<Move>& moves) {
  std::string text;
  for (const auto& move : moves) text += (text.empty() ? "" : ", ") + move.parameters;
  return text;
}

}  // namespace

Result<std::vector<ExplainedForm>> explain_forms(const ProposalContext& context) {
  WARPMIND_TRY(const auto spellings, SceneSpellings::read(context));
  auto all = forms_of(spellings.given(), spellings.plain());
  if (spellings.untiled() == nullptr) return all;
  const auto& notes = untiling_of(spellings.given()).untiled->notes;
  auto found = forms_of(*spellings.untiled(), spellings.plain_untiled());
  for (ExplainedForm& form : found) {
    const auto note = notes.find(form.kernel);
    if (note == notes.end()) continue;
    form.summary += ", " + note->second;
    all.push_back(std::move(form));
  }
  return all;
}

Result<std::vector<ExplainedTechnique>> explain_moves(const ProposalContext& context,
                                                      const MoveFilter& filter,
                                                      const std::vector<Technique>& table) {
  WARPMIND_TRY(const auto rewrites, SceneRewrites::read(context));
  std::vector<ExplainedTechnique> all;
  std::string names;
  for (const auto& technique : table) {
    names += (names.empty() ? "" : ", ") + technique.name;
    if (!filter.technique.empty() && filter.technique != technique.name) continue;
    all.push_back(explain(rewrites, technique, filter));
    if (!filter.parameters.empty() && all.back().moves.empty() && all.back().refusal.empty()) {
      return fail(Errc::not_found, "'" + filter.technique + "' has no move '" + filter.parameters +
                                       "' here; it has " + listed(rewrites.offer(technique).moves));
    }
  }
  if (all.empty()) {
    return fail(Errc::not_found,
                "there is no built-in technique '" + filter.technique + "'; there are " + names);
  }
  return all;
}

}  // namespace warpmind::agents::builtin
