#include "profilers/worker/check_mode.h"

#include "profilers/worker/perturbation.h"
#include "profilers/worker/simulator_hooks.h"

#include <memory>
#include <utility>
#include <vector>

namespace warpmind::profilers {
namespace {

struct Outputs {
  std::vector<std::size_t> indices;
  std::vector<std::vector<std::byte>> contents;
};

/// What went wrong in a run, or an empty message.
struct Finding {
  CaseStatus status = CaseStatus::ok;
  std::string message;
};

/// Enqueues, waits, and returns the time in ns. Errors are the candidate's.
Result<double> run_once(const BoundPlan& plan, cudaStream_t stream) {
  WARPMIND_TRY(const UniqueEvent start, make_event());
  WARPMIND_TRY(const UniqueEvent stop, make_event());
  WARPMIND_CHECK(cuda_check(cudaEventRecord(start.get(), stream), "recording an event"));
  WARPMIND_CHECK(plan.enqueue_on(stream));
  WARPMIND_CHECK(cuda_check(cudaEventRecord(stop.get(), stream), "recording an event"));
  // The whole device: a host entry (tier B) may have used other streams.
  WARPMIND_CHECK(cuda_check(cudaDeviceSynchronize(), "running the plan"));
  float milliseconds = 0;
  WARPMIND_CHECK(cuda_check(cudaEventElapsedTime(&milliseconds, start.get(), stop.get()),
                            "reading the events"));
  return double{milliseconds} * 1e6;
}

Result<Outputs> read_outputs(const CaseMemory& memory) {
  Outputs outputs;
  for (std::size_t i = 0; i < memory.specs().size(); ++i) {
    if (memory.specs()[i].output_file.empty()) continue;
    WARPMIND_TRY(auto content, memory.read(i));
    outputs.indices.push_back(i);
    outputs.contents.push_back(std::move(content));
  }
  return outputs;
}

Result<Finding> find_trespass(const CaseMemory& memory, const CaseInputs& inputs) {
  WARPMIND_TRY(auto damage, memory.find_damage());
  if (damage) return Finding{CaseStatus::red_zone, *damage};
  WARPMIND_TRY(auto modified, memory.find_modified_input(inputs));
  if (modified) return Finding{CaseStatus::input_modified, *modified};
  return Finding{};
}

/// Run `number` (1 = the first repetition) on the same inputs; scratch holds another word each
/// time, and the simulator runs every other repetition in the opposite order.
Result<Finding> repeat_and_compare(const BoundPlan& plan, CaseMemory& memory, const Outputs& first,
                                   std::int64_t number, cudaStream_t stream) {
  WARPMIND_CHECK(memory.reset(static_cast<int>(number % 2)));
  const bool opposite = oppose_order(number % 2 == 1);
  const auto ran = run_once(plan, stream);
  if (!ran) {
    return Finding{CaseStatus::launch_error,
                   "run " + std::to_string(number + 1) + ": " + ran.error().message};
  }
  WARPMIND_TRY(const Outputs second, read_outputs(memory));
  for (std::size_t i = 0; i < first.contents.size(); ++i) {
    if (first.contents[i] == second.contents[i]) continue;
    std::size_t at = 0;
    while (first.contents[i][at] == second.contents[i][at]) ++at;
    return Finding{CaseStatus::nondeterministic,
                   "run " + std::to_string(number + 1) + " on the same inputs changed " +
                       memory.specs()[first.indices[i]].name + ", first at byte " +
                       std::to_string(at) +
                       (opposite ? " (with blocks and warps in reverse order)" : "")};
  }
  return Finding{};
}

/// The runs that show what rounding alone may change; each leaves its outputs beside the first's.
Result<Finding> run_perturbed(RunnerSession& session, const BoundPlan& given,
                              const RunCase& run_case, const CaseInputs& inputs,
                              const PerturbedRun& how) {
  CaseMemory& memory = session.memory();
  Perturbation perturbation(run_case, memory.addresses(Side::candidate));
  std::unique_ptr<BoundPlan> other;
  if (!how.binary.empty()) {
    Program rounded = run_case.candidate;
    rounded.binary = how.binary;
    WARPMIND_TRY(LoadedBinary* const binary, session.binary_of(rounded));
    WARPMIND_TRY(other, BoundPlan::bind(*binary, rounded, memory.addresses(Side::candidate)));
  }
  const BoundPlan& plan = other ? *other : given;
  const bool repeats = how.part == PerturbedPart::nothing;
  WARPMIND_CHECK(memory.upload(inputs));
  WARPMIND_CHECK(memory.reset(repeats ? 1 : 0));
  oppose_order(repeats && how.seed % 2 == 1);
  auto ran = perturbation.run_perturbed(plan, how, session.stream());
  oppose_order(false);
  if (ran) ran = cuda_check(cudaDeviceSynchronize(), "running the plan");
  if (!ran) return Finding{CaseStatus::launch_error, "a repeated run: " + ran.error().message};
  WARPMIND_TRY(const Outputs outputs, read_outputs(memory));
  for (std::size_t i = 0; i < outputs.indices.size(); ++i) {
    WARPMIND_CHECK(
        dump(memory.specs()[outputs.indices[i]].output_file + how.suffix, outputs.contents[i]));
  }
  return Finding{};
}

/// Errors are ours; the candidate's failures are in the report.
Result<void> check_case(RunnerSession& session, const RunCase& run_case, const RunnerJob& job,
                        CaseReport& report) {
  const std::int64_t runs = job.repeat_bitwise ? job.runs : 1;
  auto note = [&report](Finding finding) {
    report.status = finding.status;
    report.message = std::move(finding.message);
    return report.status == CaseStatus::ok;
  };
  CaseMemory& memory = session.memory();
  WARPMIND_TRY(const CaseInputs inputs, CaseInputs::open(run_case));
  WARPMIND_CHECK(memory.lay_out(run_case));
  WARPMIND_CHECK(memory.upload(inputs));
  WARPMIND_CHECK(memory.reset(0));

  auto binary = session.binary_of(run_case.candidate);
  if (!binary) {
    note({CaseStatus::launch_error, binary.error().message});
    return {};
  }
  auto plan = BoundPlan::bind(**binary, run_case.candidate, memory.addresses(Side::candidate));
  if (!plan) {
    note({CaseStatus::launch_error, plan.error().message});
    return {};
  }
  WARPMIND_CHECK(cuda_check(cudaStreamSynchronize(session.stream()), "preparing the buffers"));
  oppose_order(false);
  const auto event_ns = run_once(**plan, session.stream());
  if (!event_ns) {
    note({CaseStatus::launch_error, event_ns.error().message});
    return {};
  }
  report.event_ns = *event_ns;

  WARPMIND_TRY(Finding trespass, find_trespass(memory, inputs));
  if (!note(std::move(trespass))) return {};
  WARPMIND_TRY(const Outputs outputs, read_outputs(memory));
  for (std::size_t i = 0; i < outputs.indices.size(); ++i) {
    WARPMIND_CHECK(dump(memory.specs()[outputs.indices[i]].output_file, outputs.contents[i]));
  }
  for (const PerturbedRun& how : job.perturbed) {
    WARPMIND_TRY(Finding trouble, run_perturbed(session, **plan, run_case, inputs, how));
    if (!note(std::move(trouble))) return {};
  }
  if (runs < 2) return {};
  for (std::int64_t number = 1; number < runs; ++number) {
    WARPMIND_TRY(Finding difference,
                 repeat_and_compare(**plan, memory, outputs, number, session.stream()));
    if (!note(std::move(difference))) return {};
  }
  oppose_order(false);
  WARPMIND_TRY(Finding late_trespass, find_trespass(memory, inputs));
  note(std::move(late_trespass));
  return {};
}

}  // namespace

RunnerReport check(RunnerSession& session, const RunnerJob& job) {
  RunnerReport report;
  report.device = session.device();
  report.ok = true;
  session.memory().set_bare(job.bare);
  for (const RunCase& run_case : job.cases) {
    CaseReport& one = report.cases.emplace_back();
    one.id = run_case.id;
    const auto done = check_case(session, run_case, job, one);
    if (!done) {
      report.ok = false;
      report.error = "case " + run_case.id + ": " + done.error().message;
      break;
    }
    if (one.status == CaseStatus::launch_error && context_is_lost()) break;
  }
  return report;
}

}  // namespace warpmind::profilers
