#pragma once
/// \file
/// What every kernel that the proposer's moves lead to was found to be, once: judged by a real lab,
/// answered again thousands of times. The file format is in docs/bench_memory.md.

#include "base/model/device.h"
#include "base/model/task.h"
#include "base/model/verdict.h"
#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace warpmind::agents::benchmark {

/// Who measured, where, and whose moves were followed.
struct TableOrigin {
  Provider provider = Provider::gpu;
  DeviceIdentity device;
  std::string proposer = "builtin";
  bool operator==(const TableOrigin&) const = default;
};

/// One kernel as judged against the kernel that it was made from.
struct RecordedKernel {
  TaskId task;
  KernelId kernel;
  KernelId parent;         ///< empty: the kernel as given
  std::string technique;   ///< of the move that was followed from the parent
  std::string parameters;  ///< of that move
  Verdict verdict;
  bool operator==(const RecordedKernel&) const = default;
};

/// Correct, with a time: something that can be built upon.
[[nodiscard]] bool is_right(const Verdict& verdict);

/// How long a kernel takes, from its own verdict and its parent's time.
struct KernelTime {
  double log_ns = 0;  ///< the parent's minus ln(ratio): paired comparisons do not drift
  double reach = 0;   ///< half the recorded interval of its comparison, in logarithms
};

/// The kernels of one task; [0] is the given one.
class TaskRecording {
 public:
  explicit TaskRecording(Task task) : task_(std::move(task)) {}

  [[nodiscard]] const Task& task() const { return task_; }
  [[nodiscard]] const std::vector<RecordedKernel>& kernels() const { return kernels_; }
  [[nodiscard]] const RecordedKernel* find(const KernelId& kernel) const;
  /// Absent for a kernel that is not right or not there.
  [[nodiscard]] std::optional<KernelTime> time_of(const KernelId& kernel) const;
  /// ln(time of the given kernel / time of this one); absent as time_of().
  [[nodiscard]] std::optional<double> log_gain(const KernelId& kernel) const;
  /// Of the fastest right kernel; 0 when nothing was faster than the given one.
  [[nodiscard]] double best_log_gain() const;
  /// Fresh process pairs behind a confirmed comparison in this recording; at least 3.
  [[nodiscard]] std::int64_t confirm_processes() const { return confirm_processes_; }

  /// Errors: invalid_argument for a kernel that is there already, whose parent is missing or not
  /// right, a second given kernel, or a time that is no positive number.
  [[nodiscard]] Result<void> add(RecordedKernel kernel);

 private:
  Task task_;
  std::vector<RecordedKernel> kernels_;
  std::vector<std::optional<KernelTime>> times_;
  std::unordered_map<KernelId, std::size_t> index_;
  std::int64_t confirm_processes_ = 3;
};

class EvaluationTable {
 public:
  EvaluationTable() = default;
  explicit EvaluationTable(TableOrigin origin) : origin_(std::move(origin)) {}

  [[nodiscard]] const TableOrigin& origin() const { return origin_; }
  [[nodiscard]] const std::vector<TaskRecording>& tasks() const { return tasks_; }
  [[nodiscard]] const TaskRecording* find(const TaskId& task) const;
  [[nodiscard]] std::size_t kernels() const;

  /// Errors: invalid_argument for a task that is there already or without a kernel.
  [[nodiscard]] Result<void> add_task(Task task);
  /// Errors: invalid_argument for an unknown task; as TaskRecording::add().
  [[nodiscard]] Result<void> add(RecordedKernel kernel);

 private:
  [[nodiscard]] TaskRecording* recording_of(const TaskId& task);

  TableOrigin origin_;
  std::vector<TaskRecording> tasks_;
};

}  // namespace warpmind::agents::benchmark
