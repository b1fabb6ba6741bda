#include "clients/cli/task_grammar.h"

#include "clients/cli/command_help.h"

#include <CLI/CLI.hpp>

namespace warpmind::clients {
namespace {

void add_where(CLI::App& app, std::string& provider, std::string& device) {
  app.add_option("--provider", provider, "Where it runs: auto, gpu or sim (setting lab.provider)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"auto", "gpu", "sim"}));
  app.add_option("--device", device, "Row of the device table that sim predicts for")
      ->type_name("KEY");
}

}  // namespace

TaskGrammar::TaskGrammar(CLI::App& app, Select select) : select_(std::move(select)) {
  CLI::App& group = *add_group(app, "task", "Tasks from programs of your own and of public suites");
  group.require_subcommand(1);
  add_new(group);
  add_check(group);
  add_import(group);
}

void TaskGrammar::add_new(CLI::App& group) {
  CLI::App& app = *add_command(group, "new", "Make a program task of a folder, and check it",
                               {"task new my_program/", "task new my_program/ --yes",
                                "task new my_program/ --run './main 1000' --pass PASS --yes"});
  app.callback([this] { select_([this] { return TaskOptions(new_); }); });
  app.add_option("FOLDER", new_.folder, "Folder of the program")->required();
  app.add_option("--name", new_.name, "Name of the task (the folder's)")->type_name("NAME");
  app.add_option("--build", new_.build, "Command that builds it; {arch} is the device's sm_90")
      ->type_name("COMMAND");
  app.add_option("--run", new_.run, "Command that runs it, one simple command")
      ->type_name("COMMAND");
  app.add_option("--pass", new_.pass, "Pattern that a line of its output must match")
      ->type_name("REGEX");
  app.add_option("--never", new_.never, "Pattern that no line may match")->type_name("REGEX");
  app.add_option("--exit-code", new_.exit_code, "Exit code of a run that passes (0)")
      ->type_name("N");
  app.add_option("--kernel", new_.kernels, "Pattern for names of kernels to time; repeatable (.*)")
      ->type_name("REGEX")
      ->allow_extra_args(false);
  app.add_option("--edit", new_.editable, "File that may be changed; repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--needs", new_.needs, "Folder outside that it reads, as of a library; repeatable")
      ->type_name("FOLDER")
      ->allow_extra_args(false);
  app.add_option("--run-seconds", new_.run_seconds, "Most time of one run, s (120)")
      ->type_name("S");
  add_where(app, new_.provider, new_.device);
  app.add_flag("--yes", new_.yes, "Take what is proposed, ask nothing");
  app.add_flag("--force", new_.force, "Write over a program.toml that is there");
}

void TaskGrammar::add_check(CLI::App& group) {
  CLI::App& app = *add_command(group, "check", "Build and run a program task; say if it can be one",
                               {"task check my_program/", "task check my_program/ --provider sim"});
  app.callback([this] { select_([this] { return TaskOptions(check_); }); });
  app.add_option("FOLDER", check_.folder, "Folder with program.toml")->required();
  app.add_option("--runs", check_.runs, "Runs that must all pass, 2 to 20 (2)")->type_name("N");
  add_where(app, check_.provider, check_.device);
}

void TaskGrammar::add_import(CLI::App& group) {
  CLI::App& app = *add_command(
      group, "import", "Make program tasks of a public suite's folders, and check them",
      {"task import hecbench HeCBench/src/scan-cuda --into tasks/",
       "task import hecbench HeCBench/src --into tasks/ --arguments small.txt",
       "task import kernelblaster level1/ --libtorch /opt/libtorch --into tasks/",
       "task import kernelblaster level1/ --into tasks/ --jobs 16 --report level1.json"});
  app.callback([this] { select_([this] { return TaskOptions(import_); }); });
  app.add_option("SUITE", import_.suite, "hecbench or kernelblaster")
      ->required()
      ->check(CLI::IsMember({"hecbench", "kernelblaster"}));
  app.add_option("PATH", import_.path, "One program's folder, or a folder of them")->required();
  app.add_option("--into", import_.into, "Folder for the tasks (.)")->type_name("FOLDER");
  app.add_option("--only", import_.only, "Name of a program; repeatable (all)")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_option("--arguments", import_.arguments,
                 "File: a program's name and its arguments a line, in place of its own")
      ->type_name("FILE");
  app.add_option("--libtorch,--torch", import_.libtorch,
                 "For kernelblaster: libtorch, or a Python's site-packages (python3's)")
      ->type_name("FOLDER");
  app.add_option("--precompiled", import_.precompiled,
                 "Folder with precompiled_torch.h.gch, to build faster")
      ->type_name("FOLDER");
  app.add_option("--jobs", import_.jobs, "Programs that are built at a time (1)")->type_name("N");
  app.add_option("--report", import_.report,
                 "Write the table here as JSON, beside it as .md; go on where it ends")
      ->type_name("FILE");
  app.add_option("--build-seconds", import_.build_seconds,
                 "Most time of one build, s, for kernelblaster (600)")
      ->type_name("S");
  app.add_option("--run-seconds", import_.run_seconds, "Most time of one run, s (120)")
      ->type_name("S");
  add_where(app, import_.provider, import_.device);
  app.add_flag("--no-check", import_.no_check, "Write the tasks, build and run nothing");
}

}  // namespace warpmind::clients
