#pragma once
/// \file
/// One kernel as the techniques look at it: its syntax, its launches with numbers for every
/// workload, and what the episode knows.

#include "agents/builtin/syntax.h"
#include "agents/proposer.h"
#include "base/plan_evaluation.h"

#include <any>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <typeindex>
#include <utility>
#include <vector>

namespace warpmind::agents::builtin {

class ProbeProgram;

/// One launch of the plan with the sizes of one workload.
struct SceneLaunch {
  std::size_t index = 0;  ///< in the plan
  std::string workload;
  bool timed = false;
  LaunchShape shape;
  std::map<std::string, std::int64_t, std::less<>> scalars;  ///< integer and bool parameters
  std::map<std::string, double, std::less<>> reals;          ///< floating parameters
  /// Elements of the buffer bound to each pointer parameter.
  std::map<std::string, std::int64_t, std::less<>> extents;
  /// Argument or scratch buffer bound to each pointer parameter: equal names are one buffer.
  std::map<std::string, std::string, std::less<>> buffers;
  /// Of the plan: macros that the compiler is given for the whole file.
  std::map<std::string, std::int64_t, std::less<>> constants;
  /// What probes of the scene's source share; a prober makes its own when there is none.
  std::shared_ptr<const ProbeProgram> program;

  [[nodiscard]] std::int64_t threads() const;  ///< of the grid
};

class Scene {
 public:
  /// `context` and everything that it refers to must outlive the scene. Errors: invalid_argument
  /// when the source cannot be parsed at all or a launch cannot be evaluated.
  [[nodiscard]] static Result<Scene> read(const ProposalContext& context);

  [[nodiscard]] const ProposalContext& context() const { return *context_; }
  [[nodiscard]] const Kernel& kernel() const { return context_->kernel; }
  [[nodiscard]] const LaunchPlan& plan() const { return context_->kernel.plan; }
  [[nodiscard]] const CudaSource& source() const { return *source_; }
  [[nodiscard]] const SyntaxTree& tree() const { return source_->tree; }
  /// Every launch of every workload; those of timed workloads first, largest first.
  [[nodiscard]] const std::vector<SceneLaunch>& launches() const { return launches_; }
  /// Those of one launch of the plan.
  [[nodiscard]] std::vector<SceneLaunch> launches_of(std::size_t index) const;
  /// Those that run the function, whichever launch of the plan they belong to. Valid as long as the
  /// scene is.
  [[nodiscard]] std::vector<const SceneLaunch*> launches_of(const Function& function) const;
  /// The function that launch `index` of the plan runs; nullptr: not defined exactly once.
  [[nodiscard]] const Function* function_of(std::size_t index) const;
  /// The kernel that all launches of the plan run; nullptr when they run several.
  [[nodiscard]] const Function* only_function() const;
  /// Share of the plan's time that launch `index` takes, as last diagnosed; even when unknown.
  [[nodiscard]] double time_share(std::size_t index) const;
  /// How much faster the plan is when launch `index` is `gain` times faster.
  [[nodiscard]] double plan_gain(std::size_t index, double gain) const;
  /// The same when `launches` take `nanoseconds` in all, of a workload. What they take now is what
  /// was measured of the edited kernel or, where nothing was, `guess`.
  [[nodiscard]] double plan_gain_by_time(std::span<const std::size_t> launches, double guess,
                                         double nanoseconds) const;
  /// What `make` finds out about launch `index` of the plan, once for each type T: analyses that
  /// several techniques ask for. Not for several threads at a time.
  template <class T, class Make>
  [[nodiscard]] const T& remembered(std::size_t index, const Make& make) const {
    std::any& finding = (*findings_)[{std::type_index(typeid(T)), index}];
    if (!finding.has_value()) finding.emplace<T>(make());
    return *std::any_cast<T>(&finding);
  }
  /// Whether that class is the primary or a secondary bottleneck.
  [[nodiscard]] bool suffers(BottleneckClass what) const;

 private:
  const ProposalContext* context_ = nullptr;
  std::shared_ptr<const CudaSource> source_;  ///< stays where it is when the scene moves
  std::vector<SceneLaunch> launches_;
  using Findings = std::map<std::pair<std::type_index, std::size_t>, std::any>;
  std::shared_ptr<Findings> findings_ = std::make_shared<Findings>();
};

/// The kernel with an edited source; the plan as it is.
[[nodiscard]] Kernel with_edits(const Scene& scene, std::vector<TextEdit> edits);

}  // namespace warpmind::agents::builtin
