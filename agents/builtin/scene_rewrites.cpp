#include "agents/builtin/scene_rewrites.h"

#include "agents/builtin/loops/plain_spelling.h"
#include "agents/builtin/untiling/untiled.h"

#include <algorithm>
#include <array>

namespace warpmind::agents::builtin {
namespace {

/// A technique whose rewrite leaves `wm_<kernel>_<kept>` with the body as it was, and a kernel that
/// calls that or `wm_<kernel>_<other>`.
struct Wrapper {
  std::string_view technique;
  std::string_view kept;
  std::string_view other;
};
constexpr std::array<Wrapper, 2> kWrappers{
    {{"shape_specialization", "body", "body"}, {"index_32bit", "wide", "narrow"}}};

const Technique* technique_named(std::string_view name) {
  const auto& all = techniques();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::string copy_named(const Function& function, std::string_view what) {
  return "wm_" + function.name + "_" + std::string(what);
}

/// Whether the body does nothing but to choose between calls of these two.
bool only_calls(const SyntaxTree& tree, const Function& function, const std::string& kept,
                const std::string& other) {
  if (!tree.descendants(function.body, "declaration").empty()) return false;
  const auto statements = tree.descendants(function.body, "expression_statement");
  return !statements.empty() &&
         std::all_of(statements.begin(), statements.end(), [&](NodeId statement) {
           const auto parts = tree.children(statement);
           if (parts.size() != 1 || !tree.is(parts[0], "call_expression")) return false;
           const auto callee = tree.text(tree.field(parts[0], "function"));
           return callee == kept || callee == other;
         });
}

bool same_parameters(const Function& a, const Function& b) {
  return std::equal(
      a.parameters.begin(), a.parameters.end(), b.parameters.begin(), b.parameters.end(),
      [](const Parameter& left, const Parameter& right) { return left.name == right.name; });
}

/// Edits that put the body back; empty when `function` is not wrapped that way.
std::vector<TextEdit> unwrapping(const Scene& scene, const Function& function,
                                 const Wrapper& wrapper) {
  const SyntaxTree& tree = scene.tree();
  const std::string name = copy_named(function, wrapper.kept);
  const Function* kept = scene.source().device_function(name);
  const Function* other = scene.source().device_function(copy_named(function, wrapper.other));
  if (kept == nullptr || other == nullptr || kept->has_error || !same_parameters(function, *kept) ||
      !only_calls(tree, function, name, other->name)) {
    return {};
  }
  std::vector<TextEdit> edits{{tree.node(function.body).range, std::string(tree.text(kept->body))},
                              syntax::without_function(tree, *kept)};
  if (other != kept) edits.push_back(syntax::without_function(tree, *other));
  return edits;
}

std::string body_of(const Kernel& kernel, const std::string& name) {
  const auto source = CudaSource::read(kernel.source);
  const Function* function = source ? source->kernel(name) : nullptr;
  return function == nullptr ? std::string() : std::string(source->tree.text(function->body));
}

/// The moves of both, the most promising first; of two with the same parameters the first.
Offer merged(Offer first, Offer second) {
  if (first.moves.empty()) return second;
  for (auto& move : second.moves) {
    const bool known = std::any_of(first.moves.begin(), first.moves.end(), [&](const Move& other) {
      return other.parameters == move.parameters;
    });
    if (!known) first.moves.push_back(std::move(move));
  }
  std::stable_sort(first.moves.begin(), first.moves.end(),
                   [](const Move& a, const Move& b) { return a.prior_gain > b.prior_gain; });
  return first;
}

}  // namespace

struct SceneRewrites::Inner : OtherKernel {
  using OtherKernel::OtherKernel;
  const Technique* wrapper = nullptr;
  std::string parameters;  ///< with which `wrapper` was applied
  std::optional<SceneRewrites> below;
};

Result<SceneRewrites> SceneRewrites::read(const ProposalContext& context) {
  WARPMIND_TRY(auto spellings, SceneSpellings::read(context));
  SceneRewrites rewrites(std::move(spellings));
  for (const auto& wrapper : kWrappers) {
    std::vector<TextEdit> edits;
    std::vector<std::string> wrapped;
    for (const auto& function : rewrites.scene().source().functions) {
      if (function.kind != FunctionKind::kernel) continue;
      auto own = unwrapping(rewrites.scene(), function, wrapper);
      if (own.empty()) continue;
      edits.insert(edits.end(), own.begin(), own.end());
      wrapped.push_back(function.name);
    }
    if (edits.empty()) continue;
    auto inner = std::make_shared<Inner>(context, with_edits(rewrites.scene(), std::move(edits)));
    inner->wrapper = technique_named(wrapper.technique);
    auto below = read(inner->context);
    if (!below || inner->wrapper == nullptr) continue;
    inner->below.emplace(std::move(*below));
    // Which variant was it? The one that makes the same choice again in every kernel.
    for (const auto& move : inner->below->offer(*inner->wrapper).moves) {
      const auto again = inner->wrapper->apply(inner->below->scene(), move.parameters);
      const bool same = again && std::all_of(wrapped.begin(), wrapped.end(), [&](const auto& name) {
                          return body_of(*again, name) == body_of(context.kernel, name);
                        });
      if (!same) continue;
      inner->parameters = move.parameters;
      rewrites.inner_ = std::move(inner);
      return rewrites;
    }
  }
  return rewrites;
}

Offer SceneRewrites::offer_untiled(const Technique& technique, Offer refused) const {
  if (!technique.writes_anew || !refused.moves.empty()) return refused;
  if (const Scene* plain = spellings_.plain_untiled()) return technique.offer(*plain);
  const auto& stay = spellings_.tiles_stay();
  if (!stay.empty()) refused.refusal += "; its tiles stay, as " + stay;
  return refused;
}

/// A kernel without its tiles is slow: what the technique leaves must not be one.
std::optional<Kernel> SceneRewrites::rewrite_untiled(const Technique& technique,
                                                     std::string_view parameters) const {
  const Scene* const plain_scene = spellings_.plain_untiled();
  if (!technique.writes_anew || plain_scene == nullptr) return std::nullopt;
  auto edited = technique.apply(*plain_scene, parameters);
  if (!edited) return std::nullopt;
  const auto source = CudaSource::read(edited->source);
  if (!source) return std::nullopt;
  const LaunchPlan& plain_plan = plain_scene->plan();
  bool is_written = false;
  for (const auto& [name, note] : untiling_of(scene()).untiled->notes) {
    const Function* left = source->kernel(name);
    const Function* plain = plain_scene->source().kernel(name);
    is_written |= left == nullptr || plain == nullptr ||
                  source->tree.text(left->node) != plain_scene->tree().text(plain->node);
    for (std::size_t i = 0; i < plain_plan.launches.size(); ++i) {
      for (Launch& launch : edited->plan.launches) {
        if (launch.kernel != name || launch != plain_plan.launches[i]) continue;
        // It stays, and so do its tiles.
        launch = scene().plan().launches[i];
      }
    }
  }
  if (!is_written && edited->plan.launches == scene().plan().launches) return std::nullopt;
  return with_others_as_given(scene().source(), plain_scene->source(), std::move(*edited));
}

bool SceneRewrites::may_look_below(const Technique& technique) const {
  return inner_ != nullptr && technique.name != inner_->wrapper->name;
}

Offer SceneRewrites::offer(const Technique& technique) const {
  Offer direct = technique.offer(scene());
  if (const Scene* plain = spellings_.plain()) {
    direct = merged(std::move(direct), technique.offer(*plain));
  }
  direct = offer_untiled(technique, std::move(direct));
  if (!direct.moves.empty() || !may_look_below(technique)) return direct;
  return inner_->below->offer(technique);
}

std::optional<Kernel> SceneRewrites::rewrite(const Technique& technique,
                                             std::string_view parameters) const {
  if (auto direct = technique.apply(scene(), parameters)) return direct;
  if (const Scene* plain = spellings_.plain()) {
    if (auto edited = technique.apply(*plain, parameters)) {
      return with_others_as_given(scene().source(), plain->source(), std::move(*edited));
    }
  }
  if (auto anew = rewrite_untiled(technique, parameters)) return anew;
  if (!may_look_below(technique)) return std::nullopt;
  auto edited = inner_->below->rewrite(technique, parameters);
  if (!edited) return std::nullopt;
  // Where the wrapper has nothing to do any more, it is left out.
  const ProposalContext& given = scene().context();
  const ProposalContext context{given.task, *edited, given.bottleneck, given.advice, given.device};
  if (const auto scene = Scene::read(context)) {
    if (auto wrapped = inner_->wrapper->apply(*scene, inner_->parameters)) return wrapped;
  }
  return edited;
}

}  // namespace warpmind::agents::builtin
