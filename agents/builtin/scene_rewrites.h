#pragma once
/// \file
/// What the techniques make of one scene, with the rewrites that only wrap a body looked through:
/// after shape_specialization or index_32bit a kernel only chooses between copies of what it did.
/// Another technique then edits the kernel without the copies, which are made anew afterwards.

#include "agents/builtin/technique.h"

#include <memory>
#include <utility>

namespace warpmind::agents::builtin {

class SceneRewrites {
 public:
  /// As Scene::of.
  [[nodiscard]] static Result<SceneRewrites> of(const ProposalContext& context);

  [[nodiscard]] const Scene& scene() const { return scene_; }
  /// As Technique::offer and Technique::apply; where the technique refuses the kernel as it stands,
  /// of the kernel below its wrappers.
  [[nodiscard]] Offer offer(const Technique& technique) const;
  [[nodiscard]] std::optional<Kernel> apply(const Technique& technique,
                                            std::string_view parameters) const;

 private:
  /// The kernel without its outermost wrapper; equal in what it computes.
  struct Inner;

  explicit SceneRewrites(Scene scene) : scene_(std::move(scene)) {}
  [[nodiscard]] bool may_look_below(const Technique& technique) const;

  Scene scene_;
  std::shared_ptr<const Inner> inner_;  ///< nullptr: nothing is wrapped
};

}  // namespace warpmind::agents::builtin
