#include "profilers/judge/judge_desk.h"

#include "profilers/judge/case_comparison.h"
#include "profilers/judge/case_files.h"
#include "profilers/judge/case_inputs.h"
#include "profilers/judge/elements.h"
#include "profilers/judge/task_admission.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>
#include <set>
#include <utility>

namespace warpmind::profilers {
namespace fs = std::filesystem;

/// What the cases of one prepare share.
struct JudgeDesk::Drawing {
  std::shared_ptr<const Task> task;
  std::shared_ptr<const ReferenceLibrary> library;
  std::string directory;
  std::string expected_directory;  ///< empty unless the given kernel is the reference
  std::mt19937_64 seeds;
};

namespace {

/// Whether an output that never changes on this workload says something about the kernel: on a
/// tiny one it may be chance.
bool is_telling(const Task& task, const std::string& workload) {
  bool any_timed = false;
  for (const Workload& one : task.workloads) {
    if (one.timed && one.name == workload) return true;
    any_timed = any_timed || one.timed;
  }
  return !any_timed;
}

using SharedReference = std::shared_future<std::shared_ptr<const Result<ReferenceValues>>>;

SharedReference ready(ReferenceValues values) {
  std::promise<std::shared_ptr<const Result<ReferenceValues>>> promise;
  promise.set_value(std::make_shared<const Result<ReferenceValues>>(std::move(values)));
  return promise.get_future().share();
}

/// The same input for the given kernel's runner. Both runners see it read-only, so one copy will
/// do where the file system can link.
Result<void> share_input(const fs::path& from, const fs::path& to) {
  std::error_code code;
  fs::create_hard_link(from, to, code);
  if (code) fs::copy_file(from, to, code);
  if (code) {
    return fail(Errc::external_failure, "cannot write " + to.string() + ": " + code.message());
  }
  return {};
}

}  // namespace

JudgeReply JudgeDesk::handle(const JudgeJob& job) {
  JudgeReply reply;
  if (job.command == JudgeCommand::prepare) {
    auto cases = prepare(job);
    reply.ok = cases.has_value();
    if (cases) {
      reply.cases = std::move(*cases);
    } else {
      reply.error = cases.error().message;
    }
  } else if (job.command == JudgeCommand::admit) {
    auto admission = admit(job);
    reply.ok = admission.has_value();
    if (admission) {
      reply.admission = std::move(*admission);
    } else {
      reply.error = admission.error().message;
    }
  } else {
    auto compared = compare(job);
    if (compared) {
      reply = std::move(*compared);
      reply.ok = true;
    } else {
      reply.error = compared.error().message;
    }
  }
  return reply;
}

Result<std::vector<PreparedCase>> JudgeDesk::prepare(const JudgeJob& job) {
  WARPMIND_TRY(const std::uint64_t seed, draw_seed(job.fixed_seed));
  const bool by_given_kernel = job.task.reference.empty() && job.reference_library.empty();
  Drawing drawing{std::make_shared<const Task>(job.task), nullptr, job.directory,
                  by_given_kernel ? job.expected_directory : "", std::mt19937_64(seed)};
  if (!by_given_kernel) {
    WARPMIND_TRY(drawing.library, ReferenceLibrary::load(job.reference_library));
  }
  const bool probes = job.probes && !drawing.expected_directory.empty();
  WARPMIND_CHECK(make_job_directory(job.directory));
  if (!drawing.expected_directory.empty()) {
    WARPMIND_CHECK(make_job_directory(drawing.expected_directory));
  }
  std::vector<PreparedCase> prepared;
  CaseDeck repeated;  // a fixed seed means the same cases, whatever was prepared before
  CaseDeck& deck = job.fixed_seed ? repeated : deck_;
  for (const std::string& name : job.workloads) {
    WARPMIND_TRY(const Workload* const workload, workload_named(*drawing.task, name));
    const auto order =
        deck.deal(draws_of(*drawing.task, probes), name, job.seeds, job.inputs, drawing.seeds);
    for (const InputDraw& draw : order) {
      auto one = prepare_case(drawing, *workload, draw);
      if (!one) return fail(std::move(one).error().while_doing("preparing workload " + name));
      prepared.push_back(std::move(*one));
    }
  }
  return prepared;
}

Result<JudgeDesk::DrawnInputs> JudgeDesk::draw_inputs(Drawing& drawing, const Workload& workload,
                                                      InputDraw draw) {
  const CaseInputs inputs{*drawing.task, workload.sizes, drawing.seeds()};
  DrawnInputs drawn;
  const bool is_uneven = draw.trait == InputTrait::uneven;
  // What was fair on small shapes is on a large one, whose reference takes seconds.
  const bool is_known = is_uneven && uneven_ && workload.timed;
  if (is_known) {
    draw.calm = uneven_->calm;
    draw.halvings = uneven_->halvings;
  }
  if (!drawing.library || is_known || !inputs.needs_reference(draw)) {
    WARPMIND_TRY(drawn.raw, inputs.draw(draw));
    drawn.distribution = describe(draw);
    return drawn;
  }
  WARPMIND_TRY(auto fitting, inputs.fit(*drawing.library, draw));
  if (is_uneven) {
    const UnevenRows before = uneven_.value_or(UnevenRows{false, 0});
    uneven_ = UnevenRows{before.calm || fitting.draw.calm,
                         std::max(before.halvings, fitting.draw.halvings)};
  }
  drawn.raw = std::move(fitting.raw);
  drawn.reference = std::move(fitting.reference);
  drawn.distribution = describe(fitting.draw);
  return drawn;
}

Result<PreparedCase> JudgeDesk::prepare_case(Drawing& drawing, const Workload& workload,
                                             const InputDraw& draw) {
  const std::int64_t number = next_number_[workload.name]++;
  const std::string prefix = "c" + std::to_string(next_file_++) + "_";
  Case one;
  one.task = drawing.task;
  one.sizes = workload.sizes;
  one.directory = drawing.directory;
  one.expected_directory = drawing.expected_directory;
  one.prepared.id = workload.name + "/" + std::to_string(number);
  one.prepared.workload = workload.name;
  WARPMIND_TRY(DrawnInputs drawn, draw_inputs(drawing, workload, draw));
  one.prepared.distribution = drawn.distribution;
  one.prepared.probes = draw.probe != Probe::none;
  one.probe = draw.probe;
  for (const Argument& argument : drawing.task->arguments) {
    if (argument.kind == ArgumentKind::scalar) continue;
    const std::string file = prefix + argument.name + ".bin";
    if (argument.kind != ArgumentKind::out) {
      one.prepared.inputs[argument.name] = "in/" + file;
      const fs::path path = fs::path(drawing.directory) / "in" / file;
      WARPMIND_CHECK(write_raw(path, drawn.raw.at(argument.name)));
      if (!one.expected_directory.empty()) {
        WARPMIND_CHECK(share_input(path, fs::path(one.expected_directory) / "in" / file));
      }
    }
    if (argument.kind != ArgumentKind::in) one.prepared.outputs[argument.name] = "out/" + file;
  }

  if (drawn.reference) {
    one.reference = ready(std::move(*drawn.reference));
  } else if (drawing.library) {
    start_reference(one, drawing, std::move(drawn.raw));
  }
  PreparedCase prepared = one.prepared;
  cases_[prepared.id] = std::move(one);
  return prepared;
}

void JudgeDesk::start_reference(Case& one, const Drawing& drawing,
                                std::map<std::string, std::string> raw_inputs) {
  auto promise = std::make_shared<std::promise<std::shared_ptr<const Result<ReferenceValues>>>>();
  one.reference = promise->get_future().share();
  pool_.submit(
      [promise, library = drawing.library, task = drawing.task, sizes = one.sizes,
       raw = std::make_shared<const std::map<std::string, std::string>>(std::move(raw_inputs))] {
        promise->set_value(std::make_shared<const Result<ReferenceValues>>(
            compute_reference(*library, *task, sizes, *raw)));
      });
}

Result<AdmissionReport> JudgeDesk::admit(const JudgeJob& job) {
  WARPMIND_TRY(const auto library, ReferenceLibrary::load(job.reference_library));
  WARPMIND_TRY(const std::uint64_t seed, draw_seed(job.fixed_seed));
  const auto workloads = job.workloads.empty() ? admission_workloads(job.task) : job.workloads;
  return check_admission(job.task, *library, workloads, job.seeds, seed);
}

bool JudgeDesk::is_doubtful(const Case& one, const JudgeJob& job, const GivenComparison& compared) {
  if (one.expected_directory.empty() || !job.perturbed.empty()) return false;
  const bool is_exact = one.task->contract.tolerance == ToleranceClass::exact;
  return job.doubt_all ||
         ((!is_exact || one.prepared.probes) && compared.correctness.worst_error_ratio > 1);
}

Result<JudgeReply> JudgeDesk::compare(const JudgeJob& job) {
  std::vector<std::future<Result<GivenComparison>>> comparisons;
  std::vector<std::shared_ptr<const Case>> compared;
  for (const std::string& id : job.cases) {
    const auto found = cases_.find(id);
    if (found == cases_.end()) {
      return fail(Errc::not_found, "no case " + id + " is waiting to be compared");
    }
    auto one = std::make_shared<const Case>(std::move(found->second));
    compared.push_back(one);
    cases_.erase(found);
    comparisons.push_back(
        std::async(std::launch::async, [one, &job] { return compare_case(*one, job); }));
  }
  JudgeReply reply;
  Correctness& total = reply.correctness;
  std::vector<GivenComparison> cases;
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    WARPMIND_TRY(auto one, comparisons[i].get());
    const Case& of = *compared[i];
    if (is_doubtful(of, job, one)) {
      reply.doubtful.push_back(of.prepared.id);
      cases_[of.prepared.id] = of;
      continue;
    }
    if (one.is_silent) {
      reply.silent.push_back(of.prepared.id);
      continue;
    }
    const Correctness& part = one.correctness;
    ++total.cases;
    total.elements += part.elements;
    total.baseline_error = std::max(total.baseline_error, part.baseline_error);
    total.worst_relative_l2 = std::max(total.worst_relative_l2, part.worst_relative_l2);
    total.worst_ulp = std::max(total.worst_ulp, part.worst_ulp);
    if (part.worst_error_ratio > total.worst_error_ratio) {
      total.worst_error_ratio = part.worst_error_ratio;
      total.worst_case = part.worst_case;
      reply.worst_place = "output '" + one.worst_output + "', inputs of the distribution '" +
                          of.prepared.distribution + "'";
    }
    if (is_telling(*of.task, of.prepared.workload)) cases.push_back(std::move(one));
  }
  total.passed = total.cases > 0 && total.worst_error_ratio <= 1;
  if (job.given_itself && total.passed) {
    if (auto degenerate = find_degenerate(cases)) {
      total.passed = false;
      total.worst_case = std::move(*degenerate);
    }
  }
  return reply;
}

