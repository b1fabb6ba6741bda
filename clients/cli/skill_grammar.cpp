#include "clients/cli/skill_grammar.h"

#include "clients/cli/grammar_parts.h"

#include <CLI/CLI.hpp>

namespace warpmind::clients {

SkillGrammar::SkillGrammar(CLI::App& app, Select select) : select_(std::move(select)) {
  CLI::App& group = *add_group(
      app, "skill", "Kernels that the built-in agent can write: list, make and add them");
  group.require_subcommand(1);
  add_looking(group);
  add_making(group);
}

void SkillGrammar::add_looking(CLI::App& group) {
  CLI::App* app = add_command(group, "list", "List shipped skills and your own",
                              {"skill list", "skill list --json"});
  app->callback([this] { select_([this] { return SkillOptions(list_); }); });
  app = add_command(group, "show", "Show what a skill is for, and its notes",
                    {"skill show single_pass_scan", "skill show single_pass_scan --json"});
  app->callback([this] { select_([this] { return SkillOptions(show_); }); });
  app->add_option("SKILL", show_.name, "Name of a skill")->required();
  app = add_command(group, "export", "Write a skill's files to a folder",
                    {"skill export single_pass_scan scan_skill/"});
  app->callback([this] { select_([this] { return SkillOptions(export_); }); });
  app->add_option("SKILL", export_.name, "Name of a skill")->required();
  app->add_option("FOLDER", export_.folder, "Folder that does not exist yet")->required();
  app = add_command(group, "print", "Print instructions for agents without MCP, as a SKILL.md",
                    {"skill print"});
  app->callback([this] { select_([this] { return SkillOptions(print_); }); });
}

void SkillGrammar::add_making(CLI::App& group) {
  CLI::App* app = add_command(group, "new", "Start a skill as a copy of another",
                              {"skill new my_sum --from reduction",
                               "skill new my_scan --from single_pass_scan --folder scan/"});
  app->callback([this] { select_([this] { return SkillOptions(new_); }); });
  app->add_option("NAME", new_.name, "Name: lower-case letters, digits and _")->required();
  app->add_option("--from", new_.from, "Skill to copy, or a form such as scan or reduction")
      ->type_name("SKILL")
      ->required();
  app->add_option("--folder", new_.folder, "Folder to write")
      ->type_name("FOLDER")
      ->default_str("NAME");
  app =
      add_command(group, "check", "Run a skill's tests: it applies, builds, and computes the same",
                  {"skill check my_sum/", "skill check my_sum/ --device a100_80"});
  app->callback([this] { select_([this] { return SkillOptions(check_); }); });
  app->add_option("FOLDER", check_.folder, "Folder with skill.toml")->required();
  from_setting(app->add_option("--device", check_.device, "Device to build and simulate for")
                   ->type_name("DEVICE"),
               "lab.target");
  app = add_command(group, "add", "Check a skill and let episodes use it", {"skill add my_sum/"});
  app->callback([this] { select_([this] { return SkillOptions(add_); }); });
  app->add_option("FOLDER", add_.folder, "Folder with skill.toml")->required();
}

}  // namespace warpmind::clients
