#include "clients/cli/commands/program_commands.h"

#include "base/file.h"
#include "base/input_ranges.h"
#include "base/model/verdict_reading.h"
#include "base/sequence.h"
#include "clients/cli/commands/asking.h"
#include "clients/cli/commands/task_commands.h"
#include "clients/cli/interrupts.h"
#include "clients/cli/job_delivery.h"
#include "clients/cli/job_watch.h"
#include "clients/cli/program_run/best_kernel.h"
#include "clients/cli/program_run/output_pattern.h"
#include "clients/cli/program_run/program_files.h"
#include "clients/cli/program_run/program_task_run.h"
#include "clients/cli/program_run/user_program.h"
#include "clients/cli/report/episode_sections.h"
#include "clients/cli/report/job_report.h"
#include "clients/cli/report/program_report.h"
#include "clients/cli/report/program_task_report.h"
#include "clients/cli/submission.h"
#include "config/program_task_file.h"
#include "config/task_writer.h"
#include "daemon/protocol/message_codec.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;
using protocol::ProgramPartReport;

/// Of the given program, to see what it prints anew each time.
constexpr int kRunsForChanges = 2;

/// One program from its file to the better one.
class ProgramOptimization {
 public:
  ProgramOptimization(const OptimizeOptions& options, ProgramFiles files, UserProgram program,
                      DaemonClient& client, Interrupts& interrupts, ProgressDisplay& display)
      : options_(options),
        files_(std::move(files)),
        program_(std::move(program)),
        client_(client),
        interrupts_(interrupts),
        display_(display) {
    report_.source = files_.given.string();
    report_.folder = files_.folder.string();
  }

  Result<void> run() {
    // Recording takes long: what the jobs could only fail of is said before it.
    WARPMIND_TRY(const auto params, submission(options_, {}));
    WARPMIND_CHECK(ask_daemon<protocol::Empty>("task.admit", params));
    WARPMIND_CHECK(record());
    WARPMIND_TRY(const auto lifted, lift());
    if (!lifted.faults.empty()) {
      return fail(Errc::invalid_argument,
                  "the recorded run went wrong, whatever the program "
                  "printed: " +
                      lifted.faults.front());
    }
    launches_ = lifted.launches;
    report_.notes.insert(report_.notes.end(), lifted.notes.begin(), lifted.notes.end());
    report_.findings = lifted.findings;
    if (!report_.findings.empty()) worst_ = ExitCode::negative;
    report_.skipped = lifted.skipped;
    const auto done = optimise_all(lifted.parts);
    if (!done && done.error().code == Errc::cancelled) report_.was_stopped = true;
    WARPMIND_CHECK(done);
    return write_back();
  }

  [[nodiscard]] const protocol::ProgramReport& report() const { return report_; }
  [[nodiscard]] const std::vector<Job>& jobs() const { return jobs_; }
  [[nodiscard]] ExitCode exit_code() const { return worst_; }

 private:
  void say(const std::string& sentence) { display_.note("warpmind: " + sentence); }

  Result<void> record() {
    WARPMIND_CHECK(prepare(files_));
    say("building " + files_.given.filename().string());
    WARPMIND_CHECK(program_.build(files_.copy()));
    say(std::string("recording a run ") +
        (program_.runtime().is_simulated ? "on the simulator's runtime" : "on the GPU"));
    WARPMIND_TRY(const auto end, recorded_run());
    given_.emplace(end.output);
    std::error_code ec;
    if (std::filesystem::exists(files_.record(), ec)) return {};
    return fail(Errc::invalid_argument,
                "the program made no CUDA call that can be seen; a build command must link with "
                "-cudart shared" +
                    std::string(program_.runtime().is_simulated
                                    ? ", and keep PTX in the program (code=compute_XX)"
                                    : ""));
  }

  /// With checks, where they do not take too long.
  Result<ShellEnd> recorded_run() {
    if (!program_.runtime().is_simulated) return program_.run(files_.record(), RunKind::recorded);
    auto checked = program_.run(files_.record(), RunKind::with_checks);
    if (checked || checked.error().code != Errc::timeout) return checked;
    report_.notes.emplace_back(
        "races and uninitialised reads were not looked for: the run with checks takes over a "
        "minute");
    return program_.run(files_.record(), RunKind::recorded);
  }

