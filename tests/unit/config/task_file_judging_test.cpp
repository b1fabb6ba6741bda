// Hidden ranges and relations of a task file: what is wrong is located and says how to fix it.
#include "task_file_fixture.h"

#include <gmock/gmock.h>

namespace warpmind::config {
namespace {

class TaskFileJudging : public TaskFile, public testing::WithParamInterface<ErrorCase> {};

TEST_P(TaskFileJudging, AreLocatedAndSayHowToFixThem) {
  write("task.toml", replaced(kTask, GetParam().from, GetParam().to));

  const Error error = load_error();

  EXPECT_EQ(error.code, Errc::invalid_argument);
  EXPECT_THAT(error.message, testing::AllOf(testing::StartsWith(toml() + ":"),
                                            testing::HasSubstr(GetParam().message)));
}

/// `text` stands where [contract] did, line 32.
ErrorCase before_contract(const char* name, const char* text, const char* message) {
  return {name, "[contract]", text, message};
}

INSTANTIATE_TEST_SUITE_P(
    Errors, TaskFileJudging,
    testing::Values(
        before_contract("UnknownHiddenKey",
                        "[[hidden]]\nsize = \"rows\"\nlow = 1\nhigh = 9\nstep = 2\n[contract]",
                        ":36:1: unknown key 'step' in [[hidden]]"),
        before_contract("NoHigh", "[[hidden]]\nsize = \"rows\"\nlow = 1\n[contract]",
                        ":32:1: [[hidden]] lacks 'high'; write high = 97"),
        before_contract("UnknownSize", "[[hidden]]\nsize = \"row\"\nlow = 1\nhigh = 9\n[contract]",
                        ":33:8: the workloads have no size 'row'; did you mean 'rows'?"),
        before_contract("LowAboveHigh",
                        "[[hidden]]\nsize = \"rows\"\nlow = 9\nhigh = 1\n[contract]",
                        ":34:7: low is above high; swap them"),
        before_contract("LowBelowOne", "[[hidden]]\nsize = \"rows\"\nlow = 0\nhigh = 1\n[contract]",
                        ":34:7: low must be at least 1"),
        before_contract(
            "NoMultipleInside",
            "[[hidden]]\nsize = \"rows\"\nlow = 9\nhigh = 15\nmultiple_of = 16\n[contract]",
            ":36:15: there is no multiple of 16 from 9 to 15; widen the range"),
        before_contract("RangeTwice",
                        "[[hidden]]\nsize = \"rows\"\nlow = 1\nhigh = 9\n[[hidden]]\nsize = "
                        "\"rows\"\nlow = 1\nhigh = 9\n[contract]",
                        ":37:8: size 'rows' has a range already; keep one"),
        before_contract(
            "TooLargeToBeHidden",
            "[[hidden]]\nsize = \"rows\"\nlow = 1\nhigh = 100000000\n[contract]",
            ":32:1: at the high ends of the ranges the arguments take more than 64 MiB"),
        before_contract("UnknownRelation", "[[relation]]\nkind = \"scale\"\n[contract]",
                        ":33:8: unknown kind 'scale'; known: scaling, additivity, permutation"),
        before_contract("NothingChanged", "[[relation]]\nkind = \"scaling\"\n[contract]",
                        ":32:1: a relation names the inputs that it changes"),
        before_contract("NoSuchArgument",
                        "[[relation]]\nkind = \"scaling\"\narguments = [\"z\"]\n[contract]",
                        ":34:14: the task has no argument 'z'"),
        before_contract("NoInput",
                        "[[relation]]\nkind = \"scaling\"\narguments = [\"y\"]\n[contract]",
                        ":34:14: argument 'y' is no floating input (out f32)"),
        before_contract("AScalar",
                        "[[relation]]\nkind = \"scaling\"\narguments = [\"alpha\"]\n[contract]",
                        ":34:14: argument 'alpha' is no floating input (scalar f32)"),
        before_contract(
            "DegreeElsewhere",
            "[[relation]]\nkind = \"additivity\"\narguments = [\"x\"]\ndegree = 2\n[contract]",
            ":35:10: degree belongs to kind = \"scaling\"; remove it"),
        before_contract(
            "DegreeTooHigh",
            "[[relation]]\nkind = \"scaling\"\narguments = [\"x\"]\ndegree = 9\n[contract]",
            ":35:10: degree must be from -8 to 8")),
    [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace warpmind::config
