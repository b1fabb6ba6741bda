#include "profilers/judge/task_admission.h"

#include "base/text.h"
#include "profilers/judge/case_comparison.h"
#include "profilers/judge/controls.h"
#include "profilers/judge/elements.h"
#include "profilers/judge/input_generator.h"
#include "profilers/judge/tolerance.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <random>

namespace warpmind::profilers {
namespace {

/// Elements of all buffers up to which a workload is small.
constexpr std::int64_t kSmallElements = 200'000;
/// After this no further inputs are drawn, once there are kLeastSeeds of them.
constexpr double kDrawingSeconds = 4;
constexpr std::int64_t kLeastSeeds = 3;
/// An element depends on the inputs when it varies by this many tolerances …
constexpr double kVariation = 100;
/// … or, where so many are more than the numbers themselves, by this share of their magnitude and
/// at least this many.
constexpr double kMagnitudeShare = 0.5;
constexpr double kLeastVariation = 4;
constexpr double kVaryingShare = 0.99;
constexpr double kConstantShare = 0.5;
constexpr double kDiscreteShare = 0.5;
/// A baseline without error: the narrowest tolerance that a reduction can have.
constexpr double kNoBaselineError = std::numeric_limits<double>::min();

/// All draws for one workload.
struct WorkloadCases {
  const Workload* workload = nullptr;
  ToleranceRule widest;
  ToleranceRule narrowest;
  std::vector<AdmissionCase> cases;
};

std::int64_t elements_of(const Task& task, const Workload& workload) {
  std::int64_t total = 0;
  for (const Argument& argument : task.arguments) {
    if (argument.kind == ArgumentKind::scalar) continue;
    total += element_count(argument, workload.sizes).value_or(kSmallElements + 1);
  }
  return total;
}

bool is_discrete(const Task& task, const Argument& output) {
  return task.contract.tolerance == ToleranceClass::exact || !is_floating(output.dtype);
}

class Admission {
 public:
  Admission(const Task& task, const ReferenceLibrary& library, std::uint64_t seed)
      : task_(task), library_(library), random_(seed) {}

  Result<void> draw(const std::vector<std::string>& workloads, std::int64_t seeds);
  Result<AdmissionReport> judge();

 private:
  Result<AdmissionCase> draw_case(const Workload& workload);
  /// Sentences of refusal; nullopt = passed.
  Result<std::optional<std::string>> try_control(Control control, const Argument& output);
  Result<std::optional<std::string>> check_variation(const Argument& output);
  /// By how much `bytes[w]` on workload w is off at worst, in tolerances.
  Result<double> worst_ratio(const Argument& output, std::size_t seed,
                             const std::vector<std::string>& bytes) const;
  [[nodiscard]] std::string refuse(const std::string& why) const {
    return "task '" + task_.name + "' is degenerate: " + why;
  }

