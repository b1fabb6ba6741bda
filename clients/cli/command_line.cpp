#include "clients/cli/command_line.h"

#include "base/sequence.h"
#include "clients/cli/agent_configuration.h"
#include "clients/cli/command_help.h"
#include "clients/cli/completion/bash_script.h"
#include "clients/cli/completion/fish_script.h"
#include "clients/cli/completion/manual_page.h"
#include "clients/cli/completion/zsh_script.h"
#include "clients/cli/grammar_parts.h"
#include "clients/cli/knowledge_grammar.h"
#include "clients/cli/optimize_grammar.h"
#include "clients/cli/option_flags.h"
#include "clients/cli/queue_grammar.h"
#include "clients/cli/skill_grammar.h"
#include "clients/cli/task_grammar.h"
#include "clients/cli/worker_grammar.h"
#include "config/command_line_text.h"
#include "config/nearest_name.h"
#include "config/settings_table.h"

#include <algorithm>
#include <array>
#include <functional>

#include <CLI/CLI.hpp>

namespace warpmind::clients {
namespace {

/// Headings of the help, in this order.
constexpr const char* kOptimise = "Optimise";
constexpr const char* kLook = "Look";
constexpr const char* kKnowledge = "Knowledge";
constexpr const char* kQueue = "Queue";
constexpr const char* kAgents = "Agents and editors";
constexpr const char* kDaemon = "Daemon";

constexpr const char* kJob = "Job id: j-0000000007, or 7";

/// Flags of warpmindd, and what does the same here.
struct DaemonFlag {
  std::string_view name;
  std::string_view instead;
};
constexpr std::array kDaemonFlags{
    DaemonFlag{"--allow-root", "write --set daemon.allow_root=true"},
    DaemonFlag{"--doctor", "`warpmind doctor` does the same"},
    DaemonFlag{"--foreground", "run `warpmindd` itself to keep it in the foreground"},
    DaemonFlag{"--print-protocol", "run `warpmindd --print-protocol`"},
    DaemonFlag{"--print-types", "run `warpmindd --print-types`"},
    DaemonFlag{"--serve-evaluations", "`warpmind worker` does the same"},
};

/// Builds the commands; each one's callback notes which command was meant.
class Grammar {
 public:
  Grammar() : app_("Makes CUDA kernels faster and remembers what worked.", "warpmind") {
    app_.require_subcommand(1);
    app_.set_version_flag("--version", std::string("warpmind ") + WARPMIND_VERSION,
                          "Print the version");
    app_.footer(
        "optimize my_kernel/\noptimize program.cu --run './a.out 1000'\nresult 7 --output "
        "best.cu\nwhy last\ndoctor");
    add_globals();
    add_optimizing();
    add_looking();
    add_knowledge();
    add_queue();
    add_agents();
    add_serving();
  }

  [[nodiscard]] Result<std::variant<Invocation, HelpText>> parse(int argc,
                                                                 const char* const* argv) {
    if (argc <= 1) return HelpText{render_help(description(), "")};
    try {
      app_.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
      return HelpText{render_help(description(), understood().second)};
    } catch (const CLI::CallForVersion& version) {
      return HelpText{std::string(version.what()) + "\n"};
    } catch (const CLI::RequiredError& error) {
      std::string what = not_understood({argv + 1, argv + argc});
      if (what.empty()) what = missing_command();
      if (what.empty()) what = error.what() + where_to_find(error.what());
      return fail(Errc::invalid_argument, sentence(what));
    } catch (const CLI::ExtrasError& error) {
      const std::string what = not_understood({argv + 1, argv + argc});
      return fail(Errc::invalid_argument, sentence(what.empty() ? error.what() : what));
    } catch (const CLI::ParseError& error) {
      return fail(Errc::invalid_argument, sentence(config::command_line_text(error.what())));
    }
    if (!script_.empty()) return HelpText{script()};
    WARPMIND_CHECK(check());
    CommandOptions options = select_();
    if (const auto* knowledge = std::get_if<KnowledgeOptions>(&options)) {
      WARPMIND_CHECK(KnowledgeGrammar::check(*knowledge));
    }
    if (const auto* skills = std::get_if<SkillOptions>(&options)) {
      WARPMIND_CHECK(SkillGrammar::check(*skills));
    }
    return Invocation{std::move(globals_), std::move(options)};
  }

