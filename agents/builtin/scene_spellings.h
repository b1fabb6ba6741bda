#pragma once
/// \file
/// One kernel in the spellings that techniques and finders of forms look at: as it stands, in plain
/// spelling (loops/plain_spelling.h), and without its tiles (untiling/untiled.h).

#include "agents/builtin/scene.h"

#include <memory>
#include <string>
#include <utility>

namespace warpmind::agents::builtin {

/// A kernel in place of the given one, and what is known of that.
struct OtherKernel {
  OtherKernel(const ProposalContext& given, Kernel other)
      : kernel(std::move(other)), context(with_kernel(given, kernel)) {}
  OtherKernel(const OtherKernel&) = delete;
  OtherKernel(OtherKernel&&) = delete;
  OtherKernel& operator=(const OtherKernel&) = delete;
  OtherKernel& operator=(OtherKernel&&) = delete;
  ~OtherKernel() = default;

  Kernel kernel;
  ProposalContext context;  ///< of `kernel`
};

/// Copies share their scenes.
class SceneSpellings {
 public:
  /// As Scene::read(), which the context must outlive too.
  [[nodiscard]] static Result<SceneSpellings> read(const ProposalContext& context);

  [[nodiscard]] const Scene& given() const { return given_; }
  /// nullptr: it stands in plain spelling.
  [[nodiscard]] const Scene* plain() const { return scene_of(plain_); }
  /// Without its tiles, as untiling writes it; nullptr: it has none, or they stay.
  [[nodiscard]] const Scene* untiled() const { return scene_of(untiled_); }
  /// The same in plain spelling.
  [[nodiscard]] const Scene* plain_untiled() const {
    return plain_untiled_ != nullptr ? scene_of(plain_untiled_) : untiled();
  }
  /// Why tiles stay, one clause; empty: they do not, or there are none.
  [[nodiscard]] const std::string& tiles_stay() const { return tiles_stay_; }

 private:
  struct Spelled;

  explicit SceneSpellings(Scene given) : given_(std::move(given)) {}
  [[nodiscard]] static Result<std::shared_ptr<const Spelled>> spelled(
      const ProposalContext& context, Kernel kernel);
  /// nullptr: it is in plain spelling.
  [[nodiscard]] static Result<std::shared_ptr<const Spelled>> plain_of(
      const ProposalContext& context, const Scene& scene);
  [[nodiscard]] static const Scene* scene_of(const std::shared_ptr<const Spelled>& spelled);

  Scene given_;
  std::shared_ptr<const Spelled> plain_;
  std::shared_ptr<const Spelled> untiled_;
  std::shared_ptr<const Spelled> plain_untiled_;  ///< nullptr: as `untiled_`
  std::string tiles_stay_;
};

}  // namespace warpmind::agents::builtin
