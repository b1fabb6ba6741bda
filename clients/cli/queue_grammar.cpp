#include "clients/cli/queue_grammar.h"

#include "clients/cli/command_help.h"

#include <CLI/CLI.hpp>

namespace warpmind::clients {

QueueGrammar::QueueGrammar(CLI::App& app, Select select) : select_(std::move(select)) {
  CLI::App& group = *add_group(app, "queue", "Work for the background: a night of many tasks");
  group.require_subcommand(1);
  add_add(group);
  add_look(group);
  add_jobs(group, "pause", "Keep waiting jobs from being started", pause_,
           {"queue pause 7 8", "queue pause --all"});
  add_jobs(group, "resume", "Let paused jobs go again", resume_, {"queue resume --all"});
  add_jobs(group, "cancel", "End jobs; what was measured is kept", cancel_,
           {"queue cancel 7", "queue cancel --all"});
  add_jobs(group, "retry", "Queue jobs again that failed", retry_,
           {"queue retry 7", "queue retry --all"});
  CLI::App& move = *add_command(group, "move", "Give a waiting job another priority",
                                {"queue move 7 50", "queue move 7 -- -10"});
  move.callback([this] { select_([this] { return QueueOptions(move_); }); });
  move.add_option("JOB", move_.job, "j-0000000007, or 7")->required();
  move.add_option("PRIORITY", move_.priority, "-100 to 100, higher first")->required();
  add_rules(group);
  add_document(app);
}

void QueueGrammar::add_document(CLI::App& parent) {
  CLI::App& app = *add_command(
      parent, "report", "A night of the queue as a document",
      {"report --last-night", "report --last-night --html night.html",
       "report --jobs 1,2,3 --html report.html", "report --night 2026-11-24 --markdown night.md"});
  app.callback([this] { select_([this] { return QueueOptions(document_); }); });
  CLI::Option* night =
      app.add_option("--night", document_.night, "Date of its evening")->type_name("DATE");
  CLI::Option* last =
      app.add_flag("--last-night", document_.last_night, "The newest night (the default)")
          ->excludes(night);
  app.add_option("--jobs", document_.jobs, "Any jobs instead of a night: 1,2,3")
      ->type_name("JOBS")
      ->delimiter(',')
      ->excludes(night)
      ->excludes(last);
  app.add_option("--html", document_.html, "Write one HTML file that loads nothing")
      ->type_name("FILE");
  app.add_option("--markdown", document_.markdown,
                 "Write Markdown there; without a file it goes to standard output")
      ->type_name("FILE");
}

void QueueGrammar::add_add(CLI::App& group) {
  CLI::App& app = *add_command(group, "add", "Queue tasks for the background",
                               {"queue add tasks/", "queue add 'tasks/reduce_*' --evaluations 8",
                                "queue add night.jsonl --deadline 06:00",
                                "queue add a/ b/ --chain --user ada --priority 10"});
  app.callback([this] { select_([this] { return QueueOptions(add_); }); });
  app.add_option("PATH", add_.paths,
                 "Task folder, folder of task folders, pattern, or manifest (.jsonl: one object a "
                 "line with a directory and the parameters of queue.add)")
      ->required();
  app.add_option("--evaluations", add_.evaluations, "Candidates to judge a job")->type_name("N");
  app.add_option("--seconds", add_.seconds, "Active work a job, s")->type_name("S");
  app.add_option("--provider", add_.provider, "As for optimize")
      ->type_name("NAME")
      ->check(CLI::IsMember({"auto", "gpu", "sim", "fixture"}));
  app.add_option(
         "--device", add_.device,
         "Device to predict for; means --provider sim. With --provider gpu: to measure on, here "
         "or at a worker, as sm_90 or h200")
      ->type_name("KEY");
  app.add_option("--proposer", add_.proposer, "builtin (default) or llm")
      ->type_name("NAME")
      ->check(CLI::IsMember({"builtin", "llm"}));
  app.add_option("--policy", add_.policy, "As for optimize")->type_name("NAME");
  app.add_option("--model", add_.model, "For --proposer llm")->type_name("NAME");
  app.add_option("--seed", add_.seed, "Of the search")->type_name("N");
  app.add_option("--tokens", add_.tokens, "Most tokens a job")->type_name("N");
  app.add_option("--usd", add_.usd, "Most US dollars a job")->type_name("X");
  app.add_option("--gpu-seconds", add_.gpu_seconds, "Most time in the lab a job, s")
      ->type_name("S");
  app.add_option("--effort", add_.effort, "As for optimize")
      ->type_name("NAME")
      ->check(CLI::IsMember({"quick", "normal", "strict"}));
  add_terms(app);
}

void QueueGrammar::add_terms(CLI::App& app) {
  app.add_option("--user", add_.user, "Whose jobs they are (you)")->type_name("NAME");
  app.add_option("--priority", add_.priority, "-100 to 100, higher first (0)")->type_name("N");
  app.add_option("--after", add_.after, "Job that must be done first; repeatable")
      ->type_name("JOB")
      ->allow_extra_args(false);
  app.add_option("--not-before", add_.not_before, "Earliest start: 22:00, +90m or +2h")
      ->type_name("TIME");
  app.add_option("--deadline", add_.deadline, "A job that has not begun by then fails")
      ->type_name("TIME");
  app.add_option("--every", add_.every,
                 "24h, 90m, 7d or daily@22:00: when it has ended, the next one is queued");
  app.add_flag("--chain", add_.chain, "Each job after the one before it");
}

void QueueGrammar::add_jobs(CLI::App& group, const char* order, const char* what,
                            QueueJobsOptions& into, std::initializer_list<std::string_view> lines) {
  into.order = order;
  CLI::App& app = *add_command(group, order, what, lines);
  app.callback([this, &into] { select_([&into] { return QueueOptions(into); }); });
  CLI::Option* jobs = app.add_option("JOB", into.jobs, "j-0000000007, or 7");
  app.add_flag("--all", into.all,
               into.order == "retry" ? "All of the last night that failed" : "All that wait")
      ->excludes(jobs);
}

void QueueGrammar::add_look(CLI::App& group) {
  CLI::App& list = *add_command(group, "list", "What runs, and what comes next",
                                {"queue list", "queue list --json"});
  list.callback([this] { select_([this] { return QueueOptions(list_); }); });
  list.add_option("--limit", list_.limit, "Jobs that are listed (100)")->type_name("N");
  CLI::App& why =
      *add_command(group, "why", "Why a job does not run, or what became of it", {"queue why 7"});
  why.callback([this] { select_([this] { return QueueOptions(why_); }); });
  why.add_option("JOB", why_.job, "j-0000000007, or 7")->required();
  CLI::App& report = *add_command(group, "report", "What the jobs of a night did",
                                  {"queue report", "queue report --night 2026-11-24"});
  report.callback([this] { select_([this] { return QueueOptions(report_); }); });
  report.add_option("--night", report_.night, "Date of its evening (the newest)")
      ->type_name("DATE");
}

void QueueGrammar::add_rules(CLI::App& group) {
  CLI::App& app =
      *add_command(group, "rules", "Quiet hours and budgets, and what is left of them",
                   {"queue rules", "queue rules --quiet 08:00-19:00",
                    "queue rules --night gpu_seconds=14400 --night usd=5 --user gpu_seconds=3600"});
  app.callback([this] { select_([this] { return QueueOptions(rules_); }); });
  app.add_option("--quiet", rules_.quiet_hours,
                 "Local hours in which nothing of the background runs; none = always")
      ->type_name("HOURS");
  app.add_option("--night", rules_.night,
                 "Most that one night may spend: evaluations, seconds, gpu_seconds, tokens or usd; "
                 "0 = no limit; repeatable")
      ->type_name("AMOUNT=N")
      ->allow_extra_args(false);
  app.add_option("--user", rules_.user, "The same for each user of a night; repeatable")
      ->type_name("AMOUNT=N")
      ->allow_extra_args(false);
}

}  // namespace warpmind::clients