  [[nodiscard]] CommandDescription description() const { return describe(app_); }

 private:
  template <class Options>
  CLI::App* command(CLI::App& parent, const char* name, const char* what, Options& options,
                    std::initializer_list<std::string_view> lines) {
    CLI::App* app = add_command(parent, name, what, lines);
    app->callback([this, &options] { select_ = [&options] { return CommandOptions(options); }; });
    return app;
  }

  void add_globals() {
    from_setting(
        app_.add_option("--socket", globals_.socket, "Socket of the daemon")->type_name("FILE"),
        "daemon.socket");
    app_.add_option("--config", globals_.config, "Configuration file instead of the default one")
        ->type_name("FILE");
    app_.add_option("--set", globals_.assignments,
                    "Setting for this command, and for the daemon when it is started; repeatable")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    app_.add_flag("--no-start", globals_.no_start, "Do not start the daemon when none runs");
    app_.add_flag("--json", globals_.json, "Print exactly one JSON document");
  }

  void add_optimizing() {
    CLI::App* app = command(
        app_, "optimize", "Make the kernel of a task folder, or of a program, faster", optimize_,
        {"optimize my_kernel/", "optimize my_kernel/ --evaluations 8 --seconds 120",
         "optimize my_kernel/ --output best.cu", "optimize program.cu --run './a.out 1000'",
         "optimize my_kernel/ --detach --json"});
    app->group(kOptimise);
    add_optimize_flags(*app, optimize_);
    add_jobs();
    tasks_.emplace(app_, [this](std::function<TaskOptions()> options) {
      select_ = [options = std::move(options)] { return CommandOptions(options()); };
    });
    app_.get_subcommand("task")->group(kOptimise);
    app = command(app_, "validate", "Check a task folder without running anything", validate_,
                  {"validate my_kernel/"});
    app->group(kOptimise);
    app->add_option("DIR", validate_.directory, "Task folder, with its task.toml")->required();
  }

  void add_looking() {
    command(app_, "status", "Show the daemon, its device and its jobs", status_,
            {"status", "status --json"})
        ->group(kLook);
    CLI::App* app =
        command(app_, "why", "Explain how an episode went, or one step of it", why_,
                {"why last", "why 7", "why e-0000000007 3", "why 7 3 --profile", "why 7 3 --json"});
    app->group(kLook);
    app->add_option("EPISODE", why_.episode, "e-0000000007, its job, the bare number, or last")
        ->required();
    app->add_option("STEP", why_.step, "Number of one step to show in full; 0 is the given kernel");
    CLI::Option* profile = app->add_flag(
        "--profile", why_.profile,
        "Show where the step's time goes, launch by launch, beside the kernel that it "
        "edited; a step without a profile is profiled now");
    app->add_flag("--metrics", why_.metrics, "With --profile: every metric of each launch")
        ->needs(profile);
    app->add_option("--against", why_.against, "With --profile: hold it against this step")
        ->needs(profile);
    command(app_, "doctor", "Check this machine, and say how to fix what is missing", doctor_,
            {"doctor", "doctor --json"})
        ->group(kLook);
    add_explain_moves();
    add_flops();
    app = command(app_, "baseline", "Time the best library call that computes what a task asks for",
                  baseline_, {"baseline my_kernel/", "baseline my_kernel/ --again --json"});
    app->group(kLook);
    app->add_option("DIR", baseline_.directory, "Task folder, with its task.toml")->required();
    app->add_flag("--again", baseline_.again,
                  "Time it though it was timed before on this GPU with these libraries");
    app = command(app_, "dashboard", "Show queue, episodes and knowledge in a browser", dashboard_,
                  {"dashboard", "dashboard --open"});
    app->group(kLook);
    app->add_flag("--open", dashboard_.open,
                  "Start the browser, too, instead of only printing the address");
    add_bench();
  }

