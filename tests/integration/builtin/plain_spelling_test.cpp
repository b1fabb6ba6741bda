#include "agents/builtin/loops/plain_spelling.h"

#include "config/device_table.h"
#include "tests/integration/builtin/product_task.h"

#include <gtest/gtest.h>

namespace warpmind::rewrites {
namespace {

/// One thread a channel; `body` runs behind the guard.
Task channel_task(const std::string& body) {
  const std::string source =
      "__global__ void k(const float* x, float* mean, float* spread, int images, int channels,\n"
      "                  int pixels) {\n"
      "  const int channel = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (channel >= channels) return;\n" +
      body + "}\n";
  return task_of(
      "extern \"C\" " + source,
      {ranged("x", Dtype::f32, {"images", "channels", "pixels"}, -8, 8),
       inout("mean", Dtype::f32, {"channels"}), output("spread", Dtype::f32, {"channels"})},
      {launch_of("k", {"ceil_div(channels, block_x)", "1", "1"}, {"32", "1", "1"},
                 {"x", "mean", "spread", "i32:images", "i32:channels", "i32:pixels"})},
      {{{"images", 3}, {"channels", 7}, {"pixels", 130}},
       {{"images", 1}, {"channels", 1}, {"pixels", 1}},
       {{"images", 2}, {"channels", 33}, {"pixels", 65}}});
}

const char* const kDeclaredBefore = R"(
  int n, p;
  mean[channel] = 0;
  for (n = 0; n < images; ++n) {
    for (p = 0; p < pixels; ++p) mean[channel] += x[(n * channels + channel) * pixels + p];
  }
  mean[channel] *= 2.0f;
  spread[channel] = 0;
  for (n = 0; n < images; ++n) {
    for (p = 0; p < pixels; ++p) {
      const float v = x[(n * channels + channel) * pixels + p];
      spread[channel] = spread[channel] + v * v;
    }
  }
)";

const char* const kWhile = R"(
  float sum = 0, most = -100;
  int n = 0;
  while (n < images) {
    int p = 0;
    while (p < pixels) {
      sum += x[(n * channels + channel) * pixels + p];
      most = fmaxf(most, x[(n * channels + channel) * pixels + p]);
      p++;
    }
    n = n + 1;
  }
  mean[channel] = sum, spread[channel] = most;
)";

const char* const kAddedTo = R"(
  int p = channel % 2;
  spread[channel] = 1;
  for (; p < pixels; p += 2) mean[channel] += x[channel * pixels + p];
)";

class PlainSpellingTest : public RewriteTest {
 protected:
  void expect_normal_same(const Task& task) {
    const auto table = config::DeviceTable::load();
    ASSERT_TRUE(table.has_value());
    const Bottleneck bottleneck;
    const Advice advice;
    const auto device = table->find("h200");
    const agents::ProposalContext context{task, task.kernel, bottleneck, advice, *device};
    const auto scene = agents::builtin::Scene::read(context);
    ASSERT_TRUE(scene.has_value());
    const auto normal = agents::builtin::plain_spelling(*scene);
    ASSERT_TRUE(normal.has_value());
    expect_same(task, *normal);
  }
};

TEST_F(PlainSpellingTest, ComputesTheSame) {
  for (const char* const body : {kDeclaredBefore, kWhile, kAddedTo}) {
    expect_normal_same(channel_task(body));
  }
}

TEST_F(PlainSpellingTest, TechniquesTakeOrdinarySpellings) {
  expect_all_same(channel_task(kDeclaredBefore), "warp_per_output");
}

TEST_F(PlainSpellingTest, AProductSummedInItsOutputIsLifted) {
  Task task = product("float", "", Dtype::f32, "row * k + i", "i * n + column");
  auto& source = task.kernel.source;
  source.erase(source.find("  float sum"));
  source +=
      "  int i;\n"
      "  c[row * n + column] = 0;\n"
      "  for (i = 0; i < k; i++) c[row * n + column] += a[row * k + i] * b[i * n + column];\n"
      "}\n";
  expect_all_same(task, "simt_contraction");
}

TEST_F(PlainSpellingTest, ALostStoreIsNoticed) {
  const Task task = channel_task(kDeclaredBefore);
  const auto kernel = rewritten(task, "warp_per_output", "kernel=k;lanes=32");
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  expect_noticed(task, broken(*kernel, "mean[channel] = mean_value;", ";"));
}

}  // namespace
}  // namespace warpmind::rewrites
