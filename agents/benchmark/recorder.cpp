#include "agents/benchmark/recorder.h"

#include "agents/benchmark/table_file.h"
#include "agents/diagnosis.h"
#include "base/model/verdict_reading.h"
#include "base/text.h"

#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace warpmind::agents::benchmark {
namespace {

struct OpenTable {
  EvaluationTable table;
  TableWriter writer;
};

Result<OpenTable> open_table(const RecordingParts& parts, const std::filesystem::path& file) {
  TableOrigin origin;
  origin.provider = parts.lab.provider();
  WARPMIND_TRY(origin.device, parts.lab.device());
  origin.proposer = parts.proposer.name();
  std::error_code ec;
  if (!std::filesystem::exists(file, ec)) {
    WARPMIND_TRY(auto writer, TableWriter::create(file, origin));
    return OpenTable{EvaluationTable(origin), std::move(writer)};
  }
  WARPMIND_TRY(auto reading, read_table(file));
  const TableOrigin& recorded = reading.table.origin();
  if (recorded.provider != origin.provider || recorded.device.name != origin.device.name ||
      recorded.proposer != origin.proposer) {
    return fail(Errc::conflict, file.string() + " was recorded by " + recorded.proposer + " on " +
                                    recorded.device.name + " (" +
                                    std::string(name_of(recorded.provider)) +
                                    "); record into another file");
  }
  if (!reading.problems.empty()) return fail(Errc::corrupt_data, reading.problems.front());
  WARPMIND_TRY(auto writer, TableWriter::resume(file));
  return OpenTable{std::move(reading.table), std::move(writer)};
}

/// Records one task.
class TaskRecorder {
 public:
  TaskRecorder(const RecordingParts& parts, OpenTable& open, const Task& task,
               const std::stop_token& stop)
      : parts_(parts), open_(open), task_(task), stop_(stop) {
    if (const auto spec = parts.devices.match(open.table.origin().device)) device_ = *spec;
  }

  /// Until `most` kernels are in the table, `deadline` has passed, or nothing is left to judge.
  Result<void> record(std::int64_t most, std::chrono::steady_clock::time_point deadline) {
    WARPMIND_CHECK(judge_given());
    while (const auto kernel = next_to_expand()) {
      for (const auto& writing : writings_of(*kernel)) {
        if (count() > most || parts_.clock.monotonic() >= deadline || stop_.stop_requested()) {
          return {};
        }
        WARPMIND_CHECK(judge(*writing.candidate));
      }
      expanded_.insert(*kernel);
    }
    return {};
  }

 private:
  [[nodiscard]] const TaskRecording& recording() const { return *open_.table.find(task_.id); }
  [[nodiscard]] std::int64_t count() const {
    return static_cast<std::int64_t>(recording().kernels().size());
  }

  Result<void> judge_given() {
    sources_[id_of(task_.kernel)] = task_.kernel;
    if (open_.table.find(task_.id) == nullptr) {
      WARPMIND_CHECK(open_.table.add_task(task_));
      WARPMIND_CHECK(open_.writer.write(task_));
    }
    if (count() > 0) return {};
    auto verdict = parts_.lab.judge({task_, task_.kernel}, stop_);
    if (!verdict && verdict.error().code == Errc::cancelled) return {};
    if (!verdict) return fail(std::move(verdict).error());
    return keep({task_.id, id_of(task_.kernel), {}, "", "", std::move(*verdict)});
  }

  /// The fastest right kernel whose moves were not all judged; kernels of an earlier recording
  /// become known when their parent is expanded again.
  [[nodiscard]] std::optional<KernelId> next_to_expand() const {
    std::optional<KernelId> best;
    double best_gain = 0;
    for (const auto& recorded : recording().kernels()) {
      if (expanded_.contains(recorded.kernel) || !sources_.contains(recorded.kernel)) continue;
      const auto gain = recording().log_gain(recorded.kernel);
      if (!gain || (best && *gain <= best_gain)) continue;
      best = recorded.kernel;
      best_gain = *gain;
    }
    return best;
  }

