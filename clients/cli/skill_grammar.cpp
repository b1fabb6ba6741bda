#include "clients/cli/skill_grammar.h"

#include "clients/cli/grammar_parts.h"

#include <CLI/CLI.hpp>

namespace warpmind::clients {
namespace {

CLI::Option* add_source(CLI::App& app, std::string& source) {
  return app
      .add_option("--source", source, "Pack that it came with, where several brought the name")
      ->type_name("SOURCE");
}

}  // namespace

SkillGrammar::SkillGrammar(CLI::App& app, Select select) : select_(std::move(select)) {
  CLI::App& group = *add_group(
      app, "skill", "Kernels that the built-in agent can write: list, make and add them");
  group.require_subcommand(1);
  add_looking(group);
  add_making(group);
  add_checking(group);
}

Result<void> SkillGrammar::check(const SkillOptions& options) {
  const auto* check = std::get_if<SkillCheckOptions>(&options);
  if (check == nullptr || check->all || !check->subject.empty()) return {};
  return fail(
      Errc::invalid_argument,
      "skill check needs a folder or a skill, or --all; `warpmind skill list` lists skills");
}

void SkillGrammar::add_looking(CLI::App& group) {
  CLI::App* app = add_command(group, "list", "List shipped skills, your own, and those of packs",
                              {"skill list", "skill list --json"});
  app->callback([this] { select_([this] { return SkillOptions(list_); }); });
  app = add_command(group, "show", "Show what a skill is for, and its notes",
                    {"skill show single_pass_scan", "skill show single_pass_scan --json"});
  app->callback([this] { select_([this] { return SkillOptions(show_); }); });
  app->add_option("SKILL", show_.name, "Name of a skill")->required();
  add_source(*app, show_.source);
  app = add_command(group, "export", "Write a skill's files to a folder",
                    {"skill export single_pass_scan scan_skill/"});
  app->callback([this] { select_([this] { return SkillOptions(export_); }); });
  app->add_option("SKILL", export_.name, "Name of a skill")->required();
  app->add_option("FOLDER", export_.folder, "Folder that does not exist yet")->required();
  add_source(*app, export_.source);
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
}

void SkillGrammar::add_checking(CLI::App& group) {
  CLI::App* app =
      add_command(group, "check", "Run a skill's tests: it applies, builds, and computes the same",
                  {"skill check my_sum/", "skill check my_sum/ --device a100_80",
                   "skill check their_sum", "skill check --all"});
  app->callback([this] { select_([this] { return SkillOptions(check_); }); });
  CLI::Option* subject = app->add_option(
      "SKILL", check_.subject,
      "Folder with skill.toml; where there is none, or with --source, the name of a skill "
      "that came with a pack");
  app->add_flag("--all", check_.all,
                "Every skill of your own and of packs, a line each; exit code 1 when one fails")
      ->excludes(subject)
      ->excludes(add_source(*app, check_.source));
  from_setting(app->add_option("--device", check_.device, "Device to build and simulate for")
                   ->type_name("DEVICE"),
               "lab.target");
  app = add_command(group, "add", "Check a skill and let episodes use it", {"skill add my_sum/"});
  app->callback([this] { select_([this] { return SkillOptions(add_); }); });
  app->add_option("FOLDER", add_.folder, "Folder with skill.toml")->required();
  app = add_command(
      group, "trust", "Let episodes use a skill of a pack without a check",
      {"skill trust their_sum --reason \"read it\"", "skill trust their_sum --withdraw"});
  app->callback([this] { select_([this] { return SkillOptions(trust_); }); });
  app->add_option("SKILL", trust_.name, "Name of a skill that came with a pack")->required();
  add_source(*app, trust_.source);
  app->add_flag("--withdraw", trust_.withdraw, "Take an earlier word back");
  app->add_option("--reason", trust_.reason, "Why, kept with it")->type_name("TEXT");
  app =
      add_command(group, "remove", "Remove a skill of your own, or of a pack",
                  {"skill remove my_sum", "skill remove their_sum --source pack:3fa85b1c00112233"});
  app->callback([this] { select_([this] { return SkillOptions(remove_); }); });
  app->add_option("SKILL", remove_.name, "Name of a skill that is not shipped")->required();
  add_source(*app, remove_.source);
}

}  // namespace warpmind::clients
