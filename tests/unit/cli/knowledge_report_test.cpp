#include "clients/cli/report/insight_report.h"
#include "clients/cli/report/knowledge_tables.h"
#include "clients/cli/report/technique_report.h"
#include "clients/cli/report/upkeep_report.h"

#include <cmath>

#include <gtest/gtest.h>

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;
const Style kPlain{.paint = Paint{false}, .columns = 80};

Insight sample_insight() {
  Insight insight;
  insight.id = InsightId("i-3fa85b1c00112233");
  insight.claim = "Eight halves a load fill the memory bus of a row-wise kernel.";
  insight.mechanism = "Fewer, wider requests.";
  insight.action = {{"vectorized_loads"}, "width=8"};
  insight.scope.dtypes = {Dtype::f16, Dtype::bf16};
  insight.scope.bottlenecks = {BottleneckClass::memory_bandwidth};
  insight.scope.capability_min = 80;
  insight.state = InsightState::confirmed;
  insight.trust = Trust::t3;
  insight.state_reason = "3 episodes agree";
  insight.provenance.source = "episodes";
  insight.provenance.author = "builtin critic";
  insight.created = 12;
  insight.created_at = UnixMillis{1'795'000'000'000};
  insight.changed = 1019;
  insight.changed_at = UnixMillis{1'795'000'060'000};
  insight.utility = {.mean = std::log(1.31),
                     .deviation = 0.05,
                     .low = std::log(1.22),
                     .high = std::log(1.41),
                     .observations = 4};
  EvidenceRef& evidence = insight.evidence.emplace_back();
  evidence.episode = EpisodeId("e-0000000007");
  evidence.step = 3;
  evidence.task = TaskId("t-00ff");
  evidence.operator_family = "softmax";
  evidence.device = "NVIDIA H200";
  evidence.log_gain = std::log(1.4);
  return insight;
}

TEST(InsightReport, ShowsOneInsight) {
  EXPECT_EQ(render_insight(sample_insight(), kPlain),
            "i-3fa85b1c00112233  positive, confirmed, trust T3\n"
            "  Eight halves a load fill the memory bus of a row-wise kernel.\n"
            "  because: Fewer, wider requests.\n"
            "  do       vectorized_loads with width=8\n"
            "  holds    f16, bf16; memory_bandwidth; compute capability from 8.0\n"
            "  gain     1.31× (1.22× to 1.41×), 4 observations\n"
            "  state    confirmed: 3 episodes agree\n"
            "  said by  episodes, builtin critic\n"
            "  space    user\n"
            "  made     change 12, 2026-11-18 11:06:40 UTC\n"
            "  changed  change 1 019, 2026-11-18 11:07:40 UTC\n");
}

TEST(InsightReport, AClaimHasNoGainAndHoldsEverywhere) {
  const Insight claim;

  const std::string text = render_insight(claim, kPlain);

  EXPECT_NE(text.find("gain     not measured here\n"), std::string::npos) << text;
  EXPECT_NE(text.find("holds    everywhere\n"), std::string::npos) << text;
}

TEST(InsightReport, SearchIsAListWithReasons) {
  RetrievalAnswer result;
  RetrievedInsight& found = result.insights.emplace_back();
  found.id = InsightId("i-3fa85b1c00112233");
  found.kind = InsightKind::negative;
  found.claim = "Unrolling by 16 spills registers.";
  found.action.techniques = {"unroll"};
  found.why = "text rank 2";
  result.documents = 100'000;
  result.candidates = 812;

  EXPECT_EQ(render_search(result, kPlain),
            "1  i-3fa85b1c  proposed T0, negative  not measured here  unroll\n"
            "   Unrolling by 16 spills registers.\n"
            "   (text rank 2)\n"
            "1 of 812 candidates; 100 000 in the index\n");
}

TEST(InsightReport, AnEmptySearchSaysWhy) {
  RetrievalAnswer result;
  result.note = "nothing applies: 12 insights are about other dtypes";

  EXPECT_EQ(render_search(result, kPlain),
            "nothing applies: 12 insights are about other dtypes\n"
            "0 of 0 candidates; 0 in the index\n");
}

