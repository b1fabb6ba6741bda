#include "agents/builtin/explain_moves.h"

#include "scene_of.h"
#include "strange_sources.h"

#include <set>

namespace warpmind::agents::builtin {
namespace {

struct Given {
  explicit Given(Task of) : task(std::move(of)) {}
  Task task;
  Bottleneck bottleneck;
  Advice advice;
  DeviceSpec device;
  ProposalContext context{task, task.kernel, bottleneck, advice, device};
};

/// Ids are those of the base: nothing but small letters, digits and '_'.
TEST(TechniqueTable, NamesAreUniqueAndEverythingSaysWhy) {
  std::set<std::string_view> names;
  for (const auto& technique : techniques()) {
    EXPECT_TRUE(names.insert(technique.name).second) << technique.name;
    EXPECT_EQ(technique.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789"),
              std::string_view::npos);
    EXPECT_FALSE(technique.rationale.empty()) << technique.name;
    EXPECT_FALSE(technique.rationale.ends_with('.')) << technique.name;
  }
}

TEST(TechniqueTable, StrangeSourcesAreRefusedOrStayWhole) {
  for (const auto& strange : strange_sources()) {
    const Given given(strange_task(strange));
    const auto scene = Scene::read(given.context);
    if (!scene) continue;
    const bool was_whole = !scene->tree().node(0).has_error;
    for (const auto& technique : techniques()) {
      const Offer offer = technique.offer(*scene);
      EXPECT_EQ(offer.moves.empty(), !offer.refusal.empty())
          << technique.name << " on " << strange.name;
      for (const auto& move : offer.moves) {
        const auto kernel = technique.apply(*scene, move.parameters);
        ASSERT_TRUE(kernel.has_value() && *kernel != scene->kernel())
            << technique.name << " " << move.parameters << " on " << strange.name;
        const auto read = CudaSource::read(kernel->source);
        ASSERT_TRUE(read.has_value()) << technique.name << " on " << strange.name;
        if (was_whole) {
          EXPECT_FALSE(read->tree.node(0).has_error)
              << technique.name << " " << move.parameters << " on " << strange.name << ":\n"
              << kernel->source.substr(0, 4000);
        }
        // The rest of the launch plan still names kernels that there are.
        for (const auto& launch : kernel->plan.launches) {
          if (scene->source().kernel(launch.kernel) == nullptr &&
              scene->function_of(0) == nullptr) {
            continue;
          }
          EXPECT_NE(read->kernel(launch.kernel), nullptr)
              << technique.name << " on " << strange.name;
        }
      }
    }
  }
}

TEST(TechniqueTable, LongFilesAreLookedAt) {
  StrangeSource strange = strange_sources().front();
  for (int i = 0; i < 20'000; ++i) {
    strange.source += "__device__ int filler" + std::to_string(i) + "(int a) { return a + 1; }\n";
  }
  const Given given(strange_task(strange));
  const auto scene = Scene::read(given.context);
  ASSERT_TRUE(scene.has_value());
  for (const auto& technique : techniques()) {
    if (technique.name == "block_size") {
      EXPECT_FALSE(technique.offer(*scene).moves.empty());
    }
  }
}

TEST(TechniqueTable, NonsenseParametersAreRefused) {
  const Given given(strange_task(strange_sources().front()));
  const auto scene = Scene::read(given.context);
  ASSERT_TRUE(scene.has_value());
  for (const auto& technique : techniques()) {
    for (const char* text : {"nonsense", "=", ";;;", "lanes=-1", "factor=99999999999999999999"}) {
      if (technique.parameters.empty()) continue;
      EXPECT_FALSE(technique.apply(*scene, text).has_value()) << technique.name << " " << text;
    }
  }
}

TEST(ExplainMoves, AFileAloneIsLookedAtWithoutLaunches) {
  Task task;
  task.kernel.source = strange_sources().front().source;
  const Given given(task);
  const auto explained = explain_moves(given.context, {});
  ASSERT_TRUE(explained.has_value());
  ASSERT_EQ(explained->size(), techniques().size());
  for (const auto& technique : *explained) {
    EXPECT_EQ(technique.moves.empty(), !technique.refusal.empty()) << technique.technique;
    // What holds for every launch of none is not known.
    static const std::set<std::string> kNeedNoLaunch{
        "restrict", "unroll", "fast_math", "fast_intrinsics", "register_limit", "demote_double"};
    if (!kNeedNoLaunch.contains(technique.technique)) {
      EXPECT_TRUE(technique.moves.empty()) << technique.technique;
    }
    for (const char* untrue : {"already", "one launch", "is defined here"}) {
      EXPECT_EQ(technique.refusal.find(untrue), std::string::npos) << technique.refusal;
    }
    for (const auto& move : technique.moves)
      EXPECT_GE(move.predicted_gain, 1) << technique.technique;
  }
}

TEST(ExplainMoves, AFileWithoutAKernelHasNoMoves) {
  Task task;
  task.kernel.source = "__device__ float half_of(float x) { return x / 2.0; }\nint main() {}\n";
  const Given given(task);
  const auto explained = explain_moves(given.context, {});
  ASSERT_TRUE(explained.has_value());
  for (const auto& technique : *explained) {
    EXPECT_TRUE(technique.moves.empty()) << technique.technique;
    EXPECT_EQ(technique.refusal, "the file defines no kernel");
  }
}

TEST(ExplainMoves, OneTechniqueAndOneMove) {
  const Given given(strange_task(strange_sources().front()));
  const auto one = explain_moves(given.context, {"block_size", "block=256x1x1"});
  ASSERT_TRUE(one.has_value());
  ASSERT_EQ(one->size(), 1U);
  ASSERT_TRUE(one->front().rewritten.has_value());
  EXPECT_EQ(one->front().rewritten->plan.launches[0].block[0], "256");
  EXPECT_EQ(one->front().kernels, std::vector<std::string>{"scale"});

  const auto unknown = explain_moves(given.context, {"no_such", ""});
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().code, Errc::not_found);
  EXPECT_NE(unknown.error().message.find("block_size"), std::string::npos);
  EXPECT_FALSE(explain_moves(given.context, {"block_size", "block=7x1x1"}).has_value());
}

}  // namespace
}  // namespace warpmind::agents::builtin
