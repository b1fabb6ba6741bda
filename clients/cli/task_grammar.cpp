#include "clients/cli/task_grammar.h"

#include "clients/cli/grammar_parts.h"

#include <CLI/CLI.hpp>

namespace warpmind::clients {
namespace {

void add_where(CLI::App& app, std::string& provider, std::string& device) {
  one_of(from_setting(app.add_option("--provider", provider, "Where it runs")->type_name("NAME"),
                      "lab.provider"),
         {"auto", "gpu", "sim"});
  from_setting(app.add_option("--device", device, "Device that sim predicts for, such as h200")
                   ->type_name("DEVICE"),
               "lab.target");
}

}  // namespace

TaskGrammar::TaskGrammar(CLI::App& app, Select select) : select_(std::move(select)) {
  CLI::App& group = *add_group(app, "task", "Make tasks from your own programs or public suites");
  group.require_subcommand(1);
  add_new(group);
  add_check(group);
  add_import(group);
}

void TaskGrammar::add_new(CLI::App& group) {
  CLI::App& app = *add_command(group, "new", "Turn a program's folder into a task, and check it",
                               {"task new my_program/", "task new my_program/ --yes",
                                "task new my_program/ --run './main 1000' --pass PASS --yes"});
  app.callback([this] { select_([this] { return TaskOptions(new_); }); });
  app.add_option("FOLDER", new_.folder, "Folder of the program")->required();
  app.add_option("--name", new_.name, "Name of the task")
      ->type_name("NAME")
      ->default_str("name of the folder");
  app.add_option("--build", new_.build,
                 "Command that builds it; {arch} becomes the architecture, such as sm_90")
      ->type_name("COMMAND");
  app.add_option("--run", new_.run,
                 "Command that runs it: one program with its arguments, no shell syntax")
      ->type_name("COMMAND");
  app.add_option("--pass", new_.pass, "Pattern that a line of its output must match")
      ->type_name("REGEX");
  app.add_option("--never", new_.never, "Pattern that no line of its output may match")
      ->type_name("REGEX");
  app.add_option("--exit-code", new_.exit_code, "Exit code of a run that passes")
      ->type_name("N")
      ->default_str("0");
  app.add_option("--kernel", new_.kernels,
                 "Pattern for the names of the kernels to time; repeatable")
      ->type_name("REGEX")
      ->default_str(".*")
      ->allow_extra_args(false);
  app.add_option("--edit", new_.editable, "File that may be changed; repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--needs", new_.needs,
                 "Folder elsewhere that it reads, such as a library's; repeatable")
      ->type_name("FOLDER")
      ->allow_extra_args(false);
  app.add_option("--run-seconds", new_.run_seconds, "Longest run, seconds")
      ->type_name("S")
      ->default_str("120");
  add_where(app, new_.provider, new_.device);
  app.add_flag("--yes", new_.yes, "Accept what is proposed without asking");
  app.add_flag("--force", new_.force, "Overwrite an existing program.toml");
}

void TaskGrammar::add_check(CLI::App& group) {
  CLI::App& app =
      *add_command(group, "check", "Build and run a program task, and say whether it can be judged",
                   {"task check my_program/", "task check my_program/ --provider sim"});
  app.callback([this] { select_([this] { return TaskOptions(check_); }); });
  app.add_option("FOLDER", check_.folder, "Folder with program.toml")->required();
  app.add_option("--runs", check_.runs, "Runs that must all pass, 2 to 20")
      ->type_name("N")
      ->default_str("2");
  add_where(app, check_.provider, check_.device);
}

void TaskGrammar::add_import(CLI::App& group) {
  CLI::App& app = *add_command(
      group, "import", "Turn programs of a public suite into tasks, and check them",
      {"task import hecbench HeCBench/src/scan-cuda --into tasks/",
       "task import hecbench HeCBench/src --into tasks/ --arguments small.txt",
       "task import kernelblaster level1/ --libtorch /opt/libtorch --into tasks/",
       "task import kernelblaster level1/ --into tasks/ --jobs 16 --report level1.json"});
  app.callback([this] { select_([this] { return TaskOptions(import_); }); });
  one_of(app.add_option("SUITE", import_.suite, "hecbench or kernelblaster")->required(),
         {"hecbench", "kernelblaster"});
  app.add_option("PATH", import_.path, "One program's folder, or a folder of them")
      ->required()
      ->type_name("FOLDER");
  app.add_option("--into", import_.into, "Folder for the tasks")
      ->type_name("FOLDER")
      ->default_str(".");
  app.add_option("--only", import_.only, "Only the program of this name; repeatable")
      ->type_name("NAME")
      ->default_str("all")
      ->allow_extra_args(false);
  app.add_option(
         "--arguments", import_.arguments,
         "File with one program a line, its name and the arguments to use instead of its own")
      ->type_name("FILE");
  app.add_option("--libtorch,--torch", import_.libtorch,
                 "For kernelblaster: folder of libtorch, or a Python's site-packages")
      ->type_name("FOLDER")
      ->default_str("those of python3");
  app.add_option("--precompiled", import_.precompiled,
                 "Folder with precompiled_torch.h.gch, which makes builds faster")
      ->type_name("FOLDER");
  app.add_option("--jobs", import_.jobs, "Programs built at a time")
      ->type_name("N")
      ->default_str("1");
  app.add_option(
         "--report", import_.report,
         "Keep the results as JSON here and as .md beside it; a later run continues from it")
      ->type_name("FILE");
  app.add_option("--build-seconds", import_.build_seconds,
                 "Longest build of a kernelblaster program, seconds")
      ->type_name("S")
      ->default_str("600");
  app.add_option("--run-seconds", import_.run_seconds, "Longest run, seconds")
      ->type_name("S")
      ->default_str("120");
  add_where(app, import_.provider, import_.device);
  app.add_flag("--no-check", import_.no_check,
               "Write the tasks without building or running anything");
}

}  // namespace warpmind::clients
