#include "clients/cli/command_help.h"
#include "clients/cli/command_line.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace warpmind::clients {
namespace {

Result<std::variant<Invocation, HelpText>> parsed(std::vector<const char*> words) {
  words.insert(words.begin(), "warpmind");
  return parse_command_line(static_cast<int>(words.size()), words.data());
}

template <class Options>
Options options_of(std::vector<const char*> words) {
  const auto result = parsed(std::move(words));
  EXPECT_TRUE(result) << result.error().message;
  return std::get<Options>(std::get<Invocation>(*result).command);
}

std::string refusal(std::vector<const char*> words) {
  const auto result = parsed(std::move(words));
  return result ? "accepted" : result.error().message;
}

TEST(RecordCommands, OptimizeTakesTheSearch) {
  const auto o = options_of<OptimizeOptions>(
      {"optimize", "dir",        "--policy",      "mcgs",    "--workers",     "4",        "--seed",
       "7",        "--proposer", "llm",           "--model", "rules:r.jsonl", "--tokens", "5000",
       "--usd",    "0.25",       "--gpu-seconds", "30",      "--effort",      "strict"});

  EXPECT_EQ(o.policy, "mcgs");
  EXPECT_EQ(o.workers, 4);
  EXPECT_EQ(o.seed, 7);
  EXPECT_EQ(o.proposer, "llm");
  EXPECT_EQ(o.model, "rules:r.jsonl");
  EXPECT_EQ(o.tokens, 5000);
  EXPECT_EQ(o.usd, 0.25);
  EXPECT_EQ(o.gpu_seconds, 30);
  EXPECT_EQ(o.effort, "strict");
}

TEST(RecordCommands, WhatIsLeftOutIsLeftToTheDaemon) {
  const auto o = options_of<OptimizeOptions>({"optimize", "dir"});

  EXPECT_TRUE(o.policy.empty());
  EXPECT_TRUE(o.effort.empty());
  EXPECT_FALSE(o.workers);
  EXPECT_FALSE(o.tokens);
  EXPECT_FALSE(o.usd);
}

TEST(RecordCommands, OptimizeRefusesWhatCannotBe) {
  EXPECT_NE(refusal({"optimize", "dir", "--policy", "best"}).find("mcgs"), std::string::npos);
  EXPECT_EQ(refusal({"optimize", "dir", "--workers", "0"}),
            "--workers must be at least 1 and at most 64, not 0");
  EXPECT_EQ(refusal({"optimize", "dir", "--workers", "65"}),
            "--workers must be at least 1 and at most 64, not 65");
  EXPECT_EQ(refusal({"optimize", "dir", "--seed", "-1"}), "--seed must be at least 0, not -1");
  EXPECT_EQ(refusal({"optimize", "dir", "--seconds", "604801"}),
            "--seconds must be above 0 and at most 604800, not 604801");
  EXPECT_NE(refusal({"optimize", "dir", "--usd", "nan"}), "accepted");
  EXPECT_EQ(refusal({"optimize", "dir", "--tokens", "-5"}),
            "--tokens must be at least 0 and at most 1000000000000, not -5");
  EXPECT_NE(refusal({"optimize", "dir", "--gpu-seconds", "-1"}), "accepted");
  EXPECT_NE(refusal({"optimize", "dir", "--effort", "lazy"}).find("strict"), std::string::npos);
  EXPECT_EQ(refusal({"optimize", "dir", "--model", "m"}), "--model NAME needs --proposer llm");
}

/// The option of a command's description.
OptionDescription described(const std::string& path, const std::string& flag) {
  const auto program = describe_command_line();
  const CommandDescription* const command = find_command(program, path);
  EXPECT_NE(command, nullptr) << path;
  if (command == nullptr) return {};
  for (const auto& option : command->options) {
    if (option.names.front() == flag) return option;
  }
  ADD_FAILURE() << path << " has no " << flag;
  return {};
}

TEST(RecordCommands, AFlagSaysWhatTheDescriptionOfItsParameterSays) {
  const auto replay = described("optimize", "--replay");
  EXPECT_EQ(replay.text, "Candidates as JSON lines, with --proposer replay");
  EXPECT_EQ(replay.value, "FILE");
  EXPECT_EQ(replay.heading, "Search");
  const auto evaluations = described("queue add", "--evaluations");
  EXPECT_EQ(evaluations.text, "Candidates to judge (setting episode.evaluations)");
  EXPECT_EQ(evaluations.default_text, "24");
  const auto provider = described("optimize", "--provider");
  EXPECT_TRUE(provider.only_choices);
  EXPECT_EQ(provider.choices, (std::vector<std::string>{"auto", "gpu", "sim", "fixture"}));
  EXPECT_TRUE(provider.text.starts_with("gpu measures, sim predicts in the simulator"));
}

TEST(RecordCommands, ANoteIsOneShortLine) {
  EXPECT_EQ(options_of<OptimizeOptions>({"optimize", "dir", "--note", "before tiling"}).note,
            "before tiling");
  const auto queued = options_of<QueueOptions>({"queue", "add", "dir", "--note", "before tiling"});
  EXPECT_EQ(std::get<QueueAddOptions>(queued).note, "before tiling");
  const auto flag = described("optimize", "--note");
  EXPECT_EQ(flag.text, "Kept with the job and shown in its reports");
  EXPECT_EQ(flag.value, "TEXT");
  EXPECT_EQ(refusal({"optimize", "dir", "--note", "two\nlines"}),
            "--note must be one line of at most 200 characters");
  EXPECT_EQ(refusal({"optimize", "dir", "--note", std::string(201, 'x').c_str()}),
            "--note must be one line of at most 200 characters, not 201");
  EXPECT_EQ(refusal({"optimize", "dir", "--note", std::string(200, 'x').c_str()}), "accepted");
}

TEST(RecordCommands, OnlySomebodyWhoWaitsOpensAnEpisode) {
  const auto waits = described("optimize", "--proposer");
  EXPECT_EQ(waits.choices, (std::vector<std::string>{"builtin", "llm", "external", "replay"}));
  EXPECT_NE(waits.text.find("external opens an episode for your own"), std::string::npos);
  const auto queued = described("queue add", "--proposer");
  EXPECT_EQ(queued.choices, (std::vector<std::string>{"builtin", "llm", "replay"}));
  EXPECT_EQ(queued.text.find("external"), std::string::npos);
  EXPECT_NE(refusal({"queue", "add", "dir", "--proposer", "external"}), "accepted");
}

TEST(RecordCommands, QueueAddFillsTheParametersOfItsJobs) {
  const auto options = std::get<QueueAddOptions>(options_of<QueueOptions>(
      {"queue", "add", "dir", "--user", "ada", "--priority", "-3", "--after", "7", "--after", "8,9",
       "--every", "24h", "--policy", "fsr", "--replay", "r.jsonl", "--proposer", "replay"}));
  const daemon::protocol::QueueAddParams& params = options;
  EXPECT_EQ(params.user, "ada");
  EXPECT_EQ(params.priority, -3);
  EXPECT_EQ(params.after, (std::vector<std::string>{"7", "8", "9"}));
  EXPECT_EQ(params.every, "24h");
  EXPECT_EQ(params.policy, "fsr");
  EXPECT_EQ(params.replay_file, "r.jsonl");
}

TEST(RecordCommands, WhyTakesAnEpisodeAndAStep) {
  const auto whole = options_of<WhyOptions>({"why", "last"});
  EXPECT_EQ(whole.episode, "last");
  EXPECT_FALSE(whole.step);

  const auto profile =
      options_of<WhyOptions>({"why", "7", "3", "--profile", "--metrics", "--against", "1"});
  EXPECT_TRUE(profile.profile);
  EXPECT_TRUE(profile.metrics);
  EXPECT_EQ(profile.against, 1);
  const auto step = options_of<WhyOptions>({"why", "e-0000000007", "3", "--json"});
  EXPECT_EQ(step.step, 3);
  EXPECT_NE(refusal({"why"}), "accepted");
  EXPECT_NE(refusal({"why", "7", "three"}), "accepted");
}

TEST(RecordCommands, ExportsAreToldApart) {
  const auto turns = options_of<ExportDataOptions>(
      {"export", "trajectories", "t.jsonl", "--format", "chat", "--provider", "sim"});
  EXPECT_EQ(turns.kind, "trajectories");
  EXPECT_EQ(turns.format, "chat");
  EXPECT_EQ(turns.provider, "sim");

  const auto traces = options_of<ExportDataOptions>(
      {"export", "concur", "c.jsonl", "--threshold", "2", "--balance", "0", "--since", "12"});
  EXPECT_EQ(traces.kind, "concur");
  EXPECT_EQ(traces.threshold, 2);
  EXPECT_EQ(traces.balance, 0);
  EXPECT_EQ(traces.since, 12);

  const auto pack = options_of<KnowledgeOptions>({"export", "kb", "mine.jsonl"});
  EXPECT_EQ(std::get<KbExportOptions>(pack).file, "mine.jsonl");
  EXPECT_EQ(options_of<ExportVerifyOptions>({"export", "verify", "t.jsonl"}).file, "t.jsonl");
}

TEST(RecordCommands, ExportsRefuseWhatIsNotTheirs) {
  EXPECT_NE(refusal({"export"}), "accepted");
  EXPECT_NE(refusal({"export", "trajectory", "t.jsonl"}).find("did you mean"), std::string::npos);
  EXPECT_NE(refusal({"export", "concur", "t.jsonl", "--format", "chat"}), "accepted");
  EXPECT_NE(refusal({"export", "trajectories", "t.jsonl", "--format", "csv"}), "accepted");
  EXPECT_NE(refusal({"export", "verify"}), "accepted");
}

}  // namespace
}  // namespace warpmind::clients