  /// Candidates from this kernel that are not in the table, each once.
  std::vector<Writing> writings_of(const KernelId& id) {
    const Kernel& kernel = sources_.at(id);
    const Verdict& verdict = recording().find(id)->verdict;
    const Bottleneck bottleneck = diagnose({task_, kernel, verdict, device_});
    const Advice advice;
    const ProposalContext context{task_, kernel, bottleneck, advice, device_};
    std::vector<Writing> all;
    std::set<KernelId> written;
    for (const auto& move : parts_.proposer.moves(context)) {
      auto writing = parts_.proposer.write(move, context, stop_);
      if (!writing || !writing->candidate) continue;
      const KernelId child = id_of(writing->candidate->kernel);
      sources_.try_emplace(child, writing->candidate->kernel);
      if (recording().find(child) != nullptr || !written.insert(child).second) continue;
      writing->candidate->parent = id;
      all.push_back(std::move(*writing));
    }
    return all;
  }

  Result<void> judge(const Candidate& candidate) {
    const RecordedKernel& given = recording().kernels().front();
    const auto& correctness = given.verdict.correctness;
    const Kernel& parent = sources_.at(candidate.parent);
    const profilers::JudgeOrder order{
        task_, candidate.kernel, &parent, correctness ? correctness->baseline_error : 0, {}};
    auto verdict = parts_.lab.judge(order, stop_);
    if (!verdict && verdict.error().code == Errc::cancelled) return {};
    if (!verdict) return fail(std::move(verdict).error());
    return keep({task_.id, id_of(candidate.kernel), candidate.parent, candidate.technique,
                 candidate.parameters, std::move(*verdict)});
  }

  Result<void> keep(const RecordedKernel& kernel) {
    if (says_nothing(kernel.verdict.outcome)) {
      return fail(Errc::unavailable, task_.name + " cannot be measured: " + kernel.verdict.reason);
    }
    if (kernel.parent.empty() && !is_right(kernel.verdict)) {
      return fail(Errc::invalid_argument, task_.name + ": the given kernel is " +
                                              std::string(name_of(kernel.verdict.outcome)) + ": " +
                                              kernel.verdict.reason);
    }
    const KernelId id = kernel.kernel;
    const std::string move =
        kernel.technique + (kernel.parameters.empty() ? "" : " ") + kernel.parameters;
    const std::string outcome(name_of(kernel.verdict.outcome));
    WARPMIND_CHECK(open_.table.add(kernel));
    WARPMIND_CHECK(open_.writer.write(kernel));
    if (!parts_.report) return {};
    const auto gain = recording().log_gain(id);
    parts_.report(task_.name + " " + std::to_string(count() - 1) + ": " +
                  (move.empty() ? "as given" : move) + ": " +
                  (gain ? fixed(std::exp(*gain), 3) + "x of the given kernel" : outcome));
    return {};
  }

  const RecordingParts& parts_;
  OpenTable& open_;
  const Task& task_;
  const std::stop_token& stop_;
  DeviceSpec device_;
  std::map<KernelId, Kernel> sources_;
  std::set<KernelId> expanded_;
};

}  // namespace

Result<EvaluationTable> record_table(const RecordingParts& parts, const std::vector<Task>& tasks,
                                     const RecordingLimits& limits,
                                     const std::filesystem::path& file,
                                     const std::stop_token& stop) {
  WARPMIND_TRY(OpenTable open, open_table(parts, file));
  const auto end = parts.clock.monotonic() + std::chrono::duration<double>(limits.seconds);
  for (std::size_t i = 0; i < tasks.size() && !stop.stop_requested(); ++i) {
    const auto now = parts.clock.monotonic();
    if (now >= end) break;
    const auto share = (end - now) / static_cast<double>(tasks.size() - i);
    TaskRecorder recorder(parts, open, tasks[i], stop);
    WARPMIND_CHECK(recorder.record(
        limits.kernels_per_task,
        now + std::chrono::duration_cast<std::chrono::steady_clock::duration>(share)));
  }
  return std::move(open.table);
}

}  // namespace warpmind::agents::benchmark
