#include "agents/replay_proposer.h"

#include "base/file.h"
#include "tests/unit/agents/planted_task.h"

#include <fstream>
#include <ostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::agents {
namespace {

using testing::HasSubstr;

class ReplayProposerTest : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& text) {
    std::ofstream(scratch_.path() / name) << text;
    return scratch_.path() / name;
  }

  ScratchDirectory scratch_ =
      std::move(ScratchDirectory::create(std::filesystem::temp_directory_path(), "replay")).value();
  Task task_ = planted_task();
};

TEST_F(ReplayProposerTest, ReplaysInOrderAndFillsInFromTheTask) {
  write("other.cu", "__global__ void k() {}");
  const auto file =
      write("c.jsonl",
            R"({"technique":"fast_math","kernel":{"build_flags":["--use_fast_math"]}})"
            "\n\n"
            R"({"technique":"rewrite","rationale":"by hand","kernel":{"source_file":"other.cu"}})"
            "\n");
  auto proposer = std::move(ReplayProposer::open(file, task_)).value();
  const Bottleneck bottleneck;
  const Advice advice;
  const DeviceSpec device;
  const ProposalContext context{task_, task_.kernel, bottleneck, advice, device};

  const auto first = proposer.write(proposer.moves(context).at(0), context, {}).value().candidate;
  const auto second = proposer.write(proposer.moves(context).at(0), context, {}).value().candidate;

  EXPECT_EQ(first->kernel.source, task_.kernel.source);
  EXPECT_EQ(first->kernel.build_flags, std::vector<std::string>{"--use_fast_math"});
  EXPECT_EQ(second->kernel.source, "__global__ void k() {}");
  EXPECT_EQ(second->kernel.plan, task_.kernel.plan);
  EXPECT_EQ(second->proposer, "replay");
  EXPECT_TRUE(proposer.moves(context).empty());
}

struct BadLine {
  const char* text;
  const char* says;
};
std::ostream& operator<<(std::ostream& out, const BadLine& line) { return out << line.says; }
class ReplayProposerError : public ReplayProposerTest,
                            public testing::WithParamInterface<BadLine> {};

TEST_P(ReplayProposerError, NamesFileAndLine) {
  const auto file = write("bad.jsonl", std::string("\n") + GetParam().text);

  const auto opened = ReplayProposer::open(file, task_);

  ASSERT_FALSE(opened.has_value());
  EXPECT_THAT(opened.error().message, HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    Table, ReplayProposerError,
    testing::Values(BadLine{"{", "bad.jsonl:2: invalid JSON"}, BadLine{"[1]", "not a JSON object"},
                    BadLine{R"({"tecnique":"x"})", "unknown member 'tecnique'"},
                    BadLine{"{}", "'technique' is missing"},
                    BadLine{R"({"technique":"x","kernel":3})", "'kernel' is not an object"},
                    BadLine{R"({"technique":"x","kernel":{"source_file":"none.cu"}})", "none.cu"},
                    BadLine{R"({"technique":"x","kernel":{"tier":"z"}})", "'z' is none of a, b, c"},
                    BadLine{"", "holds no candidate"}));

TEST_F(ReplayProposerTest, MissingFileIsNotFound) {
  EXPECT_EQ(ReplayProposer::open(scratch_.path() / "none", task_).error().code, Errc::not_found);
}

}  // namespace
}  // namespace warpmind::agents