  void add_knowledge() {
    knowledge_.emplace(app_, [this](std::function<KnowledgeOptions()> options) {
      select_ = [options = std::move(options)] { return CommandOptions(options()); };
    });
    app_.get_subcommand("kb")->group(kKnowledge);
    add_export();
  }

  void add_queue() {
    queue_.emplace(app_, [this](std::function<QueueOptions()> options) {
      select_ = [options = std::move(options)] { return CommandOptions(options()); };
    });
    app_.get_subcommand("queue")->group(kQueue);
    app_.get_subcommand("report")->group(kQueue);
  }

  void add_agents() {
    add_mcp();
    add_episode();
    command(app_, "lsp", "Serve an editor as a language server (docs/editors.md)", lsp_, {"lsp"})
        ->group(kAgents);
    skills_.emplace(app_, [this](std::function<SkillOptions()> options) {
      select_ = [options = std::move(options)] { return CommandOptions(options()); };
    });
    app_.get_subcommand("skill")->group(kAgents);
  }

  void add_serving() {
    add_daemon();
    add_config();
    CLI::App* worker = command(
        app_, "worker", "Judge kernels for daemons on other hosts (docs/hosts.md)", worker_,
        {"worker --nats nats://queue:4222 --token-file ~/nats.token",
         "worker --nats nats://queue:4222 --arch sim",
         "worker --nats nats://queue:4222 --arch sm_90 --slurm 8 --sbatch=--partition=gpu"});
    worker->group(kDaemon);
    add_worker_flags(*worker, worker_);
    CLI::App* completion =
        add_command(app_, "completion", "Print shell completion, or the manual page",
                    {"completion bash > ~/.local/share/bash-completion/completions/warpmind",
                     "completion zsh > ~/.zfunc/_warpmind",
                     "completion fish > ~/.config/fish/completions/warpmind.fish",
                     "completion man | man -l -"});
    completion->group(kDaemon);
    one_of(completion->add_option("FORMAT", script_, "bash, zsh, fish or man")->required(),
           {"bash", "zsh", "fish", "man"});
  }

  [[nodiscard]] std::string script() const {
    const CommandDescription program = description();
    if (script_ == "bash") return bash_script(program);
    if (script_ == "zsh") return zsh_script(program);
    if (script_ == "fish") return fish_script(program);
    return manual_page(program, WARPMIND_VERSION);
  }

  void add_data(CLI::App& group, const char* kind, const char* what, ExportDataOptions& into,
                std::initializer_list<std::string_view> lines) {
    into.kind = kind;
    CLI::App* app = command(group, kind, what, into, lines);
    app->add_option("FILE", into.file, "New file")->required();
    const bool is_concur = std::string_view(kind) == "concur";
    add_flags(*app, static_cast<daemon::protocol::ExportWriteParams&>(into),
              [is_concur](std::string_view member, Option& /*option*/) {
                if (member == "format") return !is_concur;
                return is_concur || (member != "threshold" && member != "balance");
              });
  }

  void add_export() {
    CLI::App& group =
        *add_group(app_, "export", "Export training data and knowledge as JSON lines");
    group.group(kKnowledge);
    group.require_subcommand(1);
    add_data(group, "trajectories", "Turns with scores and discounted returns", trajectories_,
             {"export trajectories turns.jsonl", "export trajectories chats.jsonl --format chat",
              "export trajectories sim.jsonl --provider sim"});
    add_data(group, "concur", "Concise reasoning that led to fast kernels", concur_,
             {"export concur traces.jsonl", "export concur traces.jsonl --threshold 2"});
    CLI::App* pack = add_command(group, "kb", "Knowledge as a pack; the same as `kb export`",
                                 {"export kb mine.jsonl"});
    pack->add_option("FILE", export_kb_.file, "New file")->required();
    pack->callback(
        [this] { select_ = [this] { return CommandOptions(KnowledgeOptions(export_kb_)); }; });
    CLI::App* verify = command(group, "verify", "Check every line of an exported file", verify_,
                               {"export verify turns.jsonl"});
    verify->add_option("FILE", verify_.file, "File that `export` wrote")->required();
  }

