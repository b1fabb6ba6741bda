#include "clients/cli/command_line.h"

#include "clients/cli/command_help.h"
#include "clients/cli/knowledge_grammar.h"
#include "clients/cli/optimize_grammar.h"
#include "clients/cli/queue_grammar.h"
#include "clients/cli/task_grammar.h"
#include "clients/cli/worker_grammar.h"
#include "config/nearest_name.h"

#include <algorithm>
#include <functional>

#include <CLI/CLI.hpp>

namespace warpmind::clients {
namespace {

/// Builds the commands; each one's callback notes which command was meant.
class Grammar {
 public:
  Grammar() : app_("Makes CUDA kernels faster and remembers what worked.", "warpmind") {
    app_.require_subcommand(1);
    app_.set_version_flag("--version", std::string("warpmind ") + WARPMIND_VERSION);
    app_.footer(examples({"optimize my_kernel/", "optimize my_kernel/ --detach", "status",
                          "result 7 --output best.cu", "why last", "doctor"}) +
                "\n\nEvery command has its own --help.\n" + kExitCodes);
    add_globals();
    add_optimize();
    add_jobs();
    add_why();
    add_export();
    add_validate();
    add_explain_moves();
    add_flops();
    knowledge_.emplace(app_, [this](std::function<KnowledgeOptions()> options) {
      select_ = [options = std::move(options)] { return CommandOptions(options()); };
    });
    tasks_.emplace(app_, [this](std::function<TaskOptions()> options) {
      select_ = [options = std::move(options)] { return CommandOptions(options()); };
    });
    queue_.emplace(app_, [this](std::function<QueueOptions()> options) {
      select_ = [options = std::move(options)] { return CommandOptions(options()); };
    });
    add_lsp();
    add_mcp();
    add_dashboard();
    add_worker();
    add_doctor();
    add_bench();
    add_episode();
    add_config();
    add_daemon();
  }

  [[nodiscard]] Result<std::variant<Invocation, HelpText>> parse(int argc,
                                                                 const char* const* argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
      return HelpText{app_.help()};
    } catch (const CLI::CallForVersion& version) {
      return HelpText{std::string(version.what()) + "\n"};
    } catch (const CLI::RequiredError& error) {
      const std::string command = missing_command();
      return fail(Errc::invalid_argument, sentence(command.empty() ? error.what() : command));
    } catch (const CLI::ParseError& error) {
      return fail(Errc::invalid_argument, sentence(error.what()));
    }
    WARPMIND_CHECK(check());
    CommandOptions options = select_();
    if (const auto* knowledge = std::get_if<KnowledgeOptions>(&options)) {
      WARPMIND_CHECK(KnowledgeGrammar::check(*knowledge));
    }
    return Invocation{std::move(globals_), std::move(options)};
  }

 private:
  template <class Options>
  CLI::App* command(CLI::App& parent, const char* name, const char* what, Options& options,
                    std::initializer_list<std::string_view> lines) {
    CLI::App* app = add_command(parent, name, what, lines);
    app->callback([this, &options] { select_ = [&options] { return CommandOptions(options); }; });
    return app;
  }

  void add_globals() {
    app_.add_option("--socket", globals_.socket, "Socket of the daemon (setting daemon.socket)")
        ->type_name("FILE");
    app_.add_option("--config", globals_.config, "Configuration file instead of the default one")
        ->type_name("FILE");
    app_.add_option("--set", globals_.assignments,
                    "Setting for this command, and for the daemon when it is started; repeatable")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    app_.add_flag("--no-start", globals_.no_start, "Do not start the daemon when none runs");
    app_.add_flag("--json", globals_.json, "Exactly one JSON document on standard output");
  }

  void add_optimize() {
    CLI::App* app = command(
        app_, "optimize", "Make the kernel of a task folder faster", optimize_,
        {"optimize my_kernel/", "optimize my_kernel/ --evaluations 8 --seconds 120",
         "optimize my_kernel/ --output best.cu",
         "optimize my_kernel/ --proposer replay --replay candidates.jsonl",
         "optimize my_kernel/ --detach --json", "optimize program.cu --run './a.out 1000'"});
    add_optimize_flags(*app, optimize_);
  }

  void add_why() {
    CLI::App* app = command(app_, "why", "Why an episode went as it did, or one step of it", why_,
                            {"why last", "why 7", "why e-0000000007 3", "why 7 3 --json"});
    app->add_option("EPISODE", why_.episode, "e-0000000007, its job, the bare number, or last")
        ->required();
    app->add_option("STEP", why_.step, "One step in full; 0 is the given kernel");
  }