  template <class Reply, class Params>
  Result<Reply> ask_daemon(std::string_view method, const Params& params) {
    WARPMIND_TRY(const auto answer, client_.call(method, protocol::encode(params), kNoTimeout));
    return protocol::decode<Reply>(answer);
  }

  Result<LiftedProgram> lift() {
    const protocol::ProgramLiftParams params{files_.copy().string(), files_.record().string(),
                                             files_.name};
    return ask_daemon<LiftedProgram>("program.lift", params);
  }

  Result<void> optimise_all(const std::vector<ProgramPart>& parts) {
    for (const auto& part : parts) WARPMIND_CHECK(optimise(part));
    return {};
  }

  Result<void> optimise(const ProgramPart& part) {
    ProgramPartReport line;
    LaunchGroup& launches = line;
    launches = static_cast<const LaunchGroup&>(part);
    line.reason = part.refusal;
    Task task = part.task;
    line.inputs = describe_inputs(task);
    if (auto written = config::write_task(files_.task(part.name), task, files_.contents());
        !written) {
      line.reason = "no task can be made of it: " + written.error().message;
      report_.parts.push_back(std::move(line));
      return {};
    }
    WARPMIND_TRY(auto job, follow(part.name, files_.task(part.name)));
    if (cannot_be_reordered(job)) {
      // The order may mean something that nobody knows: links, pairs, a tree.
      for (auto& argument : task.arguments) {
        if (argument.recorded) argument.recorded->reorder = false;
      }
      const auto folder = files_.task(part.name + "_as_recorded");
      WARPMIND_CHECK(config::write_task(folder, task, files_.contents()));
      WARPMIND_TRY(auto again, follow(part.name, folder));
      if (again.episode && again.episode->outcome != Outcome::unjudgeable) {
        if (!is_failure(again.episode->outcome)) {
          line.notes.emplace_back(
              "its integers are only used as recorded: with them in another order the given "
              "kernel cannot be judged");
        }
        job = std::move(again);
      }
    }
    line.job = job.id.str();
    take_result(job, part, line);
    jobs_.push_back(job);
    report_.parts.push_back(std::move(line));
    if (job.state == JobState::cancelled) {
      return fail(Errc::cancelled, job.id.str() + " was cancelled");
    }
    return {};
  }

  /// From its submission to its end.
  Result<Job> follow(const std::string& name, const std::filesystem::path& task) {
    WARPMIND_TRY(const auto params, submission(options_, task));
    WARPMIND_TRY(const auto submitted, client_.submit(params));
    say(name + " is " + submitted.job_id);
    display_.show(queued_progress(client_, submitted));
    WARPMIND_TRY(const auto end,
                 JobWatch(client_, interrupts_, display_, submitted.job_id).follow());
    display_.clear();
    WARPMIND_TRY(auto result, client_.result(submitted.job_id));
    result.job.state = end;
    return std::move(result.job);
  }

  static bool cannot_be_reordered(const Job& job) {
    const auto& arguments = job.request.task.arguments;
    return job.episode && job.episode->outcome == Outcome::unjudgeable &&
           std::any_of(arguments.begin(), arguments.end(), [](const Argument& one) {
             return one.recorded && !one.recorded->values.empty() && one.recorded->reorder;
           });
  }

  void take_result(const Job& job, const ProgramPart& part, ProgramPartReport& line) {
    const ExitCode code = exit_code_for(job);
    if (code != ExitCode::ok) worst_ = code;
    line.outcome = job.episode ? std::string(name_of(job.episode->outcome)) : "failed";
    if (!job.episode) {
      line.reason = job.error;
      return;
    }
    const Episode& episode = *job.episode;
    line.predicted = episode.provider == Provider::sim;
    const Step* const baseline = baseline_of(episode);
    if (baseline != nullptr && baseline->verdict.measurement) {
      line.given_ns = baseline->verdict.measurement->median_ns;
    }
    if (code != ExitCode::ok) line.reason = episode.summary;
    const Step* const best = best_of(episode);
    if (best == nullptr) return;
    const Step* const step = best_without_flags(episode);
    if (step != best) {
      line.reason = "the best kernel needs " + best->candidate.kernel.build_flags.back() +
                    ", which would change the whole file; " +
                    (step == nullptr ? "no other is better" : "the best without it is taken");
    }
    (void)write_output_file(files_.folder / (part.name + ".best.cu"),
                            kernel_file_text(job, episode));
    if (step == nullptr) return;
    line.techniques = changes_up_to(episode, *step);
    if (step->verdict.measurement) line.best_ns = step->verdict.measurement->median_ns;
    if (line.best_ns > 0) line.gain = line.given_ns / line.best_ns;
    if (part.refusal.empty()) kernels_.push_back({part.name, step->candidate.kernel});
  }

