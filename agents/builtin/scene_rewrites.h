#pragma once
/// \file
/// What the techniques make of one scene, whatever its spelling: what a technique refuses on the
/// text as it stands, it is asked again on the plain spelling (loops/plain_spelling.h), and one
/// that writes kernels anew on the kernel without its tiles (untiling/untiled.h). Rewrites that
/// only wrap a body are looked through: after shape_specialization or index_32bit a kernel only
/// chooses between copies of what it did. Another technique then edits the kernel without the
/// copies, which are made anew afterwards.

#include "agents/builtin/scene_spellings.h"
#include "agents/builtin/technique.h"

#include <memory>
#include <string>
#include <utility>

namespace warpmind::agents::builtin {

class SceneRewrites {
 public:
  /// As Scene::read.
  [[nodiscard]] static Result<SceneRewrites> read(const ProposalContext& context);

  [[nodiscard]] const Scene& scene() const { return spellings_.given(); }
  /// As Technique::offer and Technique::apply, of the kernel as it stands and in plain spelling;
  /// where the technique refuses both, of the kernel without its tiles, then of the one below its
  /// wrappers.
  [[nodiscard]] Offer offer(const Technique& technique) const;
  [[nodiscard]] std::optional<Kernel> rewrite(const Technique& technique,
                                              std::string_view parameters) const;

 private:
  /// The kernel without its outermost wrapper; equal in what it computes.
  struct Inner;

  explicit SceneRewrites(SceneSpellings spellings) : spellings_(std::move(spellings)) {}
  [[nodiscard]] Offer offer_untiled(const Technique& technique, Offer refused) const;
  [[nodiscard]] std::optional<Kernel> rewrite_untiled(const Technique& technique,
                                                      std::string_view parameters) const;
  [[nodiscard]] bool may_look_below(const Technique& technique) const;

  SceneSpellings spellings_;
  std::shared_ptr<const Inner> inner_;  ///< nullptr: nothing is wrapped
};

}  // namespace warpmind::agents::builtin
