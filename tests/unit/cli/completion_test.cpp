#include "clients/captured_process.h"
#include "clients/cli/command_line.h"
#include "protocol_server.h"

#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace warpmind::clients {
namespace {

const std::string kScript = WARPMIND_SOURCE_DIR "/clients/cli/completion/warpmind.bash";

/// What bash would offer for the words typed so far; the last one is being typed.
std::string completions(const std::vector<std::string>& words) {
  std::string quoted;
  for (const auto& word : words) quoted += " '" + word + "'";
  const std::string program = "source '" + kScript + "'; COMP_WORDS=(" + quoted +
                              "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _warpmind; "
                              "printf '%s ' \"${COMPREPLY[@]}\"";
  const auto captured = run_captured({"/bin/bash", "--norc", "-c", program}, {});
  EXPECT_TRUE(captured) << captured.error().message;
  return captured ? captured->output : std::string();
}

TEST(Completion, IsValidBash) {
  const auto captured = run_captured({"/bin/bash", "-n", kScript}, {});

  ASSERT_TRUE(captured);
  EXPECT_EQ(captured->exit_code, 0);
}

TEST(Completion, OffersCommands) {
  EXPECT_EQ(completions({"warpmind", "o"}), "optimize ");
  EXPECT_EQ(completions({"warpmind", "d"}), "dashboard doctor daemon ");
  EXPECT_EQ(completions({"warpmind", "--json", "--socket", "s", "va"}), "validate ");
}

TEST(Completion, OffersNestedCommandsAndTheirFlags) {
  EXPECT_EQ(completions({"warpmind", "daemon", "st"}), "start stop status ");
  EXPECT_EQ(completions({"warpmind", "kb", "st"}), "stats ");
  EXPECT_EQ(completions({"warpmind", "daemon", "stop", "--f"}), "--finish ");
  EXPECT_EQ(completions({"warpmind", "config", "show", "--o"}), "--origin ");
}

TEST(Completion, OffersFlagsAndTheirValues) {
  EXPECT_EQ(completions({"warpmind", "optimize", "dir", "--re"}), "--replay ");
  EXPECT_EQ(completions({"warpmind", "optimize", "dir", "--provider", ""}),
            "auto gpu sim fixture ");
  EXPECT_EQ(completions({"warpmind", "kb", "graph", "--provider", ""}), "gpu sim fixture ");
  EXPECT_EQ(completions({"warpmind", "kb", "search", "--bottleneck", "mem"}),
            "memory_bandwidth memory_latency ");
  EXPECT_EQ(completions({"warpmind", "kb", "add", "--claim", "x", "--kind", "n"}), "negative ");
  EXPECT_EQ(completions({"warpmind", "optimize", "dir", "--proposer", "r"}), "replay ");
  EXPECT_EQ(completions({"warpmind", "optimize", "dir", "--policy", "m"}), "mcgs ");
  EXPECT_EQ(completions({"warpmind", "export", "t"}), "trajectories ");
  EXPECT_EQ(completions({"warpmind", "export", "concur", "--thr"}), "--threshold ");
}

std::string help_of(std::vector<const char*> words) {
  words.insert(words.begin(), "warpmind");
  words.push_back("--help");
  const auto parsed = parse_command_line(static_cast<int>(words.size()), words.data());
  return parsed ? std::get<HelpText>(*parsed).text : std::string();
}

/// Whole words of `text` that `pattern` matches.
std::set<std::string> words_like(const std::string& text, const std::regex& pattern) {
  std::set<std::string> words;
  for (auto it = std::sregex_iterator(text.begin(), text.end(), pattern);
       it != std::sregex_iterator(); ++it) {
    words.insert((*it)[1]);
  }
  return words;
}

TEST(Completion, KnowsEveryCommandAndFlagOfTheKnowledgeBase) {
  const std::string help = help_of({"kb"});
  const auto commands =
      words_like(help.substr(help.find("Subcommands:")), std::regex("\n  ([a-z]+)  "));
  EXPECT_EQ(commands.size(), 31U);
  for (const auto& command : commands) {
    EXPECT_NE((" " + completions({"warpmind", "kb", command})).find(" " + command + " "),
              std::string::npos)
        << command;
    const auto flags = words_like(help_of({"kb", command.c_str()}), std::regex("\n  (--[a-z-]+)"));
    const std::string offered = " " + completions({"warpmind", "kb", command, "--"});
    for (const auto& flag : flags) {
      EXPECT_NE(offered.find(" " + flag + " "), std::string::npos) << command << " " << flag;
    }
  }
}

TEST(Completion, KnowsEveryCommandAndFlagOfTheQueue) {
  const std::string help = help_of({"queue"});
  const auto commands =
      words_like(help.substr(help.find("Subcommands:")), std::regex("\n  ([a-z]+)  "));
  EXPECT_EQ(commands.size(), 10U);
  for (const auto& command : commands) {
    EXPECT_NE((" " + completions({"warpmind", "queue", command})).find(" " + command + " "),
              std::string::npos)
        << command;
    const auto flags =
        words_like(help_of({"queue", command.c_str()}), std::regex("\n  (--[a-z-]+)"));
    const std::string offered = " " + completions({"warpmind", "queue", command, "--"});
    for (const auto& flag : flags) {
      EXPECT_NE(offered.find(" " + flag + " "), std::string::npos) << command << " " << flag;
    }
  }
}

TEST(Completion, OffersTechniquesThatTheBaseKnows) {
  const std::string program =
      "warpmind() { echo 'technique  category  typical gain  against'; "
      "echo 'vectorized_loads  memory  1.1× to 2×'; echo '1 technique'; }; source '" +
      kScript +
      "'; COMP_WORDS=(warpmind kb show v); COMP_CWORD=3; _warpmind; "
      "printf '%s ' \"${COMPREPLY[@]}\"";

  const auto captured = run_captured({"/bin/bash", "--norc", "-c", program}, {});

  ASSERT_TRUE(captured);
  EXPECT_EQ(captured->output, "vectorized_loads ");
}

TEST(Completion, OffersFoldersForATask) {
  const auto folder = fresh_folder();
  ASSERT_TRUE(make_private_directory(folder.path() / "softmax"));
  ASSERT_TRUE(write_file_atomic(folder.path() / "softfile", ""));

  const std::string start = (folder.path() / "soft").string();

  EXPECT_EQ(completions({"warpmind", "optimize", start}), start + "max ");
}

TEST(Completion, OffersJobsThatStatusLists) {
  const std::string program =
      "warpmind() { echo '  j-0000000007 running x'; echo '  j-0000000006 done y'; }; source '" +
      kScript +
      "'; COMP_WORDS=(warpmind result ''); COMP_CWORD=2; _warpmind; "
      "printf '%s ' \"${COMPREPLY[@]}\"";

  const auto captured = run_captured({"/bin/bash", "--norc", "-c", program}, {});

  ASSERT_TRUE(captured);
  EXPECT_EQ(captured->output, "j-0000000007 j-0000000006 ");
}

}  // namespace
}  // namespace warpmind::clients
