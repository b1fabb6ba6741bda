#include "clients/cli/grammar_parts.h"

#include "base/sequence.h"
#include "base/text.h"
#include "config/settings_table.h"

#include <array>
#include <stdexcept>
#include <utility>

#include <CLI/CLI.hpp>

namespace warpmind::clients {
namespace {

constexpr std::array<std::pair<std::string_view, ValueKind>, 11> kKinds{{
    {"FILE", ValueKind::file},
    {"PEM", ValueKind::file},
    {"DIR", ValueKind::folder},
    {"FOLDER", ValueKind::folder},
    {"TASK", ValueKind::task},
    {"PATH", ValueKind::path},
    {"JOB", ValueKind::job},
    {"EPISODE", ValueKind::episode},
    {"TECHNIQUE", ValueKind::technique},
    {"DEVICE", ValueKind::device},
    {"KEY", ValueKind::device},
}};

/// A type name says what can be completed.
ValueKind kind_of(std::string_view type) {
  for (const auto& [name, kind] : kKinds) {
    if (type == name) return kind;
  }
  return ValueKind::text;
}

/// one_of() and suggest() leave their words in the type name: "NAME:{auto,gpu}", "TYPE:<f16,f32>".
void take_choices(std::string& type, OptionDescription& into) {
  const std::size_t colon = type.find(':');
  if (colon == std::string::npos) return;
  const std::string words = type.substr(colon + 1);
  type.resize(colon);
  if (words.size() < 2 || (words.front() != '{' && words.front() != '<')) return;
  into.only_choices = words.front() == '{';
  const auto choices = split_terminated(std::string_view(words).substr(1, words.size() - 2), ',');
  into.choices = {choices.begin(), choices.end()};
}

OptionDescription describe_option(const CLI::Option& option) {
  OptionDescription made;
  std::string type = option.get_type_name();
  take_choices(type, made);
  const bool is_argument = option.get_positional() && option.get_lnames().empty();
  if (is_argument) {
    made.names.push_back(option.get_name(true));
    made.kind = kind_of(type) == ValueKind::text ? kind_of(made.names.front()) : kind_of(type);
  } else {
    for (const auto& name : option.get_lnames()) made.names.push_back("--" + name);
    const bool takes_value = option.get_items_expected_max() > 0;
    made.value = takes_value ? type : std::string();
    made.kind = takes_value ? kind_of(type) : ValueKind::none;
  }
  made.text = option.get_description();
  made.default_text = option.get_default_str();
  made.required = option.get_required();
  made.repeatable = made.kind != ValueKind::none &&
                    (option.get_expected_max() > 1 ||
                     option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll);
  made.heading = option.get_group();
  return made;
}

CommandDescription describe_below(const CLI::App& app, const std::string& path) {
  CommandDescription made;
  made.name = app.get_name();
  made.path = path;
  made.text = app.get_description();
  made.heading = app.get_group();
  const std::string footer = app.get_footer();
  const auto examples = split_lines(footer);
  made.examples = {examples.begin(), examples.end()};
  made.needs_command = app.get_require_subcommand_min() > 0;
  made.gives_words_away = app.get_prefix_command();
  for (const CLI::Option* option : app.get_options()) {
    if (option == app.get_help_ptr()) continue;
    auto& list =
        option->get_positional() && option->get_lnames().empty() ? made.arguments : made.options;
    list.push_back(describe_option(*option));
  }
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    made.commands.push_back(
        describe_below(*command, path + (path.empty() ? "" : " ") + command->get_name()));
  }
  return made;
}

}  // namespace

CLI::App* add_group(CLI::App& parent, const char* name, const char* what) {
  CLI::App* app = parent.add_subcommand(name, what);
  app->fallthrough();
  app->footer("");  // else those of the parent are inherited
  return app;
}

CLI::App* add_command(CLI::App& parent, const char* name, const char* what,
                      std::initializer_list<std::string_view> lines) {
  CLI::App* app = add_group(parent, name, what);
  app->footer(join_text(lines, "\n"));
  return app;
}

CLI::Option* one_of(CLI::Option* option, const std::vector<std::string>& words) {
  const auto check = [words](std::string& word) {
    if (contains(words, word)) return std::string();
    return "must be " + join_choices(words) + ", not '" + word + "'";
  };
  return option->check(CLI::Validator(check, "{" + join_text(words, ",") + "}"));
}

CLI::Option* suggest(CLI::Option* option, const std::vector<std::string>& words) {
  const auto check = [](std::string&) { return std::string(); };
  return option->check(CLI::Validator(check, "<" + join_text(words, ",") + ">"));
}

CLI::Option* from_setting(CLI::Option* option, std::string_view setting) {
  const config::Setting* found = config::find_setting(setting);
  if (found == nullptr) throw std::logic_error("no setting " + std::string(setting));
  option->default_str(config::value_text(*found, config::Settings{}));
  return option->description(option->get_description() + " (setting " + std::string(setting) + ")");
}

CommandDescription describe(const CLI::App& app) { return describe_below(app, ""); }

}  // namespace warpmind::clients
