#include "clients/cli/queue_grammar.h"

#include "clients/cli/grammar_parts.h"
#include "clients/cli/option_flags.h"

#include <CLI/CLI.hpp>

namespace warpmind::clients {

QueueGrammar::QueueGrammar(CLI::App& app, Select select) : select_(std::move(select)) {
  CLI::App& group =
      *add_group(app, "queue", "Optimise many tasks in the background, e.g. overnight");
  group.require_subcommand(1);
  add_add(group);
  add_look(group);
  add_jobs(group, "pause", "Keep waiting jobs from starting", pause_,
           {"queue pause 7 8", "queue pause --all"});
  add_jobs(group, "resume", "Let paused jobs start again", resume_, {"queue resume --all"});
  add_jobs(group, "cancel", "Cancel jobs; what was measured is kept", cancel_,
           {"queue cancel 7", "queue cancel --all"});
  add_jobs(group, "retry", "Queue failed jobs again", retry_,
           {"queue retry 7", "queue retry --all"});
  CLI::App& move = *add_command(group, "move", "Give a waiting job another priority",
                                {"queue move 7 50", "queue move 7 -- -10"});
  move.callback([this] { select_([this] { return QueueOptions(move_); }); });
  move.add_option("JOB", move_.job, "j-0000000007, or 7")->required();
  move.add_option("PRIORITY", move_.priority, "-100 to 100; higher runs first")->required();
  add_rules(group);
  add_document(app);
}

void QueueGrammar::add_document(CLI::App& parent) {
  CLI::App& app = *add_command(
      parent, "report", "Write the report of a night as Markdown or HTML",
      {"report --last-night", "report --last-night --html night.html",
       "report --jobs 1,2,3 --html report.html", "report --night 2026-11-24 --markdown night.md"});
  app.callback([this] { select_([this] { return QueueOptions(document_); }); });
  CLI::Option* night =
      app.add_option("--night", document_.night, "Date of the evening on which it began")
          ->type_name("DATE");
  CLI::Option* last =
      app.add_flag("--last-night", document_.last_night, "The newest night; this is the default")
          ->excludes(night);
  app.add_option("--jobs", document_.jobs, "Any jobs instead of a night, such as 1,2,3")
      ->type_name("JOBS")
      ->delimiter(',')
      ->excludes(night)
      ->excludes(last);
  app.add_option("--html", document_.html, "Write one self-contained HTML file")->type_name("FILE");
  app.add_option("--markdown", document_.markdown,
                 "Write Markdown to this file instead of to standard output")
      ->type_name("FILE");
}

void QueueGrammar::add_add(CLI::App& group) {
  CLI::App& app = *add_command(group, "add", "Queue tasks for the background",
                               {"queue add tasks/", "queue add 'tasks/reduce_*' --evaluations 8",
                                "queue add night.jsonl --deadline 06:00",
                                "queue add a/ b/ --chain --user ada --priority 10"});
  app.callback([this] { select_([this] { return QueueOptions(add_); }); });
  app.add_option("PATH", add_.paths,
                 "Task folders, folders of task folders, patterns, or manifests (.jsonl: one JSON "
                 "object a line with a directory and the parameters of queue.add)")
      ->required();
  add_flags(app, static_cast<daemon::protocol::QueueAddParams&>(add_));
  app.add_option("--not-before", add_.earliest, "Earliest start: 22:00, +90m or +2h")
      ->type_name("TIME");
  app.add_option("--deadline", add_.latest, "Latest start; a job that has not begun by then fails")
      ->type_name("TIME");
  app.add_flag("--chain", add_.chain, "Run the jobs one after the other, in this order");
}

void QueueGrammar::add_jobs(CLI::App& group, const char* order, const char* what,
                            QueueJobsOptions& into, std::initializer_list<std::string_view> lines) {
  into.order = order;
  CLI::App& app = *add_command(group, order, what, lines);
  app.callback([this, &into] { select_([&into] { return QueueOptions(into); }); });
  CLI::Option* jobs = app.add_option("JOB", into.jobs, "j-0000000007, or 7");
  app.add_flag(
         "--all", into.all,
         into.order == "retry" ? "All jobs of the last night that failed" : "All waiting jobs")
      ->excludes(jobs);
}

void QueueGrammar::add_look(CLI::App& group) {
  CLI::App& list = *add_command(group, "list", "What is running, and what comes next",
                                {"queue list", "queue list --json"});
  list.callback([this] { select_([this] { return QueueOptions(list_); }); });
  list.add_option("--limit", list_.limit, "Most jobs to list")->type_name("N")->default_str("100");
  CLI::App& why =
      *add_command(group, "why", "Why a job is waiting, or how it ended", {"queue why 7"});
  why.callback([this] { select_([this] { return QueueOptions(why_); }); });
  why.add_option("JOB", why_.job, "j-0000000007, or 7")->required();
  CLI::App& report = *add_command(group, "report", "What the jobs of a night did",
                                  {"queue report", "queue report --night 2026-11-24"});
  report.callback([this] { select_([this] { return QueueOptions(report_); }); });
  report.add_option("--night", report_.night, "Date of the evening on which it began")
      ->type_name("DATE")
      ->default_str("the newest");
}

void QueueGrammar::add_rules(CLI::App& group) {
  CLI::App& app =
      *add_command(group, "rules", "Show or set quiet hours and nightly budgets",
                   {"queue rules", "queue rules --quiet 08:00-19:00",
                    "queue rules --night gpu_seconds=14400 --night usd=5 --user gpu_seconds=3600"});
  app.callback([this] { select_([this] { return QueueOptions(rules_); }); });
  app.add_option("--quiet", rules_.quiet_hours,
                 "Local hours in which no background job runs; none = no quiet hours")
      ->type_name("HOURS");
  app.add_option("--night", rules_.night,
                 "Budget of one night, in evaluations, seconds, gpu_seconds, tokens or usd; 0 = no "
                 "limit; repeatable")
      ->type_name("AMOUNT=N")
      ->allow_extra_args(false);
  app.add_option("--user", rules_.user, "The same for each user; repeatable")
      ->type_name("AMOUNT=N")
      ->allow_extra_args(false);
}

}  // namespace warpmind::clients
