#include "clients/cli/command_line.h"

#include <gtest/gtest.h>

namespace warpmind::clients {
namespace {

Result<std::variant<Invocation, HelpText>> parse(std::vector<const char*> words) {
  words.insert(words.begin(), "warpmind");
  return parse_command_line(static_cast<int>(words.size()), words.data());
}

Invocation parsed(std::vector<const char*> words) {
  auto result = parse(std::move(words));
  if (!result || !std::holds_alternative<Invocation>(*result)) {
    ADD_FAILURE() << (result ? "help instead of a command" : result.error().message);
    return {};
  }
  return std::get<Invocation>(*result);
}

TEST(CommandLine, ReadsEveryFlagOfOptimize) {
  const auto invocation =
      parsed({"optimize", "dir", "--evaluations", "8", "--seconds", "2.5", "--provider", "fixture",
              "--proposer", "replay", "--replay", "c.jsonl", "--output", "best.cu", "--json"});

  const auto& options = std::get<OptimizeOptions>(invocation.command);
  EXPECT_EQ(options.directory, "dir");
  EXPECT_EQ(options.evaluations, 8);
  EXPECT_EQ(options.seconds, 2.5);
  EXPECT_EQ(options.provider, "fixture");
  EXPECT_EQ(options.proposer, "replay");
  EXPECT_EQ(options.replay_file, "c.jsonl");
  EXPECT_EQ(options.output_file, "best.cu");
  EXPECT_FALSE(options.detach);
  EXPECT_TRUE(invocation.globals.json);
}

TEST(CommandLine, ReadsTheFlagsOfAWholeProgram) {
  const auto invocation =
      parsed({"optimize", "p.cu", "--run", "./a.out 3", "--build", "make {program}",
              "--run-seconds", "5", "--work", "w", "--host-edits",
              "direct_output,drop_redundant_sync", "--assume-shapes", "--no-recorded-inputs"});

  const auto& options = std::get<OptimizeOptions>(invocation.command);
  EXPECT_EQ(options.directory, "p.cu");
  EXPECT_EQ(options.run, "./a.out 3");
  EXPECT_EQ(options.build, "make {program}");
  EXPECT_EQ(options.run_seconds, 5);
  EXPECT_EQ(options.work, "w");
  EXPECT_EQ(options.host_edits, (std::vector<std::string>{"direct_output", "drop_redundant_sync"}));
  EXPECT_TRUE(options.assume_shapes);
  EXPECT_TRUE(options.no_recorded_inputs);
}

TEST(CommandLine, LeavesDefaultsToTheDaemon) {
  const auto invocation = parsed({"optimize", "dir"});

  const auto& options = std::get<OptimizeOptions>(invocation.command);
  EXPECT_FALSE(options.no_recorded_inputs);
  EXPECT_FALSE(options.evaluations);
  EXPECT_FALSE(options.seconds);
  EXPECT_TRUE(options.provider.empty());
  EXPECT_TRUE(options.proposer.empty());
}

TEST(CommandLine, TakesGlobalFlagsOnBothSidesOfTheCommand) {
  for (const auto& words : std::vector<std::vector<const char*>>{
           {"--socket", "s", "--set", "a.b=1", "--set", "c.d=2", "--no-start", "kb", "stats"},
           {"kb", "stats", "--socket", "s", "--set", "a.b=1", "--set", "c.d=2", "--no-start"},
           {"kb", "--socket", "s", "stats", "--set", "a.b=1", "--no-start", "--set", "c.d=2"}}) {
    const auto invocation = parsed(words);

    ASSERT_TRUE(std::holds_alternative<KnowledgeOptions>(invocation.command));
    EXPECT_TRUE(
        std::holds_alternative<KbStatsOptions>(std::get<KnowledgeOptions>(invocation.command)));
    EXPECT_EQ(invocation.globals.socket, "s");
    EXPECT_EQ(invocation.globals.assignments, (std::vector<std::string>{"a.b=1", "c.d=2"}));
    EXPECT_TRUE(invocation.globals.no_start);
    EXPECT_FALSE(invocation.globals.json);
  }
}

TEST(CommandLine, KnowsEveryCommand) {
  EXPECT_TRUE(std::holds_alternative<StatusOptions>(parsed({"status"}).command));
  EXPECT_EQ(std::get<ResultOptions>(parsed({"result", "7"}).command).job, "7");
  EXPECT_EQ(std::get<CancelOptions>(parsed({"cancel", "7"}).command).job, "7");
  EXPECT_EQ(std::get<AttachOptions>(parsed({"attach", "7"}).command).job, "7");
  const auto wait = std::get<WaitOptions>(parsed({"wait", "7", "8", "--timeout", "1.5"}).command);
  EXPECT_EQ(wait.jobs, (std::vector<std::string>{"7", "8"}));
  EXPECT_EQ(wait.timeout, 1.5);
  EXPECT_TRUE(std::get<WaitOptions>(parsed({"wait", "--all"}).command).all);
  EXPECT_EQ(std::get<ValidateOptions>(parsed({"validate", "d"}).command).directory, "d");
  EXPECT_TRUE(
      std::get<ExplainMovesOptions>(parsed({"explain-moves", "k.cu", "--diff"}).command).diff);
  EXPECT_EQ(std::get<FlopsOptions>(parsed({"flops", "k.ptx", "--task", "d"}).command).task, "d");
  EXPECT_EQ(std::get<BaselineOptions>(parsed({"baseline", "d"}).command).directory, "d");
  EXPECT_TRUE(std::get<BaselineOptions>(parsed({"baseline", "d", "--again"}).command).again);
  EXPECT_TRUE(std::holds_alternative<DoctorOptions>(parsed({"doctor"}).command));
  EXPECT_TRUE(std::get<ConfigShowOptions>(parsed({"config", "show", "--origin"}).command).origin);
  EXPECT_TRUE(std::holds_alternative<DaemonStartOptions>(parsed({"daemon", "start"}).command));
  EXPECT_TRUE(std::get<DaemonStopOptions>(parsed({"daemon", "stop", "--finish"}).command).finish);
  EXPECT_TRUE(std::holds_alternative<DaemonStatusOptions>(parsed({"daemon", "status"}).command));
}

struct BadLine {
  std::vector<const char*> words;
  const char* says;
};

TEST(CommandLine, AnswersASlipWithOneSentence) {
  const std::vector<BadLine> lines{
      {{"--json"}, "a command is missing; see `warpmind --help`"},
      {{"optimise", "d"}, "unknown command 'optimise'; did you mean 'optimize'?"},
      {{"kb", "stat"}, "unknown command 'stat'; did you mean 'stats'?"},
      {{"daemon"}, "a command is missing; see `warpmind daemon --help`"},
      {{"optimize"}, "PATH is required; see `warpmind optimize --help`"},
      {{"optimize", "d", "e"}, "unexpected argument 'e'; see `warpmind optimize --help`"},
      {{"optimize", "d", "--fast"}, "unknown flag '--fast'; see `warpmind optimize --help`"},
      {{"optimize", "d", "--evaluation", "3"},
       "unknown flag '--evaluation'; did you mean '--evaluations'? See `warpmind optimize --help`"},
      {{"optimize", "--evaluation=3", "d"}, "did you mean '--evaluations'?"},
      {{"optimize", "--evaluation"}, "unknown flag '--evaluation'; did you mean '--evaluations'?"},
      {{"status", "--jsn"}, "unknown flag '--jsn'; did you mean '--json'?"},
      {{"kb", "search", "x", "--bottlenek", "y"}, "did you mean '--bottleneck'?"},
      {{"--allow-root"}, "--allow-root is a flag of warpmindd; write --set daemon.allow_root=true"},
      {{"optimize", "d", "--allow-root"}, "write --set daemon.allow_root=true"},
      {{"--foreground", "status"}, "--foreground is a flag of warpmindd"},
      {{"status", "--lab.target", "h100"},
       "is a setting, not a flag; write --set lab.target=VALUE"},
      {{"kb", "why"}, "ID is required; `warpmind kb search WORDS` lists ids of insights; see"},
      {{"result"}, "JOB is required; `warpmind status` lists jobs; see `warpmind result --help`"},
      {{"wait"}, "wait needs jobs, or --all"},
      {{"wait", "7", "--all"}, "--all"},
      {{"wait", "7", "--timeout", "-1"}, "--timeout must be at least 0"},
      {{"completion", "tcsh"}, "must be bash, zsh, fish or man, not 'tcsh'"},
      {{"optimize", "d", "--evaluations", "many"}, "--evaluations"},
      {{"optimize", "d", "--evaluations", "0"}, "--evaluations must be at least 1"},
      {{"optimize", "d", "--seconds", "-3"}, "--seconds must be above 0"},
      {{"optimize", "d", "--seconds", "nan"}, "--seconds must be above 0"},
      {{"optimize", "d", "--provider", "cloud"},
       "--provider: must be auto, gpu, sim or fixture, not 'cloud'"},
      {{"optimize", "d", "--proposer", "replay"}, "--proposer replay needs --replay FILE"},
      {{"optimize", "d", "--replay", "f"}, "--replay FILE needs --proposer replay"},
      {{"optimize", "d", "--detach", "--output", "f"}, "--detach and --output exclude each other"},
      {{"optimize", "dir", "--evaluations", "abc"},
       "--evaluations must be a number, not 'abc'; see"},
      {{"queue", "add", "dir", "--priority", "1.5"},
       "--priority must be a whole number, not '1.5'; see `warpmind queue add --help`"},
      {{"why", "7", "x"}, "STEP must be a number, not 'x'; see"},
      {{"optimize", "dir", "--evaluations"}, "--evaluations needs a value; see"},
      {{"wait", "--all", "7"}, "JOB and --all exclude each other: give one of them; see"},
      {{"optimize", "p.cu", "--build", "make"}, "--build requires --run"},
      {{"optimize", "p.cu", "--run", "x", "--detach"}, "--detach and --run exclude each other"},
      {{"optimize", "p.cu", "--run", "x", "--run-seconds", "0"}, "--run-seconds must be above 0"},
      {{"optimize", "p.cu", "--run", "x", "--proposer", "external"}, "--run needs --proposer"},
      {{"optimize", "p.cu", "q.cu", "--run", "x"}, "q.cu"},
      {{"status", "--set", "lab"}, "--set wants name=value"},
      {{"status", "--set", "=1"}, "--set wants name=value"},
      {{"status", "--set"}, "--set"},
  };
  for (const auto& [words, says] : lines) {
    const auto result = parse(words);
    ASSERT_FALSE(result) << says;
    EXPECT_EQ(result.error().code, Errc::invalid_argument);
    EXPECT_NE(result.error().message.find(says), std::string::npos) << result.error().message;
    EXPECT_EQ(result.error().message.find('\n'), std::string::npos);
  }
}

TEST(CommandLine, GivesEveryWordOfBenchAway) {
  const auto invocation = parsed({"bench", "memory", "--json", "--set", "a=b", "--help"});

  EXPECT_EQ(std::get<BenchOptions>(invocation.command).words,
            (std::vector<std::string>{"memory", "--json", "--set", "a=b", "--help"}));
  EXPECT_FALSE(invocation.globals.json);
}

TEST(CommandLine, PrintsTheVersion) {
  const auto result = parse({"--version"});

  ASSERT_TRUE(result);
  EXPECT_TRUE(std::get<HelpText>(*result).text.starts_with("warpmind 0."));
}

TEST(CommandLine, CompletesShortJobIds) {
  EXPECT_EQ(full_job_id("7").value(), "j-0000000007");
  EXPECT_EQ(full_job_id("j-7").value(), "j-0000000007");
  EXPECT_EQ(full_job_id("j-0000000007").value(), "j-0000000007");
  for (const char* bad : {"", "j-", "x", "7a", "-7", "12345678901", "j-j-7", "../7"}) {
    EXPECT_FALSE(full_job_id(bad)) << bad;
  }
}

TEST(CommandLine, FindsJsonBeforeAnythingIsParsed) {
  const std::vector<const char*> with{"warpmind", "nonsense", "--json"};
  const std::vector<const char*> without{"warpmind", "status"};

  EXPECT_TRUE(wants_json(3, with.data()));
  EXPECT_FALSE(wants_json(2, without.data()));
}

}  // namespace
}  // namespace warpmind::clients
