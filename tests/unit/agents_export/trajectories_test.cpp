#include "agents/export/trajectories.h"

#include "sample_episodes.h"

#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace warpmind::agents {
namespace {

using nlohmann::json;

std::vector<json> lines_of(const Exported& exported) {
  std::vector<json> lines;
  std::istringstream in(exported.text);
  for (std::string line; std::getline(in, line);) lines.push_back(json::parse(line));
  return lines;
}

HeldOut held_out_of(const std::vector<SourceEpisode>& sources) {
  HeldOut held_out;
  for (const auto& source : sources) held_out.add(source);
  return held_out;
}

ExportOptions options() {
  ExportOptions options;
  options.base_id = "0011223344556677";
  return options;
}

TEST(Trajectories, AreTheGoldenLinesTwice) {
  const auto sources = samples::six_tasks();
  const auto held_out = held_out_of(sources);

  const Exported first = export_trajectories(sources, held_out, options());

  EXPECT_EQ(first.text, samples::golden("trajectories.jsonl", first.text));
  EXPECT_EQ(first.text, export_trajectories(samples::six_tasks(), held_out, options()).text);
  EXPECT_EQ(first.lines, 25);
  EXPECT_EQ(first.heldout, 5);
  EXPECT_EQ(first.tasks, 5);
}

TEST(Trajectories, ReturnsAreKevins) {
  const std::vector<SourceEpisode> sources{samples::four_turns()};

  const auto lines = lines_of(export_trajectories(sources, {}, options()));

  ASSERT_EQ(lines.size(), 4U);
  const std::vector<double> scores{0, 1.3, 0, 2.3};
  const std::vector<double> returns{0.6672, 1.668, 0.92, 2.3};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_NEAR(lines[i]["s"].get<double>(), scores[i], 1e-12);
    EXPECT_NEAR(lines[i]["R"].get<double>(), returns[i], 1e-12);
    EXPECT_EQ(lines[i]["turn"], i + 1);
    EXPECT_EQ(lines[i]["trajectory"], 1);
  }
}

TEST(Trajectories, AreTheWaysToTheLeaves) {
  SourceEpisode source = samples::four_turns();
  source.episode.steps[3].edited = 1;  // 0 → 1 → 2, 1 → 3 → 4

  const auto lines = lines_of(export_trajectories(std::vector{source}, {}, options()));

  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[0]["provenance"]["step"], 1);
  EXPECT_EQ(lines[1]["provenance"]["step"], 2);
  EXPECT_EQ(lines[2]["provenance"]["step"], 1);
  EXPECT_EQ(lines[4]["provenance"]["step"], 4);
  EXPECT_EQ(lines[4]["trajectory"], 2);
  EXPECT_EQ(lines[0]["group_size"], 5);
}

TEST(Trajectories, ACheatScoresNothing) {
  const std::vector<SourceEpisode> sources{
      samples::episode(1, "cheat", {{Outcome::cheating, 9, 5}})};

  const auto lines = lines_of(export_trajectories(sources, {}, options()));

  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0]["s"], 0.0);
  EXPECT_EQ(lines[0]["R"], 0.0);
  EXPECT_TRUE(lines[0]["speedup"].is_null());
}

TEST(Trajectories, ABlockedStepIsNoTurn) {
  const std::vector<SourceEpisode> sources{
      samples::episode(1, "blocked", {{Outcome::blocked, 1, 5}})};

  EXPECT_EQ(export_trajectories(sources, {}, options()).lines, 0);
}

TEST(Trajectories, WithoutATimeTheComparisonsAlongTheWayCount) {
  SourceEpisode source = samples::four_turns();
  auto& steps = source.episode.steps;
  for (const std::size_t at : {1U, 2U, 3U, 4U}) {
    steps[at].verdict.measurement.reset();
    steps[at].verdict.outcome = Outcome::improved;
    steps[at].verdict.comparison = Comparison{.ratio = 1.5};
  }

  const auto lines = lines_of(export_trajectories(std::vector{source}, {}, options()));

  ASSERT_EQ(lines.size(), 4U);
  EXPECT_NEAR(lines[1]["speedup"].get<double>(), 2.25, 1e-12);
  EXPECT_TRUE(lines[1]["kernel_ns"].is_null());
}

TEST(Trajectories, ARecordOfAnOlderBuildIsReadByItsParents) {
  SourceEpisode source = samples::four_turns();
  for (auto& step : source.episode.steps) {
    step.edited = -1;
    step.candidate.parent = id_of(source.episode.steps.front().candidate.kernel);
  }
  source.episode.steps.front().accepted = true;

  const auto lines = lines_of(export_trajectories(std::vector{source}, {}, options()));

  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[3]["trajectory"], 4);
  EXPECT_EQ(lines[3]["turns"], 1);
}

TEST(Trajectories, NeverHoldWhatIsHeldOut) {
  auto sources = samples::six_tasks();
  const auto held_out = held_out_of(sources);
  // The same task handed in for training, and its kernel on another task.
  SourceEpisode relabelled = samples::episode(8, "held_out", {{Outcome::improved, 2, 5}});
  SourceEpisode twin = samples::episode(9, "twin", {{Outcome::improved, 2, 5}});
  twin.heldout_twin = sources.back().episode.task;
  SourceEpisode copied = samples::episode(10, "copied", {{Outcome::improved, 2, 5}});
  copied.episode.steps[1].candidate.kernel.source =
      "// mine\n" + sources.back().episode.steps[2].candidate.kernel.source;

  const auto exported =
      export_trajectories(std::vector{relabelled, twin, copied}, held_out, options());

  EXPECT_EQ(exported.lines, 0);
  EXPECT_EQ(exported.heldout, 3);
}

TEST(Trajectories, OfTheSimulatorOnlyWhenAskedFor) {
  SourceEpisode source = samples::four_turns();
  source.episode.provider = Provider::sim;

  EXPECT_EQ(export_trajectories(std::vector{source}, {}, options()).other_provider, 1);
  auto simulated = options();
  simulated.provider = Provider::sim;
  const auto lines = lines_of(export_trajectories(std::vector{source}, {}, simulated));
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0]["provenance"]["provider"], "sim");
}

TEST(Trajectories, ChatsHoldNoReasoning) {
  SourceEpisode source = samples::four_turns();
  for (auto& exchanges : source.exchanges) {
    for (auto& exchange : exchanges) exchange.reasoning = "SECRET";
  }
  auto chat = options();
  chat.format = TrajectoryFormat::chat;

  const auto exported = export_trajectories(std::vector{source}, {}, chat);

  EXPECT_EQ(exported.text.find("SECRET"), std::string::npos);
  const auto lines = lines_of(exported);
  ASSERT_EQ(lines.size(), 4U);
  ASSERT_EQ(lines[1]["messages"].size(), 4U);
  EXPECT_EQ(lines[1]["messages"][1]["role"], "assistant");
  EXPECT_NE(lines[1]["messages"][2]["content"].get<std::string>().find("wrong: as scripted"),
            std::string::npos);
}

TEST(Trajectories, APromptIsComposedWhereNoneIsStored) {
  const std::vector<SourceEpisode> sources{
      samples::episode(1, "builtin", {{Outcome::improved, 2, 0}})};

  const auto lines = lines_of(export_trajectories(sources, {}, options()));

  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0]["prompt_origin"], "composed");
  EXPECT_NE(lines[0]["prompt"].get<std::string>().find("memory_bandwidth"), std::string::npos);
}

}  // namespace
}  // namespace warpmind::agents