  CLI::App* add_data(CLI::App& group, const char* kind, const char* what, ExportDataOptions& into,
                     std::initializer_list<std::string_view> lines) {
    into.kind = kind;
    CLI::App* app = command(group, kind, what, into, lines);
    app->add_option("FILE", into.file, "File that does not exist yet")->required();
    app->add_option("--provider", into.provider, "Whose results: gpu (default), sim or fixture")
        ->type_name("NAME")
        ->check(CLI::IsMember({"gpu", "sim", "fixture"}));
    app->add_option("--since", into.since, "Number of the first episode (1)")->type_name("N");
    return app;
  }

  void add_export() {
    CLI::App& group = *add_group(app_, "export", "Training data and knowledge as JSON lines");
    group.require_subcommand(1);
    add_data(group, "trajectories", "Turns with scores and discounted returns", trajectories_,
             {"export trajectories turns.jsonl", "export trajectories chats.jsonl --format chat",
              "export trajectories sim.jsonl --provider sim"})
        ->add_option("--format", trajectories_.format, "kevin (default) or chat")
        ->type_name("NAME")
        ->check(CLI::IsMember({"kevin", "chat"}));
    CLI::App* concur =
        add_data(group, "concur", "Concise reasoning that led to fast kernels", concur_,
                 {"export concur traces.jsonl", "export concur traces.jsonl --threshold 2"});
    concur->add_option("--threshold", concur_.threshold, "Speedup that criterion b asks for (1.5)")
        ->type_name("X");
    concur
        ->add_option("--balance", concur_.balance,
                     "Lines of the larger kind, single or fused, for each of the smaller (1); 0 = "
                     "all")
        ->type_name("X");
    CLI::App* pack = add_command(group, "kb", "Knowledge as a pack, as `kb export` writes it",
                                 {"export kb mine.jsonl"});
    pack->add_option("FILE", export_kb_.file, "File that does not exist yet")->required();
    pack->callback(
        [this] { select_ = [this] { return CommandOptions(KnowledgeOptions(export_kb_)); }; });
    CLI::App* verify = command(group, "verify", "Check every line of an exported file", verify_,
                               {"export verify turns.jsonl"});
    verify->add_option("FILE", verify_.file, "That `export` wrote")->required();
  }

  void add_jobs() {
    command(app_, "status", "What the daemon is and does", status_, {"status", "status --json"});
    CLI::App* result =
        command(app_, "result", "The report of a job", result_,
                {"result 7", "result j-0000000007 --output best.cu", "result 7 --json"});
    result->add_option("JOB", result_.job, "j-0000000007, or 7")->required();
    result->add_flag("--verbose", result_.verbose,
                     "Also print metrics, all candidates, diff and lessons");
    result->add_option("--output", result_.output_file, "Write the best kernel to this file")
        ->type_name("FILE");
    CLI::App* cancel =
        command(app_, "cancel", "End a job; what was measured is kept", cancel_, {"cancel 7"});
    cancel->add_option("JOB", cancel_.job, "j-0000000007, or 7")->required();
  }

  void add_validate() {
    CLI::App* app = command(app_, "validate", "Check a task folder without running anything",
                            validate_, {"validate my_kernel/"});
    app->add_option("DIR", validate_.directory, "Task folder, with its task.toml")->required();
  }

  void add_explain_moves() {
    CLI::App* app = command(
        app_, "explain-moves", "Which rewrites of the built-in agent apply to a kernel, and why",
        explain_moves_,
        {"explain-moves my_kernel/", "explain-moves softmax.cu", "explain-moves my_kernel/ --diff",
         "explain-moves my_kernel/ --technique unroll --parameters factor=4"});
    app->add_option("PATH", explain_moves_.path, "Task folder, or a CUDA file")->required();
    CLI::Option* technique =
        app->add_option("--technique", explain_moves_.technique, "Only this one, with its diff")
            ->type_name("NAME");
    app->add_option("--parameters", explain_moves_.parameters, "Only this move of the technique")
        ->type_name("TEXT")
        ->needs(technique);
    app->add_option("--device", explain_moves_.device,
                    "Row of the device table that gains are guessed for (setting lab.target)")
        ->type_name("KEY");
    app->add_flag("--diff", explain_moves_.diff, "What the first move of each would write");
  }

