#include "daemon/lsp/open_file.h"

#include <algorithm>
#include <string_view>

namespace warpmind::daemon::lsp {
namespace {

/// "scale<float>" is an instance of "scale".
bool is_kernel(std::string_view spelled, std::string_view name) {
  return spelled.starts_with(name) &&
         (spelled.size() == name.size() || spelled[name.size()] == '<');
}

template <class List, class Name>
auto named_in(const List& list, const std::string& name, Name name_of) {
  const auto found = std::find_if(list.begin(), list.end(),
                                  [&](const auto& one) { return is_kernel(one.*name_of, name); });
  return found == list.end() ? nullptr : &*found;
}

/// What limited the kernel of step `index`: the steps that edited it say. Null when none did.
const Bottleneck* state_after(const Episode& episode, std::int64_t index) {
  const auto found =
      std::find_if(episode.steps.begin(), episode.steps.end(),
                   [&](const Step& step) { return step.index > 0 && step.edited == index; });
  return found == episode.steps.end() ? nullptr : &found->before;
}

/// The launches of a plan that is not the given one, as a comment: whoever launches must follow.
std::string plan_comment(const Kernel& given, const Kernel& better) {
  if (given.plan == better.plan && given.build_flags == better.build_flags) return {};
  std::string text = "// warpmind: this variant is launched as\n";
  for (const auto& launch : better.plan.launches) {
    const auto dim = [](const auto& of) { return of[0] + ", " + of[1] + ", " + of[2]; };
    text += "//   " + launch.kernel + "<<<dim3(" + dim(launch.grid) + "), dim3(" +
            dim(launch.block) + "), " + launch.shared_bytes + ">>>(";
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
      // "i32:rows" binds the value of an expression of sizes: to a reader it is that expression.
      const std::string& bound = launch.arguments[i];
      text += (i == 0 ? "" : ", ") + bound.substr(bound.find(':') + 1);
    }
    text += launch.cooperative ? ") by cudaLaunchCooperativeKernel\n" : ")\n";
  }
  for (const auto& [name, value] : better.plan.constants) {
    text += "//   -D" + name + "=" + std::to_string(value) + "\n";
  }
  for (const auto& flag : better.build_flags) text += "//   built with " + flag + "\n";
  return text;
}

}  // namespace

std::string applied_text(const Episode& episode, const Step& step) {
  const Kernel& kernel = step.candidate.kernel;
  return plan_comment(episode.steps.front().candidate.kernel, kernel) + kernel.source;
}

bool holds(const OpenFile& file, const Step& step) {
  const std::string& text = file.document.text();
  if (!text.ends_with(step.candidate.kernel.source)) return false;
  return text == applied_text(file.knowledge.last->episode, step);
}

const Step* shown_step(const OpenFile& file) {
  const auto& last = file.knowledge.last;
  if (!last || last->episode.steps.empty()) return nullptr;
  const auto& steps = last->episode.steps;
  const auto is_text = [&](const Step& step) { return holds(file, step); };
  const auto best = static_cast<std::size_t>(std::max<std::int64_t>(last->episode.best_step, 0));
  if (best < steps.size() && is_text(steps[best])) return &steps[best];
  const auto found = std::find_if(steps.begin(), steps.end(), is_text);
  return found == steps.end() ? &steps.front() : &*found;
}

const Step* better_step(const Episode& episode) {
  if (episode.best_step <= 0 || !episode.best_against_baseline) return nullptr;
  const auto best = static_cast<std::size_t>(episode.best_step);
  return best < episode.steps.size() ? &episode.steps[best] : nullptr;
}

const Step* better_step(const OpenFile& file) {
  return file.knowledge.last ? better_step(file.knowledge.last->episode) : nullptr;
}

std::string why_not_applied(const OpenFile& file) {
  const Step* better = better_step(file);
  if (!file.knowledge.last) return "nothing was measured yet; optimize it once";
  if (better == nullptr) return file.knowledge.last->episode.summary;
  if (better == shown_step(file)) return "the text is the better kernel already";
  if (!holds(file, file.knowledge.last->episode.steps.front())) {
    return "the text was edited since the variant was verified; optimize it again";
  }
  return {};
}

KernelFacts facts_of(const OpenFile& file, const std::string& kernel) {
  KernelFacts facts;
  const auto& known = file.knowledge;
  if (known.analysis) {
    facts.analysed = named_in(known.analysis->kernels, kernel, &AnalyzedKernel::name);
    facts.analysis_stale = known.analysed_text != file.document.text();
    if (facts.analysed != nullptr) {
      facts.bottleneck = &facts.analysed->bottleneck;
      facts.advice = &facts.analysed->advice;
    }
  }
  const Step* step = shown_step(file);
  if (step == nullptr) {
    facts.stale = facts.analysis_stale;
    return facts;
  }
  const Verdict& verdict = step->verdict;
  if (verdict.build) {
    facts.built = named_in(verdict.build->kernels, kernel, &KernelResources::kernel);
  }
  if (verdict.profile) {
    facts.profile = named_in(verdict.profile->kernels, kernel, &KernelProfile::kernel);
  }
  if (verdict.measurement) facts.measurement = &*verdict.measurement;
  facts.stale = !holds(file, *step);
  const Bottleneck* state = state_after(known.last->episode, step->index);
  // What was judged counts more than what was looked at, unless it was another text.
  const bool judged = state != nullptr && is_kernel(state->kernel, kernel);
  if (!judged || (facts.stale && facts.bottleneck != nullptr)) return facts;
  facts.bottleneck = state;
  // What was looked at speaks of another cause, or of another text.
  const bool fits =
      facts.advice != nullptr && !facts.analysis_stale && facts.advice->against == state->primary;
  if (!fits) facts.advice = nullptr;
  return facts;
}

std::vector<std::string> claims_of(const OpenFile& file, const std::string& kernel) {
  std::vector<std::string> claims;
  const auto facts = facts_of(file, kernel);
  if (facts.analysed != nullptr) {
    for (const auto& insight : facts.analysed->insights) claims.push_back(insight.claim);
  }
  if (!claims.empty() || !file.knowledge.last) return claims;
  for (const auto& insight : file.knowledge.last->insights) {
    if (insight.known) claims.push_back(insight.claim);
  }
  return claims;
}

}  // namespace warpmind::daemon::lsp
