#include "clients/captured_process.h"
#include "protocol_server.h"

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
  EXPECT_EQ(completions({"warpmind", "d"}), "doctor daemon ");
  EXPECT_EQ(completions({"warpmind", "--json", "--socket", "s", "va"}), "validate ");
}

TEST(Completion, OffersNestedCommandsAndTheirFlags) {
  EXPECT_EQ(completions({"warpmind", "daemon", "st"}), "start stop status ");
  EXPECT_EQ(completions({"warpmind", "kb", ""}).substr(0, 6), "stats ");
  EXPECT_EQ(completions({"warpmind", "daemon", "stop", "--f"}), "--finish ");
  EXPECT_EQ(completions({"warpmind", "config", "show", "--o"}), "--origin ");
}

TEST(Completion, OffersFlagsAndTheirValues) {
  EXPECT_EQ(completions({"warpmind", "optimize", "dir", "--re"}), "--replay ");
  EXPECT_EQ(completions({"warpmind", "optimize", "dir", "--provider", ""}), "gpu fixture ");
  EXPECT_EQ(completions({"warpmind", "optimize", "dir", "--proposer", "r"}), "replay ");
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
