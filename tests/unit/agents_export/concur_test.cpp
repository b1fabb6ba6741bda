#include "agents/export/concur.h"

#include "sample_episodes.h"

#include <algorithm>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace warpmind::agents {
namespace {

using nlohmann::json;
using samples::episode;
using enum Outcome;

std::vector<json> traces(const Exported& exported) {
  std::vector<json> lines;
  std::istringstream in(exported.text);
  for (std::string line; std::getline(in, line);) lines.push_back(json::parse(line));
  return lines;
}

ExportOptions options(double balance = 1) {
  ExportOptions options;
  options.base_id = "0011223344556677";
  options.balance = balance;
  return options;
}

TEST(Concur, AreTheGoldenLinesTwice) {
  const auto sources = samples::six_tasks();
  HeldOut held_out;
  for (const auto& source : sources) held_out.add(source);

  const Exported first = export_concur(sources, held_out, options());

  EXPECT_EQ(first.text, samples::golden("concur.jsonl", first.text));
  EXPECT_EQ(first.text, export_concur(samples::six_tasks(), held_out, options()).text);
  EXPECT_EQ(first.lines, 4);
  EXPECT_EQ(first.heldout, 5);
  EXPECT_EQ(first.no_reasoning, 1);
  EXPECT_EQ(first.unbalanced, 1);
}

TEST(Concur, PicksWhatEachTaskIsThereFor) {
  const auto sources = samples::six_tasks();
  HeldOut held_out;
  for (const auto& source : sources) held_out.add(source);

  const auto lines = traces(export_concur(sources, held_out, options(0)));

  std::vector<std::string> picked;
  for (const auto& line : lines) {
    picked.push_back(line["provenance"]["task"].get<std::string>() + " " +
                     std::to_string(line["provenance"]["step"].get<int>()) + " " +
                     line["criteria"].dump());
  }
  std::sort(picked.begin(), picked.end());
  EXPECT_EQ(picked,
            (std::vector<std::string>{R"(shortest_is_fastest 1 ["a","b"])",
                                      R"(shortest_is_fastest 2 ["b"])", R"(threshold_only 2 ["b"])",
                                      R"(threshold_only 3 ["b"])", R"(wrong_but_short 2 ["a"])"}));
}

TEST(Concur, TheAverageLengthIsOverAllSamplesRightOrWrong) {
  const std::vector<SourceEpisode> sources{samples::six_tasks().front()};

  const auto lines = traces(export_concur(sources, {}, options()));

  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0]["len_tokens"], 12);
  EXPECT_DOUBLE_EQ(lines[0]["arl"].get<double>(), (12 + 40 + 50 + 60 + 90) / 5.0);
  EXPECT_EQ(lines[0]["tokenizer"], "warpmind-pieces-1");
  EXPECT_EQ(lines[0]["arch"], "sm_90");
}

TEST(Concur, ASpeedupInsideTheNoiseCountsAsEqual) {
  const auto picks = [](double fastest) {
    const std::vector<SourceEpisode> sources{
        episode(1, "noise", {{improved, 1.30, 5}, {improved, fastest, 20}, {same, 1.0, 30}})};
    return export_concur(sources, {}, options()).lines;
  };
  EXPECT_EQ(picks(1.31), 1);
  EXPECT_EQ(picks(1.40), 0);
}

TEST(Concur, FewerThanThreeRightAttemptsSayNothing) {
  const std::vector<SourceEpisode> sources{
      episode(1, "few", {{improved, 3, 5}, {improved, 2, 20}, {wrong, 1, 30}})};

  EXPECT_EQ(export_concur(sources, {}, options()).lines, 0);
}

TEST(Concur, CopiesAreLeftOut) {
  auto sources =
      std::vector{episode(1, "one", {{improved, 2.0, 5}, {same, 1.0, 20}, {same, 1.0, 30}}),
                  episode(2, "two", {{improved, 1.9, 5}, {same, 1.0, 20}, {same, 1.0, 30}}),
                  episode(3, "three", {{improved, 1.8, 5}, {same, 1.0, 20}, {same, 1.0, 30}})};
  const std::string source = samples::kernel_source(7);
  sources[0].episode.steps[1].candidate.kernel.source = source;
  sources[1].episode.steps[1].candidate.kernel.source = "/* same */ " + source;
  sources[2].episode.steps[1].candidate.kernel.source = source + "int unused;\n";

  const Exported exported = export_concur(sources, {}, options());

  EXPECT_EQ(exported.lines, 1);
  EXPECT_EQ(exported.duplicates, 2);
  EXPECT_NE(exported.text.find("e-0000000001"), std::string::npos);
}

TEST(Concur, OneKindOfOperatorIsNotBalanced) {
  const std::vector<SourceEpisode> sources{samples::six_tasks().front()};

  const Exported exported = export_concur(sources, {}, options());

  EXPECT_EQ(exported.unbalanced, 0);
  ASSERT_EQ(exported.notes.size(), 1U);
  EXPECT_EQ(exported.notes[0], "there are only single operators: nothing was balanced");
}

TEST(Concur, TracesOfTheSimulatorOnlyWhenAskedFor) {
  auto sources = std::vector{samples::six_tasks().front()};
  sources[0].episode.provider = Provider::sim;

  EXPECT_EQ(export_concur(sources, {}, options()).lines, 0);
  auto simulated = options();
  simulated.provider = Provider::sim;
  EXPECT_EQ(export_concur(sources, {}, simulated).lines, 2);
}

}  // namespace
}  // namespace warpmind::agents
