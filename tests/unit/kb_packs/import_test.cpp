#include "knowledge_base/packs/kernel_tuner.h"
#include "knowledge_base/packs/kernelblaster.h"
#include "knowledge_base/packs/pack_exchange.h"
#include "tests/unit/kb_packs/packs_fixture.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>

#include <gmock/gmock.h>

namespace warpmind::knowledge_base {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::filesystem::path data(const std::string& name) {
  return std::filesystem::path(WARPMIND_TEST_DATA) / "packs" / name;
}
std::string text_of(const std::string& name) { return read_file(data(name), 1U << 20U).value(); }

class ImportTest : public PacksTest {};

TEST_F(ImportTest, KernelBlasterBecomesClaims) {
  const auto base = open("base");
  PackExchange exchange(*base);
  ASSERT_TRUE(exchange.load_seed().has_value());
  const auto seeded = insights(*base).size();
  const auto report = exchange.import_kernelblaster(data("kernelblaster.json"), {});
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->refused, 1) << "the entry with a factor of a million";
  EXPECT_THAT(report->notes, testing::Contains(HasSubstr("no measurement")));
  EXPECT_EQ(insights(*base).size(), seeded + static_cast<std::size_t>(report->added));
  std::set<InsightKind> kinds;
  for (const auto& stored : insights(*base)) {
    const Insight& insight = stored.insight;
    if (insight.provenance.source == "seed") continue;
    EXPECT_EQ(insight.provenance.source, "kernelblaster:" + report->pack);
    EXPECT_EQ(insight.state, InsightState::proposed);
    EXPECT_EQ(insight.trust, Trust::t0);
    EXPECT_TRUE(insight.attestations.empty()) << "its means are no attestation";
    kinds.insert(insight.kind);
    for (const auto& name : insight.action.techniques) {
      EXPECT_TRUE(technique(*base, name).has_value() || name == "their_own_trick") << name;
    }
  }
  EXPECT_EQ(kinds.size(), 3U) << "positive, negative and composite";
  EXPECT_TRUE(exchange.import_kernelblaster(data("kernelblaster.json"), {}).value().added == 0);
}

TEST_F(ImportTest, KernelBlasterWordsSayWhatTheNumbersAre) {
  PackReport report;
  TechniqueNames names{{"vectorized_memory_access", "vectorized_loads"}};
  const auto claims = parse_kernelblaster(text_of("kernelblaster.json"), names, report);
  ASSERT_TRUE(claims.has_value()) << claims.error().message;
  const auto found = std::find(claims->names.begin(), claims->names.end(),
                               "memory_bandwidth_saturated vectorized_memory_access");
  ASSERT_NE(found, claims->names.end());
  const auto& first = claims->insights.at(static_cast<std::size_t>(found - claims->names.begin()));
  EXPECT_THAT(first.action.techniques, ElementsAre("vectorized_loads"));
  EXPECT_THAT(first.scope.bottlenecks, ElementsAre(BottleneckClass::memory_bandwidth));
  EXPECT_THAT(first.claim, HasSubstr("1.42 times over 12 uses there"));
  EXPECT_THAT(first.mechanism, HasSubstr("does not tell apart") /* honest about the mean */);
}

/// FOREIGN_FILES: a folder with files of the programs themselves, which are not ours to
/// keep: kernelblaster*.json and kernel_tuner*.json.
TEST_F(ImportTest, FilesOfTheProgramsThemselves) {
  const char* const folder = std::getenv("FOREIGN_FILES");
  if (folder == nullptr) GTEST_SKIP() << "FOREIGN_FILES is not set";
  const auto base = open("base");
  PackExchange exchange(*base);
  ASSERT_TRUE(exchange.load_seed().has_value());
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool blaster = name.starts_with("kernelblaster");
    if (!blaster && !name.starts_with("kernel_tuner")) continue;
    const auto report = blaster ? exchange.import_kernelblaster(entry.path(), {})
                                : exchange.import_kernel_tuner(entry.path(), {});
    if (!report) {
      std::printf("%s: %s\n", name.c_str(), report.error().message.c_str());
      EXPECT_EQ(report.error().code, Errc::invalid_argument);
      continue;
    }
    std::printf("%s: %ld added, %ld known, %ld refused\n", name.c_str(), report->added,
                report->unchanged, report->refused);
    for (const auto& note : report->notes) std::printf("  %s\n", note.c_str());
  }
}

