#include "agents/benchmark/evaluation_table.h"

#include "base/prediction_interval.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace warpmind::agents::benchmark {
namespace {

bool is_time(double value) { return std::isfinite(value) && value > 0; }

/// Absent when it was not compared. Errors: invalid_argument for numbers that cannot be times.
Result<std::optional<KernelTime>> time_from(const Verdict& verdict,
                                            const std::optional<KernelTime>& parent) {
  if (parent && !verdict.comparison) return std::optional<KernelTime>();
  if (parent) {
    const Comparison& comparison = *verdict.comparison;
    const double high =
        has_interval(comparison) ? comparison.high : comparison.ratio * kClaimWithoutInterval;
    if (!is_time(comparison.ratio) || !is_time(high)) {
      return fail(Errc::invalid_argument, "its ratio is no positive number");
    }
    return std::optional(KernelTime{parent->log_ns - std::log(comparison.ratio),
                                    std::abs(std::log(high / comparison.ratio))});
  }
  if (!verdict.measurement || !is_time(verdict.measurement->median_ns)) {
    return fail(Errc::invalid_argument, "its time is no positive number");
  }
  return std::optional(KernelTime{std::log(verdict.measurement->median_ns), 0});
}

}  // namespace

bool is_right(const Verdict& verdict) {
  switch (verdict.outcome) {
    case Outcome::improved:
    case Outcome::same:
    case Outcome::regressed:
    case Outcome::inconclusive: return verdict.comparison || verdict.measurement;
    default: return false;
  }
}

const RecordedKernel* TaskRecording::find(const KernelId& kernel) const {
  const auto found = index_.find(kernel);
  return found == index_.end() ? nullptr : &kernels_[found->second];
}

std::optional<KernelTime> TaskRecording::time_of(const KernelId& kernel) const {
  const auto found = index_.find(kernel);
  return found == index_.end() ? std::nullopt : times_[found->second];
}

std::optional<double> TaskRecording::log_gain(const KernelId& kernel) const {
  const auto time = time_of(kernel);
  if (!time || !times_.front()) return std::nullopt;
  return times_.front()->log_ns - time->log_ns;
}

double TaskRecording::best_log_gain() const {
  double best = 0;
  for (const auto& recorded : kernels_)
    best = std::max(best, log_gain(recorded.kernel).value_or(0));
  return best;
}

Result<void> TaskRecording::add(RecordedKernel kernel) {
  const std::string name = "kernel " + kernel.kernel.str() + ": ";
  if (kernel.kernel.empty()) return fail(Errc::invalid_argument, "a kernel without its id");
  if (index_.contains(kernel.kernel)) {
    return fail(Errc::invalid_argument, name + "it is there already");
  }
  if (kernel.parent.empty() != kernels_.empty()) {
    return fail(Errc::invalid_argument,
                name + (kernels_.empty() ? "the given kernel must come first"
                                         : "there is a given kernel already"));
  }
  std::optional<KernelTime> time;
  if (is_right(kernel.verdict)) {
    const auto parent = time_of(kernel.parent);
    if (!kernel.parent.empty() && !parent) {
      return fail(Errc::invalid_argument,
                  name + "its parent " + kernel.parent.str() + " is not there, or is not right");
    }
    const auto known = time_from(kernel.verdict, parent);
    if (!known) return fail(Errc::invalid_argument, name + known.error().message);
    time = *known;
  } else if (!kernel.parent.empty() && !index_.contains(kernel.parent)) {
    return fail(Errc::invalid_argument,
                name + "its parent " + kernel.parent.str() + " is not there");
  }
  if (kernel.verdict.comparison) {
    confirm_processes_ = std::max(confirm_processes_, kernel.verdict.comparison->processes);
  }
  index_.emplace(kernel.kernel, kernels_.size());
  times_.push_back(time);
  kernels_.push_back(std::move(kernel));
  return {};
}

const TaskRecording* EvaluationTable::find(const TaskId& task) const {
  const auto found =
      std::find_if(tasks_.begin(), tasks_.end(),
                   [&](const TaskRecording& recording) { return recording.task().id == task; });
  return found == tasks_.end() ? nullptr : &*found;
}

TaskRecording* EvaluationTable::recording_of(const TaskId& task) {
  return const_cast<TaskRecording*>(find(task));
}

std::size_t EvaluationTable::kernels() const {
  std::size_t count = 0;
  for (const auto& recording : tasks_) count += recording.kernels().size();
  return count;
}

Result<void> EvaluationTable::add_task(Task task) {
  if (task.id.empty() || task.kernel.source.empty()) {
    return fail(Errc::invalid_argument, "a task without id or kernel");
  }
  if (find(task.id) != nullptr) {
    return fail(Errc::invalid_argument,
                "task " + task.id.str() + " (" + task.name + ") is there already");
  }
  tasks_.emplace_back(std::move(task));
  return {};
}

Result<void> EvaluationTable::add(RecordedKernel kernel) {
  TaskRecording* recording = recording_of(kernel.task);
  if (recording == nullptr) {
    return fail(Errc::invalid_argument, "kernel " + kernel.kernel.str() + ": its task " +
                                            kernel.task.str() + " is not there");
  }
  return recording->add(std::move(kernel));
}

}  // namespace warpmind::agents::benchmark