  const Task& task_;
  const ReferenceLibrary& library_;
  std::mt19937_64 random_;
  std::vector<WorkloadCases> drawn_;
  AdmissionReport report_;
};

Result<AdmissionCase> Admission::draw_case(const Workload& workload) {
  const Distribution plainest = distributions_of(task_).front();
  AdmissionCase one;
  for (const Argument& argument : task_.arguments) {
    if (!is_input(argument)) continue;
    const InputDraw draw{distribution_for(argument, plainest, 0)};
    WARPMIND_TRY(one.raw_inputs[argument.name],
                 draw_argument(task_, argument, workload.sizes, draw, random_()));
  }
  WARPMIND_TRY(one.reference, compute_reference(library_, task_, workload.sizes, one.raw_inputs));
  return one;
}

Result<void> Admission::draw(const std::vector<std::string>& workloads, std::int64_t seeds) {
  const auto start = std::chrono::steady_clock::now();
  for (const std::string& name : workloads) {
    const auto found = std::find_if(task_.workloads.begin(), task_.workloads.end(),
                                    [&name](const Workload& w) { return w.name == name; });
    if (found == task_.workloads.end()) {
      return fail(Errc::not_found, "the task has no workload named " + name);
    }
    WorkloadCases cases;
    cases.workload = &*found;
    WARPMIND_TRY(cases.widest, tolerance_rule(task_.contract, found->sizes, 0));
    WARPMIND_TRY(cases.narrowest, tolerance_rule(task_.contract, found->sizes, kNoBaselineError));
    drawn_.push_back(std::move(cases));
  }
  for (std::int64_t seed = 0; seed < std::max<std::int64_t>(seeds, 2); ++seed) {
    const auto spent = std::chrono::steady_clock::now() - start;
    if (seed >= kLeastSeeds && std::chrono::duration<double>(spent).count() > kDrawingSeconds) {
      break;
    }
    for (WorkloadCases& one : drawn_) {
      WARPMIND_TRY(auto drawn, draw_case(*one.workload));
      one.cases.push_back(std::move(drawn));
    }
    ++report_.seeds;
  }
  report_.workloads = workloads;
  return {};
}

Result<double> Admission::worst_ratio(const Argument& output, std::size_t seed,
                                      const std::vector<std::string>& bytes) const {
  double worst = 0;
  for (std::size_t i = 0; i < drawn_.size(); ++i) {
    const WorkloadCases& one = drawn_[i];
    WARPMIND_TRY(auto extents, extents_of(output, one.workload->sizes));
    const Expected expected = one.cases[seed].reference.expected(output, std::move(extents));
    worst = std::max(worst, compare_output(expected, one.widest, bytes[i]).worst_ratio);
  }
  return worst;
}

Result<std::optional<std::string>> Admission::try_control(Control control, const Argument& output) {
  for (std::size_t seed = 0; seed < static_cast<std::size_t>(report_.seeds); ++seed) {
    std::vector<std::vector<ControlOutput>> made;
    for (const WorkloadCases& one : drawn_) {
      made.push_back(make_control(control, task_, output, one.cases, seed));
    }
    for (std::size_t variant = 0; variant < made.front().size(); ++variant) {
      std::vector<std::string> bytes;
      bytes.reserve(made.size());
      for (const auto& of_workload : made) {
        // An input may be empty on one workload only.
        bytes.push_back(variant < of_workload.size() ? of_workload[variant].bytes : "");
      }
      WARPMIND_TRY(const double ratio, worst_ratio(output, seed, bytes));
      ++report_.controls;
      if (report_.closest.empty() || ratio < report_.closest_ratio) {
        report_.closest_ratio = ratio;
        report_.closest = std::string(name_of(control)) + " on " + output.name;
      }
      if (ratio > 1) continue;
      return std::optional(
          refuse(describe(control, output.name, made.front()[variant].from) +
                 " passes its check (control: " + std::string(name_of(control)) +
                 "); tighten the tolerance, or change the inputs or the operation so that the "
                 "work shows"));
    }
  }
  return std::optional<std::string>();
}

/// Smallest and largest value, and the magnitude, of one element over the draws.
struct ElementSpread {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  double squares = 0;
  bool changes_class = false;  ///< between numbers, infinities and NaN