  void add_jobs() {
    CLI::App* attach =
        command(app_, "attach", "Follow a job to its end; Ctrl-C detaches, the job goes on",
                attach_, {"attach 7", "attach j-0000000007 --output best.cu"});
    attach->group(kOptimise);
    attach->add_option("JOB", attach_.job, kJob)->required();
    attach->add_option("--output", attach_.output_file, "Write the best kernel to this file")
        ->type_name("FILE");
    attach->add_flag("--verbose", attach_.verbose,
                     "Also print metrics, all candidates, diff and lessons");
    CLI::App* wait = command(app_, "wait", "Wait until jobs have ended, and print a line for each",
                             wait_, {"wait 7", "wait 7 8 9", "wait --all --timeout 3600"});
    wait->group(kOptimise);
    CLI::Option* jobs = wait->add_option("JOB", wait_.jobs, kJob);
    wait->add_flag("--all", wait_.all,
                   "All jobs that are queued or running now, except paused ones")
        ->excludes(jobs);
    wait->add_option("--timeout", wait_.timeout,
                     "Give up after so long, seconds; exit code 1 then, and the jobs go on")
        ->type_name("S")
        ->default_str("no limit");
    CLI::App* result =
        command(app_, "result", "Show the report of a job", result_,
                {"result 7", "result j-0000000007 --output best.cu", "result 7 --json"});
    result->group(kOptimise);
    result->add_option("JOB", result_.job, kJob)->required();
    result->add_flag("--verbose", result_.verbose,
                     "Also print metrics, all candidates, diff and lessons");
    result->add_option("--output", result_.output_file, "Write the best kernel to this file")
        ->type_name("FILE");
    CLI::App* cancel =
        command(app_, "cancel", "Cancel a job; what was measured is kept", cancel_, {"cancel 7"});
    cancel->group(kOptimise);
    cancel->add_option("JOB", cancel_.job, kJob)->required();
  }

  void add_explain_moves() {
    CLI::App* app = command(
        app_, "explain-moves", "Show which rewrites apply to a kernel, and why", explain_moves_,
        {"explain-moves my_kernel/", "explain-moves softmax.cu", "explain-moves my_kernel/ --diff",
         "explain-moves my_kernel/ --technique unroll --parameters factor=4"});
    app->group(kLook);
    app->add_option("PATH", explain_moves_.path, "Task folder, or a CUDA file")
        ->required()
        ->type_name("TASK");
    CLI::Option* technique =
        app->add_option("--technique", explain_moves_.technique, "Only this one, with its diff")
            ->type_name("TECHNIQUE");
    app->add_option("--parameters", explain_moves_.parameters, "Only this move of the technique")
        ->type_name("TEXT")
        ->needs(technique);
    from_setting(app->add_option("--device", explain_moves_.device,
                                 "Device that gains are estimated for, such as h200")
                     ->type_name("DEVICE"),
                 "lab.target");
    app->add_flag("--diff", explain_moves_.diff, "Show what the first move of each would change");
  }

