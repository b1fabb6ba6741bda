#include "profilers/sanitizer/sanitizer_gate.h"

#include "base/file.h"
#include "base/part.h"
#include "base/sequence.h"
#include "base/text.h"
#include "profilers/lab/run_case.h"
#include "profilers/sanitizer/sanitizer_command.h"

#include <algorithm>
#include <array>
#include <utility>

namespace warpmind::profilers {
namespace {

/// Code runs 10 to 100 times slower below a tool, and all of it starts anew.
constexpr double kToolSeconds = 180;
/// The tool takes its analysis and its summary to the end of the runner.
constexpr std::chrono::seconds kToolFarewell{30};
constexpr std::size_t kLogLimit = std::size_t{16} << 20U;

/// What came of one tool.
struct ToolEnd {
  SanitizerReport report;
  std::string left_out;  ///< why it said nothing; empty = it looked at the whole run
};

Result<RunnerJob> job_of(Judging& judging, const WorkerSession& runner, const BuiltKernel& kernel,
                         const Workload& workload) {
  WARPMIND_TRY(const auto cases, prepare_cases(judging, runner, workload, 1, CaseUse::run_only));
  RunnerJob job;
  job.mode = JobMode::check;
  job.repeat_bitwise = false;
  job.bare = true;
  RunCase& one = job.cases.emplace_back();
  one.id = cases.front().id;
  WARPMIND_TRY(one.buffers, make_buffers(judging.task, workload, cases.front()));
  WARPMIND_TRY(one.candidate,
               make_program(judging.task, *kernel.kernel, workload, "bin/candidate"));
  return job;
}

/// Empty when the runner did its whole job below the tool.
std::string trouble_of(const RunnerAnswer& answer) {
  if (!answer.report) {
    return answer.outcome == Outcome::timed_out
               ? "it did not end within " + std::to_string(static_cast<int>(kToolSeconds)) + " s"
               : answer.reason;
  }
  if (!answer.report->ok) return first_line(answer.report->error);
  for (const auto& one : answer.report->cases) {
    if (one.status == CaseStatus::launch_error) return "the kernel did not run: " + one.message;
  }
  return {};
}

Result<ToolEnd> run_tool(Judging& judging, const SanitizerOrder& order, SanitizerTool tool,
                         const Workload& workload) {
  const auto place = sanitized_place(order.place, *order.program, tool);
  WARPMIND_TRY(auto runner, WorkerSession::start(judging.sandbox, place));
  WARPMIND_CHECK(runner.add_binary(order.kernel.binary, "candidate"));
  WARPMIND_TRY(const auto job, job_of(judging, runner, order.kernel, workload));
  WARPMIND_TRY(const auto answer, runner.run_job(job, kToolSeconds, judging.stop));
  runner.finish(kToolFarewell);
  ToolEnd end;
  const auto log = read_file(runner.directory() / sanitizer_log(tool), kLogLimit);
  if (log) end.report = parse_sanitizer_log(*log);
  end.left_out = trouble_of(answer);
  if (end.left_out.empty() && !end.report.finished) end.left_out = "it wrote no summary";
  if (!end.left_out.empty() && !end.report.trouble.empty()) end.left_out = end.report.trouble;
  return end;
}

bool is_fault(const std::string& kind) {
  for (const char* word : {"Invalid ", "Misaligned", "Out-of-range", "Stack overflow", "Illegal"}) {
    if (kind.starts_with(word)) return true;
  }
  return false;
}

/// As memcheck reports an asynchronous copy of which only the first bytes are read: it begins
/// inside an allocation and ends behind it.
bool may_be_partly_filled(const SanitizerFinding& finding) {
  static constexpr std::array<std::string_view, 3> kReads = {
      "Invalid __global__ read of size 4 bytes", "Invalid __global__ read of size 8 bytes",
      "Invalid __global__ read of size 16 bytes"};
  return contains(kReads, finding.kind) &&
         finding.where.find("inside the nearest allocation") != std::string::npos;
}

/// What the host and its copies did is not the kernel's.
bool is_of_kernel(const SanitizerFinding& finding) { return !finding.kernel.empty(); }

SimulatorFinding value_of(SanitizerTool tool, const SanitizerFinding& finding) {
  SimulatorFinding value = part<SimulatorFinding>(finding);
  value.kind.insert(0, std::string(name_of(tool)) + ": ");
  return value;
}

}  // namespace

std::optional<StageFailure> failure_of(SanitizerTool tool, const SanitizerReport& report) {
  const auto found =
      std::find_if(report.findings.begin(), report.findings.end(),
                   [](const SanitizerFinding& one) { return one.defect && is_of_kernel(one); });
  if (found == report.findings.end()) return std::nullopt;
  std::string reason = "compute-sanitizer " + std::string(name_of(tool)) +
                       " found: " + found->kind + " in " + found->kernel;
  if (found->place.line > 0) {
    const std::string file = found->place.file.substr(found->place.file.rfind('/') + 1);
    reason += file == "kernel.cu" ? " line " : " at " + file + ":";
    reason += std::to_string(found->place.line);
  }
  if (!found->where.empty()) reason += ", " + found->where;
  if (found->count > 1) reason += "; " + std::to_string(found->count) + " times";
  return StageFailure{is_fault(found->kind) ? Outcome::crashed : Outcome::wrong, std::move(reason)};
}

std::string unfit_for(SanitizerTool tool, std::string_view source) {
  static constexpr std::array<std::string_view, 4> kBarriers = {"bar.sync", "barrier.sync",
                                                                "bar.arrive", "barrier.arrive"};
  if (!contains_any_text(source, kBarriers)) return {};
  if (tool == SanitizerTool::synccheck)
    return "it reports warps at barriers of their own as divergent";
  if (tool == SanitizerTool::racecheck) return "it does not see the order that such barriers make";
  return {};
}

SanitizerReport as_it_counts(SanitizerTool tool, std::string_view source, SanitizerReport report,
                             bool bounds_checked) {
  static constexpr std::array<std::string_view, 5> kOrders = {"volatile", "__threadfence",
                                                              ".acquire", ".release", "fence."};
  static constexpr std::array<std::string_view, 3> kCopies = {"cp.async", "memcpy_async",
                                                              "__pipeline_memcpy"};
  const bool unseen_order = tool == SanitizerTool::racecheck && contains_any_text(source, kOrders);
  const bool exact_bounds =
      tool == SanitizerTool::memcheck && bounds_checked && contains_any_text(source, kCopies);
  for (auto& finding : report.findings) {
    if (unseen_order || (exact_bounds && may_be_partly_filled(finding))) finding.defect = false;
  }
  return report;
}

Result<SanitizerEnd> run_sanitizers(Judging& judging, const SanitizerOrder& order) {
  SanitizerEnd end;
  const auto tools = sanitizer_tools(order.effort);
  if (tools.empty()) {
    end.detail = "left out: effort " + std::string(name_of(order.effort));
    return end;
  }
  if (!order.program) {
    end.detail = "left out: " + order.program.error().message;
    return end;
  }
  const Workload& workload = smallest_workload(judging.task);
  std::string looked;
  std::string left_out;
  for (const SanitizerTool tool : tools) {
    const std::string name(name_of(tool));
    const std::string& source = order.kernel.kernel->source;
    if (const std::string reason = unfit_for(tool, source); !reason.empty()) {
      left_out += "; left out: ";
      left_out += name;
      left_out += ": ";
      left_out += reason;
      continue;
    }
    WARPMIND_TRY(auto one, run_tool(judging, order, tool, workload));
    one.report = as_it_counts(tool, source, std::move(one.report), order.bounds_checked);
    for (const auto& finding : one.report.findings) {
      if (is_of_kernel(finding)) end.findings.push_back(value_of(tool, finding));
    }
    end.failure = failure_of(tool, one.report);
    if (end.failure) return end;
    if (one.left_out.empty()) {
      looked += (looked.empty() ? "" : ", ") + name;
    } else {
      left_out += "; left out: " + name + ": " + one.left_out;
    }
  }
  end.detail = looked.empty() ? "nothing was looked at"
                              : looked + " on workload '" + workload.name + "': no defect";
  end.detail += left_out;
  return end;
}

}  // namespace warpmind::profilers