  Result<protocol::ProgramRewriteResult> rewrite(const std::vector<PartKernel>& kernels) {
    protocol::ProgramRewriteParams params{
        files_.copy().string(), files_.record().string(), kernels, options_.assume_shapes, {}};
    params.host_edits = host_edits_;
    return ask_daemon<protocol::ProgramRewriteResult>("program.rewrite", params);
  }

  Result<void> write_back() {
    WARPMIND_CHECK(edit_host());
    if (kernels_.empty() && report_.host_edits.empty()) return {};
    WARPMIND_TRY(const auto rewritten, rewrite(kernels_));
    for (auto& line : report_.parts) {
      const auto& written = rewritten.written;
      line.written = contains(written, line.name);
      for (const auto& refused : rewritten.refused) {
        if (refused.name == line.name) line.reason = refused.reason;
      }
    }
    if (rewritten.written.empty() && report_.host_edits.empty()) return {};
    if (!program_.can_build_others()) {
      report_.notes.emplace_back(
          "the optimised program was not built: --build has no {source} and {program}");
      return deliver(rewritten.text);
    }
    say("building and running the optimised program");
    auto verified = verify(rewritten.text);
    if (verified) {
      report_.verified = *verified;
      return deliver(rewritten.text);
    }
    if (verified.error().code == Errc::cancelled) return fail(verified.error());
    worst_ = ExitCode::negative;
    for (auto& line : report_.parts) line.written = false;
    report_.rejected = (files_.folder / "rejected.cu").string();
    report_.notes.push_back("the optimised program is kept as " + report_.rejected +
                            ", not as your program: " + verified.error().message);
    return write_output_file(report_.rejected, rewritten.text);
  }

  /// Which host edits hold: each is made, built, run, and its record compared, one upon the other.
  Result<void> edit_host() {
    std::vector<std::string> wanted = options_.host_edits;
    if (wanted.empty()) return {};
    if (contains(wanted, "all")) {
      wanted = {"direct_output", "drop_redundant_sync", "stream_ordered_alloc"};
    }
    for (const auto& name : wanted) {
      host_edits_.push_back(name);
      WARPMIND_TRY(const auto edited, rewrite({}));
      const auto refused = std::find_if(edited.unedited.begin(), edited.unedited.end(),
                                        [&](const LeftOut& one) { return one.name == name; });
      std::string reason = refused == edited.unedited.end() ? "" : refused->reason;
      if (reason.empty()) {
        say("trying the host edit " + name);
        auto same = same_launches(edited.text);
        if (!same && same.error().code == Errc::cancelled) return fail(same.error());
        if (!same) reason = same.error().message;
      }
      if (reason.empty()) {
        report_.host_edits.push_back(name);
      } else {
        host_edits_.pop_back();
        report_.unedited.push_back({name, reason});
      }
    }
    return {};
  }

  Result<void> same_launches(const std::string& text) {
    if (!program_.can_build_others()) {
      return fail(Errc::invalid_argument, "--build has no {source} and {program}");
    }
    WARPMIND_CHECK(verify(text));
    const protocol::ProgramLiftParams edited{(files_.folder / "optimized.cu").string(),
                                             (files_.folder / "optimized.record").string(),
                                             files_.name};
    WARPMIND_TRY(const auto lifted, ask_daemon<LiftedProgram>("program.lift", edited));
    if (lifted.launches == launches_) return {};
    return fail(Errc::invalid_argument, "the edited program launches something else");
  }