  void add(double value, double first) {
    changes_class = changes_class || std::isfinite(value) != std::isfinite(first);
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
    squares += value * value;
  }
  [[nodiscard]] double width() const { return high > low ? high - low : 0; }
};

Result<std::optional<std::string>> Admission::check_variation(const Argument& output) {
  // The largest says most: on a tiny one the same numbers may come out by chance.
  const WorkloadCases* most = &drawn_.front();
  for (const WorkloadCases& one : drawn_) {
    if (elements_of(task_, *one.workload) > elements_of(task_, *most->workload)) most = &one;
  }
  WARPMIND_TRY(auto extents, extents_of(output, most->workload->sizes));
  const Expected first = most->cases.front().reference.expected(output, std::move(extents));
  const std::vector<double> tolerances = element_tolerances(first, most->narrowest);
  const std::size_t count = first.reference.size();
  const auto draws = static_cast<double>(most->cases.size());
  std::size_t constant = 0;
  std::size_t varying = 0;
  for (std::size_t i = 0; i < count; ++i) {
    ElementSpread spread;
    for (const AdmissionCase& one : most->cases) {
      spread.add(one.reference.outputs.at(output.name)[i], first.reference[i]);
    }
    const double magnitude = std::sqrt(spread.squares / draws);
    const double needed =
        is_discrete(task_, output)
            ? 0
            : std::max(kLeastVariation * tolerances[i],
                       std::min(kVariation * tolerances[i], kMagnitudeShare * magnitude));
    if (spread.width() == 0 && !spread.changes_class) {
      ++constant;
    } else if (spread.changes_class || spread.width() >= needed) {
      ++varying;
    }
  }
  const auto all = static_cast<double>(count);
  const double share = static_cast<double>(varying) / all;
  report_.varying = std::min(report_.varying, share);
  const std::string inputs = std::to_string(most->cases.size()) + " inputs that were drawn";
  if (is_discrete(task_, output)) {
    if (share >= kDiscreteShare) return std::optional<std::string>();
    return std::optional(refuse("only " + fixed(100 * share, 1) + " % of the elements of '" +
                                output.name + "' change between the " + inputs +
                                " (half must); choose inputs that it depends on"));
  }
  if (static_cast<double>(constant) > kConstantShare * all) {
    return std::optional(refuse(std::to_string(constant) + " of the " + std::to_string(count) +
                                " elements of '" + output.name + "' are the same for all " +
                                inputs + "; choose inputs that it depends on"));
  }
  const double of_changing = static_cast<double>(varying) / (all - static_cast<double>(constant));
  if (of_changing >= kVaryingShare) return std::optional<std::string>();
  return std::optional(refuse("'" + output.name + "' hardly depends on the inputs: only " +
                              fixed(100 * of_changing, 1) +
                              " % of its elements vary by 100 times the tolerance between the " +
                              inputs + " (99 % must); tighten the tolerance, or let it vary more"));
}

Result<AdmissionReport> Admission::judge() {
  report_.varying = 1;
  bool any = false;
  for (const Argument& output : task_.arguments) {
    if (!is_output(output)) continue;
    any = true;
    for (const auto& [control, name] : EnumNames<Control>::table) {
      WARPMIND_TRY(auto refusal, try_control(control, output));
      if (refusal) {
        report_.refusal = std::move(*refusal);
        return report_;
      }
    }
    WARPMIND_TRY(auto refusal, check_variation(output));
    if (refusal) {
      report_.refusal = std::move(*refusal);
      return report_;
    }
  }
  if (!any) report_.refusal = refuse("it has no output");
  report_.admitted = any;
  return report_;
}

}  // namespace

Result<AdmissionReport> check_admission(const Task& task, const ReferenceLibrary& library,
                                        const std::vector<std::string>& workloads,
                                        std::int64_t seeds, std::uint64_t seed) {
  const auto start = std::chrono::steady_clock::now();
  if (workloads.empty()) {
    return fail(Errc::invalid_argument, "task '" + task.name + "' has no workloads");
  }
  Admission admission(task, library, seed);
  WARPMIND_CHECK(admission.draw(workloads, seeds));
  WARPMIND_TRY(auto report, admission.judge());
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

std::vector<std::string> admission_workloads(const Task& task) {
  std::vector<std::string> small;
  const Workload* smallest = nullptr;
  for (const Workload& workload : task.workloads) {
    const std::int64_t elements = elements_of(task, workload);
    if (elements <= kSmallElements) small.push_back(workload.name);
    if (smallest == nullptr || elements < elements_of(task, *smallest)) smallest = &workload;
  }
  if (small.empty() && smallest != nullptr) small.push_back(smallest->name);
  return small;
}

}  // namespace warpmind::profilers