  void add_flops() {
    CLI::App* app =
        command(app_, "flops", "Count a kernel's operations from its code", flops_,
                {"flops my_kernel/", "flops kernel.cu --task my_kernel/", "flops kernel.cubin",
                 "flops kernel.ptx --json", "flops blur.cu --run './a.out photo.raw'"});
    app->group(kLook);
    app->add_option("PATH", flops_.path, "Task folder, or a .cu, .ptx, .cubin or .fatbin file")
        ->required();
    app->add_option("--task", flops_.task, "Task folder whose launches the file is counted in")
        ->type_name("DIR");
    app->add_option("--workload", flops_.workload, "Only this workload of the task")
        ->type_name("NAME");
    from_setting(app->add_option("--device", flops_.device, "Device to build for, such as h200")
                     ->type_name("DEVICE"),
                 "lab.target");
    auto* run = app->add_option("--run", flops_.run,
                                "Command that runs the built program; the launches it makes in the "
                                "simulator are counted")
                    ->type_name("COMMAND")
                    ->excludes("--task")
                    ->excludes("--workload");
    app->add_option("--build", flops_.build, "Command that builds it, with {source} and {program}")
        ->type_name("COMMAND")
        ->default_str("nvcc -cudart shared")
        ->needs(run);
  }

  void add_mcp() {
    CLI::App* mcp = command(app_, "mcp", "Serve a coding agent over MCP (docs/mcp.md)", mcp_,
                            {"mcp install --client claude-code --write", "mcp"});
    mcp->group(kAgents);
    mcp->add_flag("--print-http", mcp_.print_http,
                  "Print address and token of MCP over HTTP (setting http.listen) and exit");
    CLI::App* install =
        command(*mcp, "install", "Print or write the configuration of an agent", mcp_install_,
                {"mcp install --client codex", "mcp install --client vscode --write"});
    std::vector<std::string> clients;
    for (const auto& client : agent_clients()) clients.emplace_back(client.name);
    suggest(install
                ->add_option("--client", mcp_install_.client,
                             "claude-code, codex, cursor, vscode or opencode")
                ->type_name("NAME")
                ->required(),
            clients);
    install->add_flag("--write", mcp_install_.write,
                      "Write the file, and keep what was there as FILE.backup");
    // A group that is a command by itself: its callback comes after the subcommand's.
    mcp->callback([this, mcp] {
      if (mcp->get_subcommands().empty()) select_ = [this] { return CommandOptions(mcp_); };
    });
  }

  /// Its grammar is warpmind-bench's, `--help` included: every word goes there as it is.
  void add_bench() {
    CLI::App* app =
        app_.add_subcommand("bench", "Measure whether memory helps (docs/bench_memory.md)");
    app->group(kLook);
    app->footer("bench memory --help");
    app->prefix_command();
    app->set_help_flag();
    app->callback([this, app] {
      bench_.words = app->remaining();
      select_ = [this] { return CommandOptions(bench_); };
    });
  }

  void add_episode() {
    CLI::App& group =
        *add_group(app_, "episode", "Have kernels judged that you or your agent write");
    group.group(kAgents);
    group.require_subcommand(1);
    CLI::App* open =
        command(group, "open", "Open an episode: judge the given kernel and print the brief",
                episode_open_, {"episode open my_kernel/", "episode open my_kernel/ --into work/"});
    open->add_option("DIR", episode_open_.directory, "Task folder, with its task.toml")->required();
    add_flags(*open, static_cast<daemon::protocol::EpisodeOpenParams&>(episode_open_));
    open->add_option("--into", episode_open_.into,
                     "Write kernel.cu, plan.json and brief.md to this folder")
        ->type_name("FOLDER");
    CLI::App* brief = command(group, "brief", "Print the brief as it is now", episode_brief_,
                              {"episode brief 7"});
    brief->add_option("JOB", episode_brief_.job, kJob)->required();
    add_episode_submit(group);
    CLI::App* close = command(group, "close", "Close an episode and store what it taught",
                              episode_close_, {"episode close 7"});
    close->add_option("JOB", episode_close_.job, kJob)->required();
    close->add_option("--reason", episode_close_.reason, "Why it is closed, for the record")
        ->type_name("TEXT");
  }

