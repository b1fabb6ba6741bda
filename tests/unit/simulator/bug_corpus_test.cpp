#include "tests/unit/simulator/bug_case.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace warpmind::simulator {
namespace fs = std::filesystem;
namespace {

const fs::path kFolder = fs::path(WARPMIND_TEST_DATA) / "bugs";

std::string read_text(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string_view name_of_end(LaunchEnd end) {
  switch (end) {
    case LaunchEnd::completed: return "completed";
    case LaunchEnd::fault: return "fault";
    case LaunchEnd::step_limit: return "step limit";
    case LaunchEnd::stack_overflow: return "stack overflow";
    case LaunchEnd::deadlock: return "deadlock";
    default: return "something else";
  }
}

/// For a failure: everything that was found.
std::string told(const LaunchRecord& record) {
  std::string out = "ended: " + std::string(name_of_end(record.end)) + " " + record.end_reason;
  for (const CheckEntry& entry : record.checks) {
    out += "\n  " + std::string(name_of(entry.kind)) + ", line " +
           std::to_string(entry.source_line) + ", " + std::to_string(entry.count) +
           " times: " + entry.detail + "  [" + entry.instruction + "]";
  }
  return out;
}

void expect_case(const BugCase& bug, const std::string& ptx) {
  for (const bool reversed : {false, true}) {
    const auto record = run_bug_case(bug, ptx, reversed);
    ASSERT_TRUE(record.has_value()) << record.error().message;
    SCOPED_TRACE(told(*record) + (reversed ? "\n(reversed)" : ""));
    EXPECT_EQ(name_of_end(record->end), bug.ends);
    if (bug.expected == "clean") {
      EXPECT_TRUE(record->checks.empty());
      continue;
    }
    bool found = false;
    bool found_there = false;
    for (const CheckEntry& entry : record->checks) {
      if (name_of(entry.kind) != bug.expected) continue;
      found = true;
      found_there = found_there || bug.lines.count(entry.source_line) > 0;
    }
    EXPECT_TRUE(found) << "not found: " << bug.expected;
    EXPECT_TRUE(found_there) << "not at its line";
  }
}

struct CaseName {
  std::string operator()(const testing::TestParamInfo<BugCase>& info) const {
    return info.param.name;
  }
};

class BugCorpus : public testing::TestWithParam<BugCase> {};

TEST_P(BugCorpus, IsFoundInTheCheckedInPtx) {
  expect_case(GetParam(), read_text(kFolder / (GetParam().name + ".ptx")));
}

INSTANTIATE_TEST_SUITE_P(Kernels, BugCorpus, testing::ValuesIn(read_bug_cases(kFolder)),
                         CaseName());

TEST(BugCorpusSize, CoversEveryKindOfDefect) {
  std::set<std::string> kinds;
  int clean = 0;
  int defective = 0;
  for (const BugCase& bug : read_bug_cases(kFolder)) {
    kinds.insert(bug.expected);
    const bool is_clean = bug.expected == "clean" && bug.ends == "completed";
    ++(is_clean ? clean : defective);
  }
  EXPECT_GE(defective, 30);
  EXPECT_GE(clean, 10);
  for (const auto& [kind, name] : EnumNames<CheckKind>::table) {
    EXPECT_EQ(kinds.count(std::string(name)), 1U) << name;
  }
}

/// What this machine's nvcc makes of the sources, in case it differs from what is checked in.
TEST(BugCorpusWithNvcc, IsFoundInFreshPtx) {
  if (std::system("nvcc --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no nvcc";
  const fs::path folder = fs::path(testing::TempDir()) / "bug_corpus";
  fs::create_directories(folder);
  for (const BugCase& bug : read_bug_cases(kFolder)) {
    SCOPED_TRACE(bug.name);
    const fs::path made = folder / (bug.name + ".ptx");
    const std::string command = "nvcc -std=c++17 -ptx -lineinfo -arch=compute_80 '" +
                                (kFolder / (bug.name + ".cu")).string() + "' -o '" + made.string() +
                                "'";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    expect_case(bug, read_text(made));
  }
}

}  // namespace
}  // namespace warpmind::simulator