  Result<std::string> verify(const std::string& text) {
    const auto source = files_.folder / "optimized.cu";
    WARPMIND_CHECK(write_output_file(source, text));
    WARPMIND_CHECK(program_.build(source));
    WARPMIND_TRY(const auto end, program_.run(files_.folder / "optimized.record"));
    WARPMIND_CHECK(refuse_faults(source));
    const std::string control = output_without_kernels();
    WARPMIND_TRY(const auto match, compared(end.output));
    if (match == OutputMatch::differs) {
      if (options_.pass && passes(*options_.pass, end.output)) {
        return std::string("built, run: it passes by the task's rule");
      }
      return fail(Errc::invalid_argument, "it prints something else");
    }
    if (given_->compare(control) != OutputMatch::differs) {
      return std::string(
          "built, run; its output proves nothing, since it is the same when no kernel runs");
    }
    std::string words = "built, run: same output";
    if (match == OutputMatch::last_digits) words += " but for digits of numbers, within 0.1 %";
    if (given_->left_out() > 0) {
      words += ", leaving out what changes from run to run of the given program (" +
               std::to_string(given_->left_out()) +
               (given_->left_out() == 1 ? " field)" : " fields)");
    }
    return words;
  }

  /// The run of the optimised program may have met an error that the program does not look at.
  Result<void> refuse_faults(const std::filesystem::path& source) {
    const protocol::ProgramLiftParams params{
        source.string(), (files_.folder / "optimized.record").string(), files_.name};
    const auto lifted = ask_daemon<LiftedProgram>("program.lift", params);
    if (!lifted || lifted->faults.empty()) return {};  // whether it can be lifted does not matter
    return fail(Errc::invalid_argument, lifted->faults.front());
  }

  /// Of the program that was built last; something that no program prints where it fails then.
  std::string output_without_kernels() {
    const auto end = program_.run(files_.folder / "control.record", RunKind::without_kernels);
    return end ? end->output : std::string("\x01 failed");
  }

  /// With the given program, whose runs show what of its output changes by itself.
  Result<OutputMatch> compared(const std::string& output) {
    auto match = given_->compare(output);
    if (match != OutputMatch::differs) return match;
    WARPMIND_CHECK(program_.build(files_.copy()));
    for (int runs = 0; runs < kRunsForChanges && match == OutputMatch::differs; ++runs) {
      WARPMIND_TRY(const auto again,
                   program_.run(files_.folder / "control.record", RunKind::again));
      if (!given_->leave_out_changes(again.output)) {
        return fail(Errc::invalid_argument,
                    "it cannot be compared: the given program prints other lines in each run");
      }
      match = given_->compare(output);
    }
    return match;
  }

  Result<void> deliver(const std::string& text) {
    report_.output = files_.output.string();
    return write_output_file(files_.output, text);
  }

  const OptimizeOptions& options_;
  ProgramFiles files_;
  UserProgram program_;
  DaemonClient& client_;
  Interrupts& interrupts_;
  ProgressDisplay& display_;
  std::optional<OutputPattern> given_;  ///< what the given program prints
  std::string launches_;                ///< of the recorded run
  std::vector<std::string> host_edits_;
  std::vector<PartKernel> kernels_;
  protocol::ProgramReport report_;
  std::vector<Job> jobs_;  // of its parts
  ExitCode worst_ = ExitCode::ok;
};

void show(Console& console, const ProgramOptimization& optimization,
          const OptimizeOptions& options) {
  constexpr std::size_t kMostBytes = std::size_t{16} << 20U;
  const ReportOptions report{
      .paint = console.paint,
      .columns = std::min<std::size_t>(console.columns, 120),
      .output_file = {},
      .program = console.program,
      .path = options.directory,
      .source = {options.directory, read_file(options.directory, kMostBytes).value_or("")}};
  // As the user would name them; the document has whole paths.
  protocol::ProgramReport shown = optimization.report();
  for (std::string* path : {&shown.source, &shown.output, &shown.folder}) {
    *path = near_path(*path);
  }
  const auto render = options.verbose ? render_program_in_full : render_program;
  console.out << render(shown, optimization.jobs(), report) << std::flush;
}

/// An error that is not the connection's is about the user's program or files.
ExitCode report_program_error(Session& session, const DaemonClient& client, const Error& error) {
  if (!client.connected()) return report_call_error(session, client, error);
  return report_error(session.console, error, exit_code_for(Origin::input, error.code));
}

}  // namespace