TEST_F(ImportTest, OtherJsonIsRefusedAndNothingChanges) {
  const auto base = open("base");
  PackExchange exchange(*base);
  const auto before = state(*base);
  std::ofstream(path("x.json")) << "{\"a\":1}";
  std::ofstream(path("y.json")) << "[";
  for (const char* name : {"x.json", "y.json"}) {
    const auto blaster = exchange.import_kernelblaster(path(name), {});
    ASSERT_FALSE(blaster.has_value());
    EXPECT_EQ(blaster.error().code, Errc::invalid_argument);
    const auto tuner = exchange.import_kernel_tuner(path(name), {});
    ASSERT_FALSE(tuner.has_value());
    EXPECT_THAT(tuner.error().message, HasSubstr("is no Kernel Tuner cache"));
  }
  EXPECT_EQ(exchange.import_kernel_tuner(path("none.json"), {}).error().code, Errc::not_found);
  EXPECT_EQ(state(*base), before);
}

TEST_F(ImportTest, KernelTunerBestConfigurationsBecomeClaims) {
  const auto base = open("base");
  PackExchange exchange(*base);
  const auto report = exchange.import_kernel_tuner(data("kernel_tuner.json"), {});
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->added, 3);
  for (const auto& stored : insights(*base)) {
    const Insight& insight = stored.insight;
    EXPECT_EQ(insight.provenance.source, "kernel_tuner:" + report->pack);
    EXPECT_EQ(insight.scope.device, "NVIDIA H200");
    EXPECT_THAT(insight.scope.operator_families, ElementsAre("conv"));
    EXPECT_EQ(insight.state, InsightState::proposed);
    EXPECT_EQ(insight.trust, Trust::t0);
  }
}

TEST_F(ImportTest, KernelTunerGainsAreRelativeToTheMedian) {
  PackReport report;
  const auto claims = parse_kernel_tuner(text_of("kernel_tuner.json"), report);
  ASSERT_TRUE(claims.has_value()) << claims.error().message;
  ASSERT_EQ(claims->insights.size(), 3U);
  const auto& best = claims->insights.front();
  // 2.0 ms against a median of 4.0 ms over 7 timed configurations; 2 failed.
  EXPECT_THAT(best.claim, HasSubstr("2.00 times faster than the median of 7 configurations"));
  EXPECT_EQ(best.action.parameters, "block_size_x=32, block_size_y=4, tile_size=2");
  EXPECT_THAT(best.action.techniques, ElementsAre("parameter_search"));
  EXPECT_THAT(best.mechanism, HasSubstr("2 configurations failed"));
}

TEST_F(ImportTest, AnOpenKernelTunerCacheIsReadUpToItsLastEntry) {
  const std::string whole = text_of("kernel_tuner.json");
  const std::size_t last = whole.rfind("\"64,4,2\"");
  ASSERT_NE(last, std::string::npos);
  for (const std::size_t size : {last, last + 30, last - 1, last - 2}) {
    PackReport report;
    const auto claims = parse_kernel_tuner(whole.substr(0, size), report);
    ASSERT_TRUE(claims.has_value()) << size << ": " << claims.error().message;
    EXPECT_FALSE(claims->insights.empty());
  }
  EXPECT_EQ(closed_cache(whole), whole);
  EXPECT_EQ(closed_cache(R"({"a":{"x":{"s":"}]"},"y":{"t)"), R"({"a":{"x":{"s":"}]"}}})");
  // Cut off before the first entry.
  PackReport report;
  EXPECT_FALSE(parse_kernel_tuner(whole.substr(0, whole.find("\"cache\"")), report).has_value());
}

