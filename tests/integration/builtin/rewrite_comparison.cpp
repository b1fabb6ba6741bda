#include "tests/integration/builtin/rewrite_comparison.h"

#include "base/plan_evaluation.h"
#include "base/text.h"
#include "profilers/judge/elements.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace warpmind::rewrites {
namespace {

/// A rewrite may take more than the given kernel where it pays on larger workloads.
constexpr std::uint64_t kMoreSteps = 40;

bool is_close(double given, double rewritten, Dtype dtype, const Closeness& closeness) {
  if (std::isnan(given) || std::isnan(rewritten)) {
    return std::isnan(given) && std::isnan(rewritten);
  }
  if (given == rewritten) return true;
  if (std::fabs(given - rewritten) <= closeness.absolute) return true;
  if (closeness.ulps <= 0) return false;
  return static_cast<double>(profilers::ulp_distance(given, rewritten, dtype)) <= closeness.ulps;
}

std::vector<Difference> differences_of(const Argument& argument, const std::string& given,
                                       const std::string& rewritten, const Closeness& closeness) {
  if (given == rewritten) return {};
  const auto a = profilers::decode_elements(given, argument.dtype);
  const auto b = profilers::decode_elements(rewritten, argument.dtype);
  Difference difference;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto bytes = size_in_bytes(argument.dtype);
    const bool equal_bytes = given.compare(i * bytes, bytes, rewritten, i * bytes, bytes) == 0;
    const bool is_exact = !is_floating(argument.dtype);  // a double does not hold every i64
    if (equal_bytes || (!is_exact && is_close(a[i], b[i], argument.dtype, closeness))) continue;
    if (difference.count++ == 0) difference = {argument.name, i, a[i], b[i], 1};
  }
  if (difference.count == 0) return {};
  return {difference};
}

/// Findings of kinds that `given` does not have.
std::string new_findings(const PlanRun& given, const PlanRun& rewritten) {
  std::set<simulator::CheckKind> known;
  for (const auto& entry : given.findings) known.insert(entry.kind);
  PlanRun fresh;
  for (const auto& entry : rewritten.findings) {
    if (known.count(entry.kind) == 0) fresh.findings.push_back(entry);
  }
  return fresh.describe_findings();
}

}  // namespace

bool RewriteReport::same() const {
  return !workloads.empty() && std::all_of(workloads.begin(), workloads.end(),
                                           [](const auto& report) { return report.same(); });
}

std::string RewriteReport::describe() const {
  if (workloads.empty()) return "no workload is small enough to run\n";
  std::string text;
  for (const auto& report : workloads) {
    if (report.same()) continue;
    text += "workload '" + report.workload + "':\n";
    if (!report.error.empty()) text += "  " + report.error + "\n";
    if (!report.findings.empty()) text += "  " + report.findings;
    for (const auto& difference : report.differences) {
      text += "  " + difference.argument + "[" + std::to_string(difference.index) + "] is " +
              fixed(difference.rewritten, 6) + ", given kernel: " + fixed(difference.given, 6) +
              " (" + std::to_string(difference.count) + " elements differ)\n";
    }
  }
  return text;
}

std::vector<Workload> workloads_to_run(const Task& task) {
  std::vector<Workload> chosen;
  for (const auto& workload : task.workloads) {
    std::int64_t elements = 0;
    for (const auto& argument : task.arguments) {
      elements += evaluate_product(argument.shape, workload.sizes).value_or(kTimedElementLimit);
    }
    if (!workload.timed || elements <= kTimedElementLimit) chosen.push_back(workload);
  }
  return chosen;
}

RewriteComparison::RewriteComparison(KernelBuilder builder, Task task, PlanRunLimits limits)
    : builder_(std::move(builder)), task_(std::move(task)), limits_(limits) {}

Result<RewriteComparison> RewriteComparison::create(const KernelBuilder& builder, Task task,
                                                    const PlanRunLimits& limits) {
  RewriteComparison comparison(builder, std::move(task), limits);
  const Task& given = comparison.task_;
  WARPMIND_TRY(const auto ptx, builder.ptx(given.kernel));
  comparison.workloads_ = workloads_to_run(given);
  for (const auto& workload : comparison.workloads_) {
    auto run = run_plan(ptx, given, given.kernel.plan, workload, {}, limits);
    if (!run) return fail(std::move(run).error().while_doing("workload " + workload.name));
    if (!run->end_reason.empty()) {
      return fail(Errc::invalid_argument, "workload " + workload.name + ": " + run->end_reason);
    }
    comparison.given_.push_back(std::move(*run));
  }
  return comparison;
}

RewriteReport RewriteComparison::compare(const Kernel& rewritten,
                                         const Closeness& closeness) const {
  RewriteReport report;
  PlanRunLimits limits = limits_;
  limits.steps *= kMoreSteps;
  const auto ptx = builder_.ptx(rewritten);
  for (std::size_t i = 0; i < workloads_.size(); ++i) {
    const PlanRun& given = given_[i];
    WorkloadReport one{workloads_[i].name, {}, {}, {}, false, given.thread_instructions, 0};
    if (!ptx) {
      one.error = "does not build: " + ptx.error().message;
    } else if (const auto run = run_plan(*ptx, task_, rewritten.plan, workloads_[i], {}, limits)) {
      one.error = run->end_reason;
      one.out_of_steps = run->out_of_steps;
      one.findings = new_findings(given, *run);
      one.rewritten_instructions = run->thread_instructions;
      for (const auto& argument : task_.arguments) {
        if (argument.kind == ArgumentKind::scalar) continue;
        for (auto& difference : differences_of(argument, given.buffers.at(argument.name),
                                               run->buffers.at(argument.name), closeness)) {
          one.differences.push_back(std::move(difference));
        }
      }
    } else {
      one.error = "does not run: " + run.error().message;
    }
    report.workloads.push_back(std::move(one));
  }
  return report;
}

}  // namespace warpmind::rewrites
