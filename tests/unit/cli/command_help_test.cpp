// What every command says of itself: width, defaults, units, examples, and the documents.
#include "clients/cli/command_help.h"

#include "base/file.h"
#include "clients/cli/command_line.h"
#include "clients/cli/completion/completion_words.h"
#include "clients/cli/report/text.h"
#include "config/settings.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace warpmind::clients {
namespace {

using testing::HasSubstr;
using testing::Not;

const CommandDescription& program() {
  static const CommandDescription description = describe_command_line();
  return description;
}

std::string help(const std::string& path) { return render_help(program(), path); }

/// "warpmind queue add", "warpmind".
std::string spoken(const CommandDescription& command) {
  return command.path.empty() ? "warpmind" : "warpmind " + command.path;
}

Result<std::variant<Invocation, HelpText>> parse(const std::string& words) {
  std::vector<std::string> typed{"warpmind"};
  std::size_t begin = 0;
  while (begin < words.size()) {
    const std::size_t end = std::min(words.find(' ', begin), words.size());
    typed.push_back(words.substr(begin, end - begin));
    begin = end + 1;
  }
  std::vector<const char*> argv;
  for (const auto& word : typed) argv.push_back(word.c_str());
  return parse_command_line(static_cast<int>(argv.size()), argv.data());
}

TEST(CommandHelp, OfEveryCommandFits80ColumnsWithItsOwnExamples) {
  for (const auto* command : every_command(program())) {
    const std::string text = help(command->path);
    for (const auto line : split_lines(text)) EXPECT_LE(columns_of(line), 80U) << line;
    EXPECT_THAT(text, HasSubstr("\nUsage: warpmind " + command->path));
    EXPECT_THAT(text, HasSubstr("Exit codes: 0 ok"));
    const auto examples = examples_of(*command);
    EXPECT_FALSE(examples.empty()) << command->path;
    for (const auto& example : examples) {
      EXPECT_TRUE(example.starts_with(command->path)) << example << " is none of " << command->path;
    }
  }
}

TEST(CommandHelp, IsWhatTheFlagPrints) {
  for (const auto* command : every_command(program())) {
    if (command->gives_words_away) continue;
    const auto result = parse(command->path.empty() ? "--help" : command->path + " --help");
    ASSERT_TRUE(result) << command->path << ": " << result.error().message;
    ASSERT_TRUE(std::holds_alternative<HelpText>(*result)) << command->path;
    EXPECT_EQ(std::get<HelpText>(*result).text, help(command->path));
  }
}

TEST(CommandHelp, ListsCommandsByWhatPeopleDo) {
  const std::string text = help("");
  std::size_t at = 0;
  for (const char* next : {"\nOptimise:\n  optimize ", "\nLook:\n  status ", "\nKnowledge:\n  kb ",
                           "\nQueue:\n  queue ", "\nAgents and editors:\n  mcp ",
                           "\nDaemon:\n  daemon ", "\nOptions:\n"}) {
    const std::size_t found = text.find(next, at);
    ASSERT_NE(found, std::string::npos) << next << "in\n" << text;
    at = found;
  }
}

TEST(CommandHelp, IsPrintedWhenNothingIsAsked) {
  const auto result = parse("");

  ASSERT_TRUE(result);
  EXPECT_EQ(std::get<HelpText>(*result).text, help(""));
}

TEST(CommandHelp, ShowsTheDefaultsOfTheSettings) {
  const config::Settings defaults;
  const std::string text = help("optimize");

  EXPECT_THAT(text, HasSubstr("--evaluations N"));
  EXPECT_THAT(text, HasSubstr("episode.evaluations) [" +
                              std::to_string(defaults.episode.evaluations) + "]"));
  EXPECT_THAT(text, HasSubstr("episode.seconds) [600]"));
  EXPECT_THAT(text, HasSubstr("[builtin]"));
  EXPECT_THAT(text, HasSubstr("--provider auto|gpu|sim|fixture"));
}

TEST(CommandHelp, SaysTheUnitOfEveryAmount) {
  for (const auto* command : every_command(program())) {
    for (const auto& option : command->options) {
      const auto where = spoken(*command) + " " + option.names.front();
      EXPECT_FALSE(option.text.empty()) << where;
      EXPECT_THAT(option.text, Not(HasSubstr("\n"))) << where;
      if (option.value != "S") continue;
      EXPECT_THAT(option.text, HasSubstr("seconds")) << where;
    }
  }
}

TEST(CommandHelp, TheDocumentNamesEveryCommandAndFlag) {
  const auto document = read_file(WARPMIND_SOURCE_DIR "/docs/cli.md", 1U << 20U);
  ASSERT_TRUE(document) << document.error().message;
  for (const auto* command : every_command(program())) {
    for (const auto& option : command->options) {
      EXPECT_NE(document->find(option.names.front()), std::string::npos)
          << "docs/cli.md lacks " << option.names.front() << " of " << spoken(*command);
    }
    // `kb retire`, `retract`: the verbs of a group share a row.
    if (command->path.empty()) continue;
    const bool named = document->find("`" + command->path) != std::string::npos ||
                       document->find("`" + command->name) != std::string::npos;
    EXPECT_TRUE(named) << "docs/cli.md does not name `" << command->path << "`";
  }
}

}  // namespace
}  // namespace warpmind::clients