TEST_F(ImportTest, BlocksAloneAreTheBlockSizeTechnique) {
  std::string text = R"({"device_name":"NVIDIA H200","kernel_name":"vector_add",
    "problem_size":1000,"tune_params_keys":["block_size_x"],"cache":{)";
  for (int i = 0; i < 5; ++i) {
    text += (i > 0 ? ",\"" : "\"") + std::to_string(32 << i) + R"(":{"block_size_x":)" +
            std::to_string(32 << i) + R"(,"time":)" + std::to_string(5 - i) + "}";
  }
  PackReport report;
  const auto claims = parse_kernel_tuner(text + "}}", report);
  ASSERT_TRUE(claims.has_value()) << claims.error().message;
  EXPECT_THAT(claims->insights.front().action.techniques, ElementsAre("block_size"));
  EXPECT_EQ(claims->insights.front().action.parameters, "block=512x1x1");
  EXPECT_THAT(claims->insights.front().scope.operator_families, ElementsAre("elementwise"));
}

TEST_F(ImportTest, TextsOfOthersAreMadePlainBeforeTheyAreChecked) {
  EXPECT_EQ(plain_text("a\n<b>  c", 100), "a b c");
  EXPECT_EQ(plain_text("one two three", 8), "one two");
  EXPECT_EQ(technique_named({{"loop_tiling", "shared_memory_tiling"}}, "Loop Tiling!"),
            "shared_memory_tiling");
  EXPECT_EQ(technique_named({}, "Their Own/Trick"), "their_own_trick");
}

TEST_F(ImportTest, MarkdownIsStableAndReplacesItself) {
  const auto base = open("base");
  PackExchange exchange(*base);
  ASSERT_TRUE(exchange.load_seed().has_value());
  const auto report = exchange.export_markdown(path("md"), {});
  ASSERT_TRUE(report.has_value()) << report.error().message;
  const auto files = [&] {
    std::map<std::string, std::string> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path("md"))) {
      if (!entry.is_regular_file()) continue;
      all[entry.path().lexically_relative(path("md")).string()] =
          read_file(entry.path(), 1U << 20U).value();
    }
    return all;
  };
  const auto first = files();
  EXPECT_EQ(first.size(), static_cast<std::size_t>(report->techniques + report->insights + 1));
  EXPECT_THAT(first.at("techniques/block_size.md"), HasSubstr("# Another block shape"));
  EXPECT_THAT(first.at("index.md"), HasSubstr("| sm_90 | warps_per_sm | 64 | warps |"));
  ASSERT_TRUE(exchange.export_markdown(path("md"), {}).has_value());
  EXPECT_EQ(files(), first);
  // A claim that is no longer offered goes, what somebody else put there stays.
  const auto gone = insights(*base).front().insight;
  move(*base, gone.id, InsightState::retracted);
  std::ofstream(path("md/techniques/notes.md")) << "mine";
  ASSERT_TRUE(exchange.export_markdown(path("md"), {}).has_value());
  EXPECT_EQ(files().size(), first.size());
  EXPECT_EQ(files().at("techniques/notes.md"), "mine");
}

TEST_F(ImportTest, MarkdownDoesNotWriteIntoAForeignFolder) {
  const auto base = open("base");
  std::filesystem::create_directories(path("home"));
  std::ofstream(path("home/letter.txt")) << "dear";
  const auto report = PackExchange(*base).export_markdown(path("home"), {});
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().code, Errc::conflict);
  EXPECT_THAT(report.error().message, HasSubstr("name an empty folder"));
}

}  // namespace
}  // namespace warpmind::knowledge_base