  void add_episode_submit(CLI::App& group) {
    auto& into = episode_submit_;
    CLI::App* app = command(group, "submit", "Have a candidate judged", into,
                            {"episode submit 7 work/kernel.cu --technique vector_width",
                             "episode submit 7 --plan work/plan.json --technique block_size"});
    app->add_option("JOB", into.job_id, kJob)->required();
    app->add_option("FILE", into.file,
                    "CUDA C++ file, - = standard input; left out: the source stays");
    app->add_option("--plan", into.plan_file,
                    "Launch plan as JSON, whole; left out: the plan stays")
        ->type_name("FILE");
    app->add_option("--flag", into.flags,
                    "Build flag; name all that the candidate needs; repeatable")
        ->type_name("FLAG");
    app->add_option("--edits", into.edits, "Number of the step whose kernel was edited")
        ->type_name("N")
        ->default_str("the best so far");
    app->add_option("--technique", into.technique,
                    "Technique that was applied; `kb techniques` lists them")
        ->type_name("TECHNIQUE");
    app->add_option("--parameters", into.parameters, "Parameters of the technique")
        ->type_name("TEXT");
    app->add_option("--rationale", into.rationale, "Why it should be faster, one sentence")
        ->type_name("TEXT");
    app->add_option("--predicted", into.predicted_gain, "Expected speedup; 1.3 = 1.3 times as fast")
        ->type_name("X");
    app->add_option("--author", into.author, "Who wrote it")->type_name("NAME");
    app->add_option("--model", into.model, "Language model that wrote it")->type_name("NAME");
  }

  void add_config() {
    CLI::App* config = add_group(app_, "config", "Show the settings");
    config->group(kDaemon);
    config->require_subcommand(1);
    CLI::App* show = command(
        *config, "show", "Show every setting with its value", config_show_,
        {"config show", "config show --origin", "config show --set episode.seconds=60 --json"});
    show->add_flag("--origin", config_show_.origin, "Also show where each value comes from");
  }

  void add_daemon() {
    CLI::App* daemon = add_group(app_, "daemon", "Start, stop and check the daemon");
    daemon->group(kDaemon);
    daemon->require_subcommand(1);
    command(*daemon, "start", "Start the daemon unless one runs", daemon_start_, {"daemon start"});
    CLI::App* stop = command(*daemon, "stop", "Stop the daemon; a running job is queued again",
                             daemon_stop_, {"daemon stop", "daemon stop --finish"});
    stop->add_flag("--finish", daemon_stop_.finish, "Let the running job end first");
    command(*daemon, "status", "Say whether a daemon runs; never starts one", daemon_status_,
            {"daemon status"});
    CLI::App* level =
        command(*daemon, "log-level", "Show or change what the daemon logs", daemon_log_level_,
                {"daemon log-level", "daemon log-level debug",
                 "daemon log-level debug --component agents"});
    one_of(level->add_option("LEVEL", daemon_log_level_.level, "debug, info, warn or error"),
           {"debug", "info", "warn", "error"});
    one_of(level->add_option("--component", daemon_log_level_.component, "Only this component")
               ->type_name("NAME"),
           {"agents", "daemon", "knowledge_base", "profilers"});
    CLI::App* units =
        command(*daemon, "install-units", "Print or write units for systemd --user", daemon_units_,
                {"daemon install-units", "daemon install-units --write"});
    units->add_flag("--write", daemon_units_.write, "Write them instead of printing them");
    units->add_option("--directory", daemon_units_.directory, "Folder to write to")
        ->type_name("DIR")
        ->default_str("$XDG_CONFIG_HOME/systemd/user");
  }