  void add_flops() {
    CLI::App* app =
        command(app_, "flops", "How many operations a kernel does, from its code", flops_,
                {"flops my_kernel/", "flops kernel.cu --task my_kernel/", "flops kernel.cubin",
                 "flops kernel.ptx --json", "flops blur.cu --run './a.out photo.raw'"});
    app->add_option("PATH", flops_.path, "Task folder, or a .cu, .ptx, .cubin or .fatbin file")
        ->required();
    app->add_option("--task", flops_.task, "Task folder whose launches the file is counted in")
        ->type_name("DIR");
    app->add_option("--workload", flops_.workload, "Only this workload of the task")
        ->type_name("NAME");
    app->add_option("--device", flops_.device,
                    "Row of the device table to build for (setting lab.target)")
        ->type_name("KEY");
    auto* run = app->add_option("--run", flops_.run,
                                "How the program in PATH is run: the launches that it makes on the "
                                "simulator's runtime are counted")
                    ->type_name("COMMAND")
                    ->excludes("--task")
                    ->excludes("--workload");
    app->add_option("--build", flops_.build,
                    "How to build it, with {source} and {program} (nvcc -cudart shared)")
        ->type_name("COMMAND")
        ->needs(run);
  }

  void add_lsp() {
    command(app_, "lsp", "The daemon as a language server, for editors (docs/editors.md)", lsp_,
            {"lsp"});
  }

  void add_mcp() {
    CLI::App* mcp = command(app_, "mcp", "The daemon as an MCP server, for agents (docs/mcp.md)",
                            mcp_, {"mcp", "mcp install --client claude-code --write"});
    mcp->add_flag(
        "--print-http", mcp_.print_http,
        "Print address and token of MCP over HTTP (setting http.listen), and serve nothing");
    CLI::App* install =
        command(*mcp, "install", "Print or write the configuration of an agent", mcp_install_,
                {"mcp install --client codex", "mcp install --client vscode --write"});
    install
        ->add_option("--client", mcp_install_.client,
                     "claude-code, codex, cursor, vscode or opencode")
        ->type_name("NAME")
        ->required();
    install->add_flag("--write", mcp_install_.write,
                      "Write the file, and keep what was there as FILE.backup");
    // A group that is a command by itself: its callback comes after the subcommand's.
    mcp->callback([this, mcp] {
      if (mcp->get_subcommands().empty()) select_ = [this] { return CommandOptions(mcp_); };
    });
    CLI::App* skill = add_group(app_, "skill", "What agents without MCP need to know");
    skill->require_subcommand(1);
    command(*skill, "print", "As a SKILL.md", skill_, {"skill print"});
  }

  void add_dashboard() {
    CLI::App* app =
        command(app_, "dashboard", "Queue, episodes and knowledge in a browser (docs/dashboard.md)",
                dashboard_, {"dashboard", "dashboard --open"});
    app->add_flag("--open", dashboard_.open, "Start the browser, too (xdg-open)");
  }

  void add_worker() {
    add_worker_flags(
        *command(
            app_, "worker", "Judge kernels for daemons on other hosts (docs/hosts.md)", worker_,
            {"worker --nats nats://queue:4222 --token-file ~/nats.token",
             "worker --nats nats://queue:4222 --arch sim",
             "worker --nats nats://queue:4222 --arch sm_90 --slurm 8 --sbatch=--partition=gpu"}),
        worker_);
  }

  void add_doctor() {
    command(app_, "doctor", "Say what works on this machine, and how to fix what does not", doctor_,
            {"doctor", "doctor --json"});
  }

  /// Its grammar is warpmind-bench's, `--help` included: every word goes there as it is.
  void add_bench() {
    CLI::App* app = app_.add_subcommand("bench", "Experiments with figures: does memory help?");
    app->prefix_command();
    app->set_help_flag();
    app->callback([this, app] {
      bench_.words = app->remaining();
      select_ = [this] { return CommandOptions(bench_); };
    });
  }

