// What every command says of itself: width, defaults, units, examples, and the documents.
#include "clients/cli/command_help.h"

#include "base/file.h"
#include "base/text.h"
#include "clients/cli/command_line.h"
#include "clients/cli/completion/completion_words.h"
#include "clients/cli/report/skill_text.h"
#include "clients/cli/report/text.h"
#include "config/settings.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
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

/// The words of a command line as a shell would give them to `warpmind`: quotes are taken away, and
/// a comment, a pipe, a redirection or a further command ends it.
std::vector<std::string> shell_words(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool is_open = false;
  char quote = 0;
  const auto end_word = [&] {
    if (is_open) words.push_back(std::exchange(word, {}));
    is_open = false;
  };
  for (const char c : line) {
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
      continue;
    }
    if (!is_open && std::string_view("#|>;<&").find(c) != std::string_view::npos) break;
    if (c == ';') break;
    if (c == '\'' || c == '"') {
      quote = c;
      is_open = true;
    } else if (c == ' ') {
      end_word();
    } else {
      word += c;
      is_open = true;
    }
  }
  end_word();
  return words;
}

Result<std::variant<Invocation, HelpText>> parse(const std::string& line) {
  std::vector<std::string> typed{"warpmind"};
  for (auto& word : shell_words(line)) typed.push_back(std::move(word));
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

TEST(CommandHelp, EveryExampleIsUnderstood) {
  for (const auto* command : every_command(program())) {
    for (const auto& example : command->examples) {
      const auto result = parse(example);
      EXPECT_TRUE(result) << "warpmind " << example << ": " << result.error().message;
    }
  }
}

/// A command that somebody is told to type, and where.
struct Mention {
  std::string where;
  std::string words;  ///< without `warpmind`
};

/// Lines of code that start with the program's name, joined where a backslash ends them.
void add_code_lines(const std::string& where, const std::string& text,
                    std::vector<Mention>& found) {
  bool is_code = false;
  std::string joined;
  for (const auto line : split_lines(text)) {
    std::string_view words = line;
    words.remove_prefix(std::min(words.find_first_not_of(' '), words.size()));
    if (words.starts_with("```")) is_code = !is_code;
    if (!is_code) continue;
    joined += words;
    if (joined.ends_with('\\')) {
      joined.back() = ' ';
      continue;
    }
    std::string_view whole = joined;
    if (whole.starts_with("$ ")) whole.remove_prefix(2);
    constexpr std::string_view kProgram = "warpmind ";
    if (whole.starts_with(kProgram)) found.push_back({where, std::string(whole.substr(9))});
    joined.clear();
  }
}

/// `warpmind …` in backticks on one line.
void add_spans(const std::string& where, const std::string& text, std::vector<Mention>& found) {
  constexpr std::string_view kStart = "`warpmind ";
  for (auto at = text.find(kStart); at != std::string::npos; at = text.find(kStart, at + 1)) {
    const auto begin = at + kStart.size();
    const auto end = text.find_first_of("`\n", begin);
    if (end == std::string::npos || text[end] == '\n') continue;
    found.push_back({where, text.substr(begin, end - begin)});
  }
}

/// What a reader puts in the place of JOB, FILE, N or "gpu|sim"; empty for what is no command line:
/// a drawing, "COMMAND --help", the end of which is left open, or text that code completes.
std::string filled_in(const std::string& words) {
  if (words.empty() || words.find_first_of("(\"\\") == 0 || words.ends_with("…")) return {};
  std::string line;
  for (auto word : shell_words(words)) {
    const bool is_placeholder = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
      return c >= 'A' && c <= 'Z';
    });
    if (is_placeholder && line.empty()) return {};
    if (is_placeholder) word = "7";
    if (const auto bar = word.find('|'); bar != std::string::npos) word.resize(bar);
    line += (line.empty() ? "'" : " '") + word + "'";
  }
  return line;
}

void expect_understood(const std::vector<Mention>& mentions) {
  for (const auto& [where, words] : mentions) {
    const std::string line = filled_in(words);
    // "`warpmind kb pin` vouches for it" names a command, and is none.
    if (line.empty() || find_command(program(), words) != nullptr) continue;
    const auto result = parse(line);
    EXPECT_TRUE(result) << where << ": warpmind " << words << ": " << result.error().message;
  }
}

TEST(CommandHelp, EveryCommandOfTheDocumentsIsUnderstood) {
  namespace fs = std::filesystem;
  const fs::path root = WARPMIND_SOURCE_DIR;
  std::vector<fs::path> documents{root / "README.md"};
  for (const auto& entry : fs::directory_iterator(root / "docs")) {
    if (entry.path().extension() == ".md") documents.push_back(entry.path());
  }
  std::vector<Mention> mentions;
  for (const auto& document : documents) {
    const auto text = read_file(document, 1U << 20U);
    ASSERT_TRUE(text) << text.error().message;
    add_code_lines(document.filename(), *text, mentions);
    add_spans(document.filename(), *text, mentions);
  }
  add_spans("skill", std::string(skill_text()), mentions);
  ASSERT_GT(mentions.size(), 100U);
  expect_understood(mentions);
}

/// Sentences of the program that tell what to run: "`warpmind doctor` says why".
TEST(CommandHelp, EveryCommandThatASentenceNamesIsUnderstood) {
  namespace fs = std::filesystem;
  std::vector<Mention> mentions;
  for (const char* module : {"clients", "config", "daemon", "knowledge_base", "profilers"}) {
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(WARPMIND_SOURCE_DIR) / module)) {
      if (entry.path().extension() != ".cpp") continue;
      const auto text = read_file(entry.path(), 1U << 20U);
      ASSERT_TRUE(text) << text.error().message;
      add_spans(entry.path().filename(), *text, mentions);
    }
  }
  // What code completes ends at a quotation mark within the span.
  std::erase_if(mentions,
                [](const Mention& one) { return one.words.find('"') != std::string::npos; });
  ASSERT_GT(mentions.size(), 20U);
  expect_understood(mentions);
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
