#include "daemon/protocol/wire_types.h"

#include "base/file.h"

#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace warpmind::daemon::protocol {
namespace {

/// The methods in a printed file's heading: comments after the first, up to an empty line.
std::vector<std::string> methods_in(const std::string& file) {
  std::vector<std::string> methods;
  std::istringstream lines(file);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line) && !line.empty()) {
    std::istringstream words(line.substr(line.find(' ')));
    for (std::string word; words >> word;) methods.push_back(word);
  }
  return methods;
}

struct PrintedFile {
  const char* name;
  const char* language;
  const char* path;
};

class PrintedTypes : public testing::TestWithParam<PrintedFile> {};

/// Where it fails: tests/tools/print_types.sh.
TEST_P(PrintedTypes, FileIsWhatIsPrinted) {
  const auto file =
      read_file(std::string(WARPMIND_SOURCE_DIR "/") + GetParam().path, std::size_t{1} << 20U);
  ASSERT_TRUE(file);
  const auto methods = methods_in(*file);
  ASSERT_FALSE(methods.empty());

  const auto printed = render_types(GetParam().language, methods);

  ASSERT_TRUE(printed) << printed.error().message;
  EXPECT_EQ(*file, *printed);
}

INSTANTIATE_TEST_SUITE_P(
    Clients, PrintedTypes,
    testing::Values(PrintedFile{"dashboard", "typescript", "clients/dashboard/src/wire.ts"},
                    PrintedFile{"vscode", "typescript", "clients/vscode/src/wire.ts"},
                    PrintedFile{"python", "python", "clients/python/warpmind/wire_types.py"}),
    [](const auto& param) { return param.param.name; });

std::string printed(const char* language, const char* method) {
  const auto text = render_types(language, {method});
  return text ? *text : text.error().message;
}

void expect_in(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\nis not in\n" << text;
}

TEST(WireTypes, TypescriptKnowsChoicesNullsAndWhatMayBeAbsent) {
  const std::string text = printed("typescript", "episode.explain");

  expect_in(text, "export type Provider = \"gpu\" | \"sim\" | \"fixture\";\n");
  expect_in(text,
            "  /** a step of the episode, 0 is the baseline; default all */\n"
            "  step?: number | null;\n");
  expect_in(text, "  low: number | null;\n");          // of Comparison: written by hand
  expect_in(text, "  best_library?: BestLibrary;\n");  // of Measurement: only where there is one
  expect_in(text, "  grid: string[];\n");              // std::array
  expect_in(text, "  constants: Record<string, number>;\n");
  expect_in(text,
            "  \"episode.explain\": { params: EpisodeExplainParams; result: "
            "EpisodeExplainResult };\n");
}

TEST(WireTypes, PythonHasDataclassesWithDefaultsLast) {
  const std::string text = printed("python", "task.submit");

  expect_in(text, "@dataclass(frozen=True)\nclass TaskSubmitResult:\n");
  expect_in(text, "    #: jobs that come before it\n    ahead: int\n");
  EXPECT_LT(text.find("    directory: str\n"), text.find("    seconds: Optional[float] = None\n"));
}

TEST(WireTypes, EveryMethodCanBePrinted) {
  for (const auto* language : {"typescript", "python"}) {
    const auto text = render_types(language, {});
    ASSERT_TRUE(text);
    expect_in(*text, "task.progress");
  }
}

TEST(WireTypes, OtherLanguagesAndMethodsAreRefused) {
  EXPECT_EQ(render_types("cobol", {}).error().message,
            "types are printed in 'typescript' or 'python', not in 'cobol'");
  expect_in(printed("python", "task.submti"), "did you mean 'task.submit'?");
}

}  // namespace
}  // namespace warpmind::daemon::protocol