  void add_episode() {
    CLI::App& group =
        *add_group(app_, "episode", "Episodes whose kernels you, or your agent, write");
    group.require_subcommand(1);
    CLI::App* open =
        command(group, "open", "Judge a task's kernel and print the brief", episode_open_,
                {"episode open my_kernel/", "episode open my_kernel/ --into work/"});
    open->add_option("DIR", episode_open_.directory, "Task folder, with its task.toml")->required();
    open->add_option("--evaluations", episode_open_.evaluations,
                     "Candidates to judge (setting episode.evaluations)")
        ->type_name("N");
    open->add_option("--provider", episode_open_.provider, "As for optimize")
        ->type_name("NAME")
        ->check(CLI::IsMember({"auto", "gpu", "sim", "fixture"}));
    open->add_option("--device", episode_open_.device, "As for optimize")->type_name("KEY");
    open->add_option("--gpu-seconds", episode_open_.gpu_seconds, "Most time in the lab, s")
        ->type_name("S");
    open->add_option("--effort", episode_open_.effort, "As for optimize")
        ->type_name("NAME")
        ->check(CLI::IsMember({"quick", "normal", "strict"}));
    open->add_option("--into", episode_open_.into, "Write kernel.cu, plan.json and brief.md there")
        ->type_name("FOLDER");
    CLI::App* brief =
        command(group, "brief", "The brief as it is now", episode_brief_, {"episode brief 7"});
    brief->add_option("JOB", episode_brief_.job, "j-0000000007, or 7")->required();
    add_episode_submit(group);
    CLI::App* close = command(group, "close", "End it and write back what it taught",
                              episode_close_, {"episode close 7"});
    close->add_option("JOB", episode_close_.job, "j-0000000007, or 7")->required();
    close->add_option("--reason", episode_close_.reason, "Why, for the record")->type_name("TEXT");
  }

  void add_episode_submit(CLI::App& group) {
    auto& into = episode_submit_;
    CLI::App* app = command(group, "submit", "Have a candidate judged", into,
                            {"episode submit 7 work/kernel.cu --technique vector_width",
                             "episode submit 7 --plan work/plan.json --technique block_size"});
    app->add_option("JOB", into.job, "j-0000000007, or 7")->required();
    app->add_option("FILE", into.file, "CUDA C++, - = standard input; left out: the source stays");
    app->add_option("--plan", into.plan, "Launch plan as JSON, whole; left out: the plan stays")
        ->type_name("FILE");
    app->add_option("--flag", into.flags, "Build flag; all of them, as they shall be")
        ->type_name("FLAG");
    app->add_option("--edits", into.edits, "Step whose kernel was edited (the best so far)")
        ->type_name("N");
    app->add_option("--technique", into.technique, "What was done (`kb techniques` has names)")
        ->type_name("NAME");
    app->add_option("--parameters", into.parameters, "Of the technique")->type_name("TEXT");
    app->add_option("--rationale", into.rationale, "Why, one sentence")->type_name("TEXT");
    app->add_option("--predicted", into.predicted_gain, "Expected factor, 1.3 = 1.3 times faster")
        ->type_name("X");
    app->add_option("--author", into.author, "Who wrote it")->type_name("NAME");
    app->add_option("--model", into.model, "Language model that wrote it")->type_name("NAME");
  }

  void add_config() {
    CLI::App* config = add_group(app_, "config", "The configuration");
    config->require_subcommand(1);
    CLI::App* show = command(
        *config, "show", "Every setting with its value", config_show_,
        {"config show", "config show --origin", "config show --set episode.seconds=60 --json"});
    show->add_flag("--origin", config_show_.origin, "Also say where each value comes from");
  }

  void add_daemon() {
    CLI::App* daemon = add_group(app_, "daemon", "Start, stop and look at the daemon");
    daemon->require_subcommand(1);
    command(*daemon, "start", "Start the daemon unless one runs", daemon_start_, {"daemon start"});
    CLI::App* stop = command(*daemon, "stop", "End the daemon; a running job is queued again",
                             daemon_stop_, {"daemon stop", "daemon stop --finish"});
    stop->add_flag("--finish", daemon_stop_.finish, "Let the running job end first");
    command(*daemon, "status", "Whether a daemon runs; never starts one", daemon_status_,
            {"daemon status"});
    CLI::App* level =
        command(*daemon, "log-level", "Change what the daemon logs, or say it", daemon_log_level_,
                {"daemon log-level", "daemon log-level debug",
                 "daemon log-level debug --component agents"});
    level->add_option("LEVEL", daemon_log_level_.level, "debug, info, warn or error")
        ->check(CLI::IsMember({"debug", "info", "warn", "error"}));
    level
        ->add_option("--component", daemon_log_level_.component,
                     "Only this one: agents, daemon, knowledge_base or profilers")
        ->check(CLI::IsMember({"agents", "daemon", "knowledge_base", "profilers"}));
    CLI::App* units =
        command(*daemon, "install-units", "Units for the user's systemd", daemon_units_,
                {"daemon install-units", "daemon install-units --write"});
    units->add_flag("--write", daemon_units_.write, "Write them instead of printing them");
    units
        ->add_option("--directory", daemon_units_.directory,
                     "Folder to write to ($XDG_CONFIG_HOME/systemd/user)")
        ->type_name("DIR");
  }

