#pragma once
/// \file
/// What can be said of CUDA source without measuring it: build, resources, occupancy, bottleneck,
/// predicted time, insights that apply.

#include "agents/analysis/source_kernels.h"
#include "agents/episode_service.h"
#include "base/model/kernel_analysis.h"
#include "config/settings.h"
#include "knowledge_base/retrieval/query.h"
#include "profilers/kernel_builder.h"

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace warpmind::agents {

/// The references must outlive the call.
struct AnalysisOrder {
  const Task& task;          ///< only `kernel` is set when the launches are not known
  const DeviceSpec& device;  ///< to build and predict for
  bool predict = true;       ///< only with launches
  std::int64_t insights = 3;
};

/// Does:      build in the sandbox, simulate a task's kernel, diagnose, ask the base; time the
///            given kernel beside the best library call.
/// Does not:  store anything, write kernels; measures for judge_alone() and time_library() only.
/// Threads:   any; the lab's other users are waited for.
class KernelAnalyst {
 public:
  using InsightSource = std::function<Result<RetrievalAnswer>(const knowledge_base::InsightQuery&)>;

  /// The compiler is looked for at the first call. References must outlive it.
  KernelAnalyst(const config::Settings& settings, LabSource labs, InsightSource insights);

  /// Source that does not build is a value. `lines` and `findings` are there when the kernel was
  /// simulated. Errors: unavailable without a compiler; cancelled;
  /// invalid_argument for text that is too large.
  [[nodiscard]] Result<KernelAnalysis> analyze(const AnalysisOrder& order,
                                               const std::stop_token& stop);

  /// The given kernel's verdict, whose measurement carries the best library call. Errors:
  /// unavailable without a GPU; as KernelLab::judge().
  [[nodiscard]] Result<Verdict> time_library(const Task& task, bool again,
                                             const std::stop_token& stop);
  /// Judges one kernel by itself; the newest few verdicts are kept.
  /// Provider, device and effort are those of `request`; sizes are drawn from the task's hidden
  /// ranges unless the effort is `quick`. Errors: as KernelLab::judge(); unavailable where
  /// the provider cannot be had.
  /// `baseline_error` as in JudgeOrder.
  [[nodiscard]] Result<Verdict> judge_alone(const JobRequest& request, const Kernel& kernel,
                                            double baseline_error, const std::stop_token& stop);

 private:
  using Judged = std::pair<std::string, Verdict>;  // key of what was judged, and as what

  [[nodiscard]] Result<std::shared_ptr<profilers::KernelBuilder>> builder();
  [[nodiscard]] Result<Verdict> simulate(const AnalysisOrder& order, const std::stop_token& stop);
  [[nodiscard]] Result<Verdict> judge_once(const JobRequest& request,
                                           const profilers::JudgeOrder& given,
                                           const std::stop_token& stop);
  void add_prediction(const AnalysisOrder& order, const std::stop_token& stop, Verdict& verdict,
                      KernelAnalysis& analysis);
  void add_insights(const AnalysisOrder& order, const Verdict& verdict, KernelAnalysis& analysis);

  const config::Settings& settings_;
  LabSource labs_;
  InsightSource insights_;
  std::mutex mutex_;  // of the two below
  std::shared_ptr<profilers::KernelBuilder> builder_;
  std::list<Judged> judged_;  // newest first, a few
};

}  // namespace warpmind::agents
