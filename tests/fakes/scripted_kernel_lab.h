#pragma once
/// \file
/// A lab without compiler or device: a function says how long each kernel takes. It answers as the
/// real one does, with confirmed comparisons and measurements, so that a whole episode runs in
/// microseconds on a planted landscape.

#include "profilers/kernel_lab.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpmind::fakes {

class ScriptedKernelLab final : public profilers::KernelLab {
 public:
  /// Microseconds of one run, or nullopt for a kernel that computes the wrong result.
  using Landscape = std::function<std::optional<double>(const Kernel&)>;

  explicit ScriptedKernelLab(Landscape landscape) : landscape_(std::move(landscape)) {}

  [[nodiscard]] Provider provider() const override {
    return predicts ? Provider::sim : Provider::gpu;
  }

  [[nodiscard]] Result<DeviceIdentity> device() override {
    DeviceIdentity identity;
    identity.name = "NVIDIA H200";
    identity.compute_major = 9;
    identity.sm_count = 132;
    return identity;
  }

  [[nodiscard]] Result<Verdict> judge(const profilers::JudgeOrder& order,
                                      std::stop_token stop) override {
    if (stop.stop_requested()) return fail(Errc::cancelled, "stopped");
    judged.push_back(id_of(order.kernel));
    for (const Stage stage : {Stage::build, Stage::timing}) {
      if (order.on_stage) order.on_stage(stage);
    }
    if (order.refuse_new_spills) ++spill_gated;
    if (order.effort == Effort::strict && !order.task.hidden.empty()) ++strictly_hidden;
    if (order.effort != Effort::quick && !order.task.hidden.empty()) ++drawn_hidden;
    if (const auto planted = planted_.find(id_of(order.kernel)); planted != planted_.end()) {
      return planted->second;
    }
    Verdict verdict;
    if (machine_code_of) {
      verdict.build = BuildReport{};
      verdict.build->succeeded = true;
      verdict.build->machine_code = machine_code_of(order.kernel);
    }
    const auto time = landscape_(order.kernel);
    if (!time) {
      verdict.outcome = Outcome::wrong;
      verdict.reason = "y[0]: got 1, want 2";
      return verdict;
    }
    verdict.correctness = Correctness{true, 6, 100, 0.1, 1e-4, ""};
    verdict.measurement = Measurement{};
    verdict.measurement->device = device().value();
    verdict.measurement->workload = "large";
    verdict.measurement->median_ns = *time * 1000;
    verdict.profile = profile_;
    if (order.incumbent == nullptr) {
      verdict.outcome = Outcome::same;
      verdict.reason = "baseline";
      return verdict;
    }
    verdict.comparison = compare(order, stop).value();
    const double ratio = verdict.comparison->ratio;
    const double band = predicts ? kPredictionBand : 1.005;
    verdict.outcome = ratio > band       ? Outcome::improved
                      : ratio < 1 / band ? Outcome::regressed
                      : predicts         ? Outcome::inconclusive
                                         : Outcome::same;
    verdict.reason = std::string(name_of(verdict.outcome));
    return verdict;
  }

  [[nodiscard]] Result<Comparison> compare(const profilers::JudgeOrder& order,
                                           std::stop_token /*stop*/) override {
    const double ratio = landscape_(*order.incumbent).value() / landscape_(order.kernel).value();
    if (predicts) {
      return Comparison{ratio, ratio / kPredictionBand, ratio * kPredictionBand, 0.9, 0, 0};
    }
    return Comparison{ratio, ratio * 0.99, ratio * 1.01, 0.99, 7, 70};
  }
  [[nodiscard]] Result<std::string> machine_code(const profilers::JudgeOrder& order,
                                                 std::stop_token /*stop*/) override {
    return machine_code_of ? machine_code_of(order.kernel) : std::string();
  }

  /// What judge() says about one kernel, whatever the landscape.
  void plant(const Kernel& kernel, Verdict verdict) {
    planted_[id_of(kernel)] = std::move(verdict);
  }
  void set_profile(Profile profile) { profile_ = std::move(profile); }

  /// As the simulator does: comparisons are predictions, off by up to kPredictionBand.
  bool predicts = false;
  std::function<std::string(const Kernel&)> machine_code_of;  ///< empty = it cannot say
  std::vector<KernelId> judged;                               ///< in order
  std::size_t spill_gated = 0;                                ///< orders that refuse new spills
  std::size_t strictly_hidden = 0;  ///< orders of effort strict whose task has hidden ranges
  std::size_t drawn_hidden = 0;     ///< orders whose effort draws sizes from such ranges

 private:
  static constexpr double kPredictionBand = 1.5;

  Landscape landscape_;
  std::map<KernelId, Verdict> planted_;
  std::optional<Profile> profile_;
};

}  // namespace warpmind::fakes