  /// What CLI11 cannot check.
  [[nodiscard]] Result<void> check() const {
    WARPMIND_CHECK(check_optimize(optimize_));
    WARPMIND_CHECK(check_wait());
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

  [[nodiscard]] Result<void> check_wait() const {
    const auto& app = *app_.get_subcommand("wait");
    if (!app.parsed()) return {};
    if (wait_.jobs.empty() && !wait_.all) {
      return fail(Errc::invalid_argument,
                  "wait needs jobs, or --all; `warpmind status` lists jobs");
    }
    if (wait_.timeout && !(*wait_.timeout >= 0 && *wait_.timeout <= 1e9)) {
      return fail(Errc::invalid_argument, "--timeout must be at least 0 and at most 1e9 seconds");
    }
    return {};
  }

  /// The innermost command that was understood, and its path.
  [[nodiscard]] std::pair<const CLI::App*, std::string> understood() const {
    std::string path;
    const CLI::App* app = &app_;
    while (!app->get_subcommands().empty()) {
      app = app->get_subcommands().front();
      path += (path.empty() ? "" : " ") + app->get_name();
    }
    return {app, path};
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

  /// About the first of the words, in the order they were typed, that no command takes: a flag
  /// before an argument, for it may be the flag's value. Empty when all are taken.
  [[nodiscard]] std::string not_understood(const std::vector<std::string>& typed) const {
    const auto left = app_.remaining(true);
    const auto is_left = [&](const std::string& word) { return contains(left, word); };
    const auto flag = std::find_if(typed.begin(), typed.end(), [&](const auto& word) {
      return word.size() > 1 && word.starts_with('-') && is_left(word);
    });
    if (flag != typed.end()) return unknown_flag(flag->substr(0, flag->find('=')));
    const auto* command = understood().first;
    if (command->get_require_subcommand_min() > 0 && command->get_subcommands().empty()) return {};
    const auto word = std::find_if(typed.begin(), typed.end(), is_left);
    return word == typed.end() ? std::string() : "unexpected argument '" + *word + "'";
  }

  [[nodiscard]] std::string unknown_flag(const std::string& flag) const {
    for (const auto& [name, instead] : kDaemonFlags) {
      if (flag == name) return flag + " is a flag of warpmindd; " + std::string(instead);
    }
    const std::string name = flag.substr(std::min(flag.find_first_not_of('-'), flag.size()));
    if (config::find_setting(name) != nullptr) {
      return flag + " is a setting, not a flag; write --set " + name + "=VALUE";
    }
    std::vector<std::string_view> known;
    for (const CLI::App* app = understood().first; app != nullptr; app = app->get_parent()) {
      for (const CLI::Option* option : app->get_options()) {
        known.insert(known.end(), option->get_lnames().begin(), option->get_lnames().end());
      }
    }
    const auto near = config::nearest_name(name, known);
    return "unknown flag '" + flag + "'" +
           (near.empty() ? std::string() : "; did you mean '--" + std::string(near) + "'?");
  }

  /// How to find out what a required argument wants. Empty for those that the user knows himself.
  [[nodiscard]] std::string where_to_find(std::string_view missing) const {
    if (missing.starts_with("ID ")) return "; `warpmind kb search WORDS` lists ids of insights";
    if (missing.starts_with("JOB ")) return "; `warpmind status` lists jobs";
    return {};
  }

  /// CLI11's text as one line, with the help of the command that was meant.
  [[nodiscard]] std::string sentence(std::string text) const {
    std::replace(text.begin(), text.end(), '\n', ' ');
    while (!text.empty() && std::string_view(" .").find(text.back()) != std::string_view::npos) {
      text.pop_back();
    }
    const std::string path = understood().second;
    // A question mark ends a sentence by itself.
    return text + (text.ends_with('?') ? " See" : "; see") + " `warpmind " + path +
           (path.empty() ? "" : " ") + "--help`";
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
  AttachOptions attach_;
  WaitOptions wait_;
  ValidateOptions validate_;
  ExplainMovesOptions explain_moves_;
  FlopsOptions flops_;
  BaselineOptions baseline_;
  LspOptions lsp_;
  McpOptions mcp_;
  McpInstallOptions mcp_install_;
  std::optional<SkillGrammar> skills_;
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
  std::string script_;  ///< "bash", "man", …; empty = another command
  std::function<CommandOptions()> select_;
};

}  // namespace

Result<std::variant<Invocation, HelpText>> parse_command_line(int argc, const char* const* argv) {
  Grammar grammar;
  return grammar.parse(argc, argv);
}

CommandDescription describe_command_line() { return Grammar().description(); }

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