  /// What CLI11 cannot check.
  [[nodiscard]] Result<void> check() const {
    WARPMIND_CHECK(check_optimize(optimize_));
    for (const auto& assignment : globals_.assignments) {
      const std::size_t equals = assignment.find('=');
      if (equals == std::string::npos || equals == 0) {
        return fail(Errc::invalid_argument,
                    "--set wants name=value, as in --set "
                    "episode.seconds=60, not '" +
                        assignment + "'");
      }
    }
    return {};
  }

  /// The innermost command that was understood, and its name with those above it.
  [[nodiscard]] std::pair<const CLI::App*, std::string> understood() const {
    std::string name = "warpmind";
    const CLI::App* app = &app_;
    while (!app->get_subcommands().empty()) {
      app = app->get_subcommands().front();
      name += " " + app->get_name();
    }
    return {app, name};
  }

  /// When a command is wanted: that it is missing or misspelt. Else empty.
  [[nodiscard]] std::string missing_command() const {
    const auto commands = names_of_commands(*understood().first);
    if (commands.empty()) return {};
    const auto words = app_.remaining(true);
    const auto wrong = std::find_if(words.begin(), words.end(),
                                    [](const auto& word) { return !word.starts_with('-'); });
    if (wrong == words.end()) return "a command is missing";
    return "unknown command '" + *wrong + "'" + config::suggestion(*wrong, commands);
  }

  /// CLI11's text as one line, with the help of the command that was meant.
  [[nodiscard]] std::string sentence(std::string text) const {
    std::replace(text.begin(), text.end(), '\n', ' ');
    while (!text.empty() && std::string_view(" .?").find(text.back()) != std::string_view::npos) {
      text.pop_back();
    }
    return text + "; see `" + understood().second + " --help`";
  }

  static std::vector<std::string_view> names_of_commands(const CLI::App& app) {
    std::vector<std::string_view> names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
      names.push_back(command->get_name());
    }
    return names;
  }

  CLI::App app_;
  std::optional<KnowledgeGrammar> knowledge_;
  std::optional<TaskGrammar> tasks_;
  std::optional<QueueGrammar> queue_;
  GlobalOptions globals_;
  OptimizeOptions optimize_;
  StatusOptions status_;
  ResultOptions result_;
  CancelOptions cancel_;
  ValidateOptions validate_;
  ExplainMovesOptions explain_moves_;
  FlopsOptions flops_;
  LspOptions lsp_;
  McpOptions mcp_;
  McpInstallOptions mcp_install_;
  SkillOptions skill_;
  DashboardOptions dashboard_;
  DoctorOptions doctor_;
  ConfigShowOptions config_show_;
  DaemonStartOptions daemon_start_;
  DaemonStopOptions daemon_stop_;
  DaemonStatusOptions daemon_status_;
  DaemonLogLevelOptions daemon_log_level_;
  DaemonUnitsOptions daemon_units_;
  BenchOptions bench_;
  WorkerOptions worker_;
  WhyOptions why_;
  EpisodeOpenOptions episode_open_;
  EpisodeBriefOptions episode_brief_;
  EpisodeSubmitOptions episode_submit_;
  EpisodeCloseOptions episode_close_;
  ExportDataOptions trajectories_;
  ExportDataOptions concur_;
  KbExportOptions export_kb_;
  ExportVerifyOptions verify_;
  std::function<CommandOptions()> select_;
};

}  // namespace

Result<std::variant<Invocation, HelpText>> parse_command_line(int argc, const char* const* argv) {
  Grammar grammar;
  return grammar.parse(argc, argv);
}

Result<std::string> full_job_id(std::string_view text) {
  const auto all_digits = [](std::string_view digits) {
    return !digits.empty() &&
           std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  const std::string_view digits = text.starts_with("j-") ? text.substr(2) : text;
  if (!all_digits(digits) || digits.size() > 10) {
    return fail(Errc::invalid_argument, "'" + std::string(text) +
                                            "' is no job; write 7 or j-0000000007, as `warpmind "
                                            "status` lists them");
  }
  return "j-" + std::string(10 - digits.size(), '0') + std::string(digits);
}

bool wants_json(int argc, const char* const* argv) {
  return std::any_of(argv, argv + argc,
                     [](const char* word) { return std::string_view(word) == "--json"; });
}

}  // namespace warpmind::clients