TEST(InsightReport, WhyShowsEvidenceOtherBasesWorthAndDecisions) {
  protocol::KbWhyResult result;
  result.insight = sample_insight();
  Attestation& attestation = result.insight.attestations.emplace_back();
  attestation.origin = "00112233aabbccdd";
  attestation.supports = 2;
  attestation.mean_log_gain = std::log(1.2);
  result.lift = {.shown = 40, .withheld = 5, .lift = 0.1, .low = 0, .high = 0.2, .known = true};
  HistoryEntry& decision = result.decisions.emplace_back();
  decision.change = 1019;
  decision.actor = "gate";
  decision.summary = "confirmed";
  decision.reason = "3 episodes agree";

  const std::string text = render_why(result, kPlain);

  for (const char* part :
       {"evidence measured here\n",
        "  e-0000000007     3  for   1.40×  gpu       NVIDIA H200  softmax t-00ff\n",
        "  and 3 older ones, in the gain above\n", "what other bases say (no evidence here)\n",
        "  00112233aabbccdd  proposed    2        0  1.20×\n",
        "  1.11× (95 %: 1.000× to 1.22×): steps that saw it against steps that did not\n",
        "  40 steps saw it, from 5 it was withheld at random\n",
        "    1019  never  gate  confirmed  3 episodes agree\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n---\n" << text;
  }
}

TEST(InsightReport, HistoryMarksWhatWasUndone) {
  protocol::KbHistoryResult result;
  result.id = "i-3fa";
  HistoryEntry& entry = result.entries.emplace_back();
  entry.change = 7;
  entry.actor = "user:alice";
  entry.summary = "claim amended";
  entry.undone = true;

  EXPECT_NE(render_history(result, kPlain).find("user:alice  [undone] claim amended\n"),
            std::string::npos);
}

TEST(InsightReport, BlameNamesTheChangeOfEachField) {
  protocol::KbHistoryResult result;
  result.id = "i-3fa";
  result.blame = {{"claim", "Eight halves", 12, "user:alice"}};

  EXPECT_EQ(render_blame(result, kPlain),
            "i-3fa\n"
            "  change  by          field  value\n"
            "      12  user:alice  claim  Eight halves\n");
}

TEST(InsightReport, PrintsNoEscapeSequenceThatSomebodyElseWrote) {
  const std::string evil = "x\x1b[31m\xc2\x9b\x07\xe2\x80\xae\ny";
  Insight insight = sample_insight();
  for (std::string* text :
       {&insight.claim, &insight.mechanism, &insight.action.parameters, &insight.scope.device,
        &insight.state_reason, &insight.provenance.source, &insight.provenance.author,
        &insight.provenance.model, &insight.provenance.licence, &insight.space,
        &insight.evidence[0].device, &insight.evidence[0].operator_family}) {
    *text = evil;
  }
  insight.action.techniques = {evil};
  insight.scope.operator_families = {evil};
  insight.scope.contracts = {evil};
  insight.attestations.emplace_back().origin = evil;
  protocol::KbWhyResult why;
  why.insight = insight;
  HistoryEntry& entry = why.decisions.emplace_back();
  entry.actor = entry.reason = entry.summary = evil;
  Technique technique;
  technique.name = technique.title = technique.category = technique.when = technique.when_not =
      technique.how = technique.risks = technique.source = evil;
  technique.parameters = technique.aliases = {evil};
  technique.generations = {{evil, evil}};

  for (const std::string& text :
       {render_why(why, kPlain), render_changed(insight, "added", kPlain),
        render_technique(technique, kPlain), render_techniques({technique}, kPlain)}) {
    EXPECT_NE(text.find("?[31m"), std::string::npos);
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
    EXPECT_EQ(text.find('\x07'), std::string::npos);
    EXPECT_EQ(text.find("\xc2\x9b"), std::string::npos);
    EXPECT_EQ(text.find("\xe2\x80\xae"), std::string::npos);
  }
}

TEST(InsightReport, ColoursOnlyWhenAsked) {
  const Style painted{.paint = Paint{true}, .columns = 80};

  EXPECT_NE(render_insight(sample_insight(), painted).find("\x1b[32mconfirmed"), std::string::npos);
}

TEST(TechniqueReport, ShowsACardWithoutWhatItDoesNotSay) {
  Technique technique;
  technique.name = "vectorized_loads";
  technique.title = "Vectorised global loads";
  technique.category = "memory";
  technique.bottlenecks = {BottleneckClass::memory_bandwidth};
  technique.capability_min = 80;
  technique.when = "Rows are contiguous.";
  technique.parameters = {"width: 2, 4, 8"};
  technique.generations = {{"sm_90", "TMA is better for tiles."}};
  technique.typical_low = 1.1;
  technique.typical_high = 1.8;
  technique.source = "seed 1";
  technique.edited = true;

  EXPECT_EQ(render_technique(technique, kPlain),
            "vectorized_loads  Vectorised global loads\n"
            "  category: memory\n"
            "  against: memory_bandwidth\n"
            "  compute capability: from 8.0\n"
            "  typical gain: 1.10× to 1.80× where it applies; a claim, not a measurement\n"
            "  when: Rows are contiguous.\n"
            "  parameter: width: 2, 4, 8\n"
            "  on sm_90: TMA is better for tiles.\n"
            "  source: seed 1, edited here\n");
}

TEST(KnowledgeTables, FactsKeepEveryDigit) {
  protocol::KbFactsResult result;
  result.facts = {{"sm_90", "shared_bytes_per_sm", 233472, "bytes", "guide 16.2", ""}};

  EXPECT_EQ(render_facts(result, kPlain),
            "subject  fact                  value  unit   source\n"
            "sm_90    shared_bytes_per_sm  233472  bytes  guide 16.2\n");
}

TEST(KnowledgeTables, EdgesOfTheStartAndOfEveryDevice) {
  protocol::KbGraphResult result;
  EdgeStatistics& edge = result.edges.emplace_back();
  edge.to = "tiling";
  edge.counts.confirmed = {.weight = 3, .mean = std::log(1.5)};
  edge.better = 2;

  EXPECT_EQ(render_edges(result, kPlain),
            "from     to      cluster  device  provider   gain  measured  better  not feasible\n"
            "(start)  tiling  all      all     gpu       1.50×         3       2             0\n"
            "1 edge\n");
}

TEST(KnowledgeTables, SourcesSayWhoIsQuarantined) {
  protocol::KbSourcesResult result;
  result.sources = {{"seed", false, 40}, {"pack:00ff", true, 1200}};

  EXPECT_EQ(render_sources(result, kPlain),
            "source     insights  skills\n"
            "seed             40       0\n"
            "pack:00ff     1 200       0  quarantined\n");
}

TEST(KnowledgeTables, CalibrationNeedsPredictions) {
  Calibration result;
  EXPECT_EQ(render_calibration(result), "no step was both predicted and measured yet\n");

  result = {.predictions = 120,
            .coverage = 0.78,
            .coverage_low = 0.7,
            .coverage_high = 0.84,
            .spearman = 0.61,
            .bias = 0};
  EXPECT_EQ(render_calibration(result),
            "predictions                 120\n"
            "inside the 80 % interval    78.0 % (95 %: 70.0 to 84.0 %)\n"
            "rank correlation            0.610\n"
            "measured against predicted  1.000× on average\n");
}

TEST(UpkeepReport, ARebuildThatDiffersSaysWhere) {
  RebuildReport result;
  result.changes = 10;
  result.records = 30;
  result.seconds = 0.5;
  result.differences = {"posteriors: 2 of 30"};

  EXPECT_EQ(render_rebuild(result, kPlain),
            "10 changes replayed, 30 records written in 0.50 s\n"
            "not as before, and right now:\n"
            "  posteriors: 2 of 30\n");
}

TEST(UpkeepReport, AnImportNamesItsSource) {
  PackReport result;
  result.pack = "3fa85b1c00112233";
  result.origin = "00112233aabbccdd";
  result.added = 1;
  result.refused = 2;
  result.notes = {"line 7: the claim has 512 characters"};

  EXPECT_EQ(render_import(result, kPlain),
            "1 new claim, 0 attested once more, 0 known already, 2 refused\n"
            "source pack:3fa85b1c00112233, from base 00112233aabbccdd, not signed\n"
            "  line 7: the claim has 512 characters\n");
}

TEST(UpkeepReport, CopiesSayHowFarTheyReach) {
  const BackupInfo backup{3, 1042, "2026-11-21T20:15:00Z", 3'145'728, 0.25};

  EXPECT_EQ(render_backup(backup, "backed up to /b"),
            "backed up to /b: number 3, 3.00 MiB, up to change 1 042, in 0.25 s\n");
  EXPECT_EQ(render_copy(backup, "restored to /c"),
            "restored to /c: 3.00 MiB, up to change 1 042, from backup 3, in 0.25 s\n");
  EXPECT_EQ(render_backups({{backup}}),
            "id  at                    change      size\n"
            " 3  2026-11-21T20:15:00Z   1 042  3.00 MiB\n");
}

}  // namespace
}  // namespace warpmind::clients