Result<GivenComparison> JudgeDesk::compare_case(const Case& one, const JudgeJob& job) {
  if (!one.expected_directory.empty()) {
    return compare_with_given({*one.task, one.sizes, one.prepared, one.directory,
                               one.expected_directory, job.partial, one.probe, job.perturbed},
                              job.given_itself);
  }
  if (!one.reference.valid()) {
    return fail(Errc::invalid_argument, "case " + one.prepared.id +
                                            " has nothing to be compared with: the task has no "
                                            "reference and the given kernel did not run");
  }
  return compare_with_reference(one, job);
}

Result<GivenComparison> JudgeDesk::compare_with_reference(const Case& one, const JudgeJob& job) {
  GivenComparison all;
  const auto computed = one.reference.get();
  if (!*computed) return fail(computed->error());
  const ReferenceValues& reference = **computed;
  WARPMIND_TRY(ToleranceRule rule, tolerance_rule(one.task->contract, one.sizes, job.baseline_error,
                                                  one.prepared.distribution));
  rule.partial = job.partial;
  for (const Argument& argument : one.task->arguments) {
    const auto file = one.prepared.outputs.find(argument.name);
    if (file == one.prepared.outputs.end()) continue;
    if (job.partial && argument.kind == ArgumentKind::inout) continue;
    WARPMIND_TRY(auto extents, extents_of(argument, one.sizes));
    const Expected expected = reference.expected(argument, std::move(extents));
    const auto compared = compare_file(fs::path(one.directory) / file->second, expected, rule);
    if (compared.worst_ratio > all.correctness.worst_error_ratio) all.worst_output = argument.name;
    add_output(all.correctness, one.prepared, argument.name, compared);
  }
  return all;
}

}  // namespace warpmind::profilers
