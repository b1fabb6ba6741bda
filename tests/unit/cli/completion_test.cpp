#include "base/text.h"
#include "clients/captured_process.h"
#include "clients/cli/command_help.h"
#include "clients/cli/command_line.h"
#include "clients/cli/completion/completion_words.h"
#include "protocol_server.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace warpmind::clients {
namespace {

const CommandDescription& program() {
  static const CommandDescription description = describe_command_line();
  return description;
}

/// What `warpmind completion FORMAT` prints, in a file.
class ScriptFile {
 public:
  explicit ScriptFile(const std::string& format) : path_(folder_.path() / format) {
    const std::vector<const char*> words{"warpmind", "completion", format.c_str()};
    const auto parsed = parse_command_line(static_cast<int>(words.size()), words.data());
    EXPECT_TRUE(parsed) << parsed.error().message;
    if (parsed) text_ = std::get<HelpText>(*parsed).text;
    EXPECT_TRUE(write_file_atomic(path_, text_));
  }
  [[nodiscard]] std::string path() const { return path_.string(); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  ScratchDirectory folder_ = fresh_folder();
  std::filesystem::path path_;
  std::string text_;
};

const ScriptFile& bash_file() {
  static const ScriptFile file("bash");
  return file;
}

/// What bash offers for the words typed so far; the last one is being typed. `before` is run first.
std::string completions(const std::vector<std::string>& words, const std::string& before = {}) {
  std::string quoted;
  for (const auto& word : words) quoted += " '" + word + "'";
  const std::string script = before + "source '" + bash_file().path() + "'; COMP_WORDS=(" + quoted +
                             "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _warpmind; "
                             "printf '%s ' \"${COMPREPLY[@]}\"";
  const auto captured = run_captured({"/bin/bash", "--norc", "-c", script}, {});
  EXPECT_TRUE(captured) << captured.error().message;
  return captured ? captured->output : std::string();
}

/// The program of that name on PATH; empty when there is none.
std::string installed(const std::string& name) {
  const auto captured = run_captured({"/bin/sh", "-c", "command -v " + name}, {});
  if (!captured || captured->exit_code != 0) return {};
  return captured->output.substr(0, captured->output.find('\n'));
}

/// Exit code and words of a shell's own check.
void expect_quiet(const std::vector<std::string>& words) {
  const auto captured = run_captured(words, {});
  ASSERT_TRUE(captured) << captured.error().message;
  EXPECT_EQ(captured->exit_code, 0) << captured->output;
  EXPECT_EQ(captured->output, "");
}

TEST(Completion, IsValidBash) { expect_quiet({"/bin/bash", "-n", bash_file().path()}); }

TEST(Completion, IsValidZsh) {
  if (installed("zsh").empty()) GTEST_SKIP() << "there is no zsh on PATH (Debian package zsh)";
  expect_quiet({installed("zsh"), "-n", ScriptFile("zsh").path()});
}

TEST(Completion, IsValidFish) {
  if (installed("fish").empty()) GTEST_SKIP() << "there is no fish on PATH (Debian package fish)";
  expect_quiet({installed("fish"), "-n", ScriptFile("fish").path()});
}

TEST(Completion, FishOffersWhatTheGrammarKnows) {
  const std::string fish = installed("fish");
  if (fish.empty()) GTEST_SKIP() << "there is no fish on PATH (Debian package fish)";
  const ScriptFile script("fish");
  const auto offered = [&](const std::string& line) {
    const auto captured = run_captured({fish, "--no-config", "-c",
                                        "source '" + script.path() + "'; complete -C '" + line +
                                            "' | string replace -r '\\t.*' ''"},
                                       {});
    EXPECT_TRUE(captured) << captured.error().message;
    return captured ? captured->output : std::string();
  };

  EXPECT_EQ(offered("warpmind opt"), "optimize\n");
  EXPECT_EQ(offered("warpmind kb st"), "stats\n");
  EXPECT_EQ(offered("warpmind optimize --pro"), "--proposer\n--provider\n");
  EXPECT_EQ(offered("warpmind optimize --provider s"), "sim\n");
}

TEST(Completion, ZshOffersWhatTheGrammarKnows) {
  const std::string zsh = installed("zsh");
  if (zsh.empty()) GTEST_SKIP() << "there is no zsh on PATH (Debian package zsh)";
  const ScriptFile script("zsh");
  // Completion runs in a line editor only: one in a pseudo terminal, where the completed line is
  // run and printed.
  const auto completed = [&](const std::string& line) {
    const std::string driver =
        "zmodload zsh/zpty; zpty z '" + zsh +
        " -f -i'; zpty -w z 'PS1=; autoload -Uz compinit; compinit -u -D; source \"" +
        script.path() +
        "\"; warpmind() print -r -- \"got:$*:\"; echo re\"\"ady'; "
        "while zpty -r z out; do [[ $out == *ready* ]] && break; done; zpty -w -n z '" +
        line +
        "'$'\\t\\n'; while zpty -r z out; do [[ $out == *got:*:* ]] || continue; "
        "print -rn -- ${${out##*got:}%%:*}; break; done; zpty -d z";
    const auto captured = run_captured({zsh, "-f", "-c", driver}, {});
    EXPECT_TRUE(captured) << captured.error().message;
    return captured ? captured->output : std::string();
  };

  EXPECT_EQ(completed("warpmind opt"), "optimize");
  EXPECT_EQ(completed("warpmind --json kb sta"), "--json kb stats");
  EXPECT_EQ(completed("warpmind optimize --provi"), "optimize --provider");
  EXPECT_EQ(completed("warpmind optimize x --provider s"), "optimize x --provider sim");
}

TEST(Completion, EveryScriptKnowsEveryCommandFlagAndChoice) {
  const ScriptFile zsh("zsh");
  const ScriptFile fish("fish");
  const ScriptFile page("man");
  for (const auto* command : every_command(program())) {
    for (const auto* text : {&bash_file().text(), &zsh.text(), &fish.text()}) {
      EXPECT_NE(text->find(command->name), std::string::npos) << command->path;
      for (const auto& option : command->options) {
        const std::string name = option.names.front().substr(2);
        EXPECT_NE(text->find(name), std::string::npos) << command->path << " --" << name;
        const std::string words = join_text(value_words(option), " ");
        EXPECT_NE(text->find(words), std::string::npos) << command->path << " --" << name;
      }
    }
    for (const auto& option : command->options) {
      const std::string name = replace_text(option.names.front(), "-", "\\-");
      EXPECT_NE(page.text().find(name), std::string::npos) << command->path << " " << name;
    }
    const bool needs_section = command->commands.empty();
    const std::string heading = ".SS \"warpmind " + replace_text(command->path, "-", "\\-");
    EXPECT_TRUE(!needs_section || page.text().find(heading) != std::string::npos) << heading;
  }
}

TEST(Completion, BashOffersEveryCommandAndFlagOfEachCommand) {
  for (const char* group : {"", "kb", "queue", "task", "daemon"}) {
    const auto* parent = find_command(program(), group);
    ASSERT_NE(parent, nullptr);
    std::vector<std::string> typed{"warpmind"};
    if (!parent->path.empty()) typed.push_back(parent->path);
    for (const auto& command : parent->commands) {
      auto words = typed;
      words.push_back(command.name);
      EXPECT_NE((" " + completions(words)).find(" " + command.name + " "), std::string::npos)
          << command.path;
      if (command.gives_words_away) continue;
      words.emplace_back("--");
      const std::string offered = " " + completions(words);
      for (const auto& option : command.options) {
        EXPECT_NE(offered.find(" " + option.names.front() + " "), std::string::npos)
            << command.path << " " << option.names.front();
      }
    }
  }
}

TEST(Completion, TheManualPageRendersWithoutWarnings) {
  const std::string groff = installed("groff");
  if (groff.empty()) GTEST_SKIP() << "there is no groff on PATH (Debian package groff)";
  expect_quiet({groff, "-ww", "-z", "-man", "-Tutf8", ScriptFile("man").path()});
}

TEST(Completion, OffersCommands) {
  EXPECT_EQ(completions({"warpmind", "opt"}), "optimize ");
  EXPECT_EQ(completions({"warpmind", "d"}), "doctor dashboard daemon ");
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
  EXPECT_EQ(completions({"warpmind", "optimize", "--pro"}), "--provider --proposer ");
  EXPECT_EQ(completions({"warpmind", "optimize", "dir", "--provider", "=", "s"}), "sim ");
  EXPECT_EQ(completions({"warpmind", "--set", "a.b", "=", "1", "optimize", "--see"}), "--seed ");
  EXPECT_EQ(completions({"warpmind", "optimize", "dir", "--device", "h2"}), "h200 ");
  EXPECT_EQ(completions({"warpmind", "task", "import", "k"}), "kernelblaster ");
  EXPECT_EQ(completions({"warpmind", "completion", "z"}), "zsh ");

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

TEST(Completion, OffersTechniquesThatTheBaseKnows) {
  EXPECT_EQ(completions({"warpmind", "kb", "show", "v"},
                        "warpmind() { echo 'technique  category  typical gain  against'; "
                        "echo 'vectorized_loads  memory  1.1× to 2×'; echo '1 technique'; }; "),
            "vectorized_loads ");
}

TEST(Completion, OffersFoldersAndCudaFilesForATask) {
  const auto folder = fresh_folder();
  ASSERT_TRUE(make_private_directory(folder.path() / "softmax"));
  ASSERT_TRUE(write_file_atomic(folder.path() / "softfile", ""));
  ASSERT_TRUE(write_file_atomic(folder.path() / "softmax.cu", ""));

  const std::string start = (folder.path() / "soft").string();

  EXPECT_EQ(completions({"warpmind", "optimize", start}), start + "max " + start + "max.cu ");
  EXPECT_EQ(completions({"warpmind", "validate", start}), start + "max ");
}

TEST(Completion, OffersJobsThatStatusLists) {
  EXPECT_EQ(completions({"warpmind", "result", ""},
                        "warpmind() { echo '  j-0000000007 running x'; "
                        "echo '  j-0000000006 done y'; }; "),
            "j-0000000007 j-0000000006 ");
  EXPECT_EQ(completions({"warpmind", "why", "l"}, "warpmind() { :; }; "), "last ");
}

}  // namespace
}  // namespace warpmind::clients
