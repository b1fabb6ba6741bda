#include "tests/transcript/transcript.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include <gtest/gtest.h>

namespace warpmind::tests {
namespace {

std::vector<std::filesystem::path> transcripts() {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path root(WARPMIND_SOURCE_DIR);
  for (const auto& entry :
       std::filesystem::directory_iterator(root / "tests/transcript/transcripts")) {
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class Transcript : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Transcript, IsWhatTheDaemonAnswers) {
  const auto home = DaemonProcess::make_home();
  DaemonProcess daemon(home.path(), {.program = WARPMIND_BINARY_DIR "/warpmindd-scripted"});

  const std::filesystem::path tasks = std::filesystem::path(WARPMIND_SOURCE_DIR) / "tasks";
  EXPECT_EQ(run_transcript(GetParam(), daemon, tasks), "");
}

INSTANTIATE_TEST_SUITE_P(, Transcript, testing::ValuesIn(transcripts()),
                         [](const auto& param) { return param.param.stem().string(); });

}  // namespace
}  // namespace warpmind::tests