ExitCode run_program(Session& session, const OptimizeOptions& options) {
  Console& console = session.console;
  const auto refuse = [&](const Error& error) {
    return report_error(console, error, exit_code_for(Origin::input, error.code));
  };
  auto files = program_files(options);
  if (!files) return refuse(files.error());
  const bool simulated = options.provider == "sim" || !options.device.empty();
  auto runtime = program_runtime(session.loaded.settings, simulated, options.device);
  if (!runtime) return refuse(runtime.error());
  auto interrupts = Interrupts::install();
  if (!interrupts) return report_error(console, interrupts.error(), ExitCode::daemon);
  session.interrupt = interrupts->fd();
  auto client = connect_daemon(session, WhenAbsent::start);
  if (!client) return report_no_daemon(session, client.error());

  ProgressDisplay display(console);
  client->on_progress([&display](const auto& progress) { display.show(progress); });
  client->set_interrupt(interrupts->fd());
  const auto seconds = options.run_seconds.value_or(300);
  const ProgramCommands commands{
      options.run, options.build,
      std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000)),
      !options.no_recorded_inputs};
  UserProgram program(commands, std::move(*runtime), files->folder, files->given.parent_path(),
                      interrupts->fd());
  ProgramOptimization optimization(options, std::move(*files), std::move(program), *client,
                                   *interrupts, display);
  const auto done = optimization.run();
  display.clear();
  if (!done && (optimization.report().parts.empty() || console.json)) {
    return report_program_error(session, *client, done.error());
  }
  if (console.json) {
    write_document(console, protocol::encode(optimization.report()));
  } else {
    show(console, optimization, options);
  }
  if (!done) return report_program_error(session, *client, done.error());
  return optimization.exit_code();
}

namespace {

namespace protocol = daemon::protocol;

/// Ok when the task's controls are passed; else what was said of it has been shown.
ExitCode show_controls(Session& session, const OptimizeOptions& options) {
  auto interrupts = Interrupts::install();
  if (!interrupts) return report_error(session.console, interrupts.error(), ExitCode::daemon);
  session.interrupt = interrupts->fd();
  auto client = connect_daemon(session, WhenAbsent::start);
  if (!client) return report_no_daemon(session, client.error());
  client->set_interrupt(interrupts->fd());
  tell_of_long_waits(session, *client);
  const auto check =
      check_program_task(*client, {absolute_path(options.directory), options.provider,
                                   options.device, 0, session.loaded.settings.lab.program_folders});
  if (!check) return report_call_error(session, *client, check.error());
  if (check->admitted) return ExitCode::ok;
  if (session.console.json) {
    write_document(session.console, protocol::encode(*check));
  } else {
    session.console.out << render_program_check(*check, style_of(session.console)) << std::flush;
  }
  return exit_code_for(*check);
}

}  // namespace

ExitCode run_program_task(Session& session, const OptimizeOptions& options) {
  const auto refuse = [&](const Error& error) {
    return report_error(session.console, error, exit_code_for(Origin::input, error.code));
  };
  if (options.detach || options.proposer == "external" || options.proposer == "replay") {
    return refuse({Errc::invalid_argument,
                   "a program task is optimised here and now: without --detach, with --proposer "
                   "builtin or llm"});
  }
  if (!options.as_user) {
    return refuse({Errc::invalid_argument,
                   options.directory +
                       " is a program task; to optimise it, its program is built and run by the "
                       "client, as you and outside the sandbox: add --as-user if you would start "
                       "it yourself, or check it in the sandbox with `warpmind task check`"});
  }
  const auto task = config::load_program_task(options.directory);
  if (!task) return refuse(task.error());
  const bool simulated = options.provider == "sim" || !options.device.empty();
  const auto runtime = program_runtime(session.loaded.settings, simulated, options.device);
  if (!runtime) return refuse(runtime.error());
  const auto as_program = program_task_options(options, *task, *runtime);
  if (!as_program) return refuse(as_program.error());
  // What its own rule does not tell from nothing, it does not tell from a wrong kernel.
  if (const ExitCode code = show_controls(session, options); code != ExitCode::ok) return code;
  session.interrupt = -1;
  return run_program(session, *as_program);
}

}  // namespace warpmind::clients
