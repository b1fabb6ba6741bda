#include "tests/unit/builtin/scene_of.h"

#include <gtest/gtest.h>

namespace warpmind::agents::builtin {
namespace {

Argument argument(std::string name, ArgumentKind kind, Dtype dtype,
                  std::vector<std::string> shape) {
  Argument made;
  made.name = std::move(name);
  made.kind = kind;
  made.dtype = dtype;
  made.shape = std::move(shape);
  return made;
}

/// A product of matrices with `body` inside of the loop over i; `before` stands above it.
SceneOf product(const std::string& body, const std::string& before = "",
                const std::string& type = "__half", const std::string& after = "") {
  const std::string source =
      "#include <cuda_fp16.h>\n"
      "// Not to be touched.\n"
      "__global__ void other(float* y) { y[threadIdx.x] = 1.0f; }\n"
      "extern \"C\" __global__ void gemm(const " +
      type + "* a, const " + type +
      "* b, float* c, const int* list, int m, int n, int k) {\n"
      "  const int column = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  const int row = blockIdx.y * blockDim.y + threadIdx.y;\n"
      "  if (row >= m || column >= n) return;\n"
      "  float sum = 0.0f;\n" +
      before + "  for (int i = 0; i < k; ++i) {\n    " + body +
      "\n  }\n"
      "  c[row * n + column] = sum;  // the tail\n" +
      after + "}\n";
  const Dtype dtype = type == "float" ? Dtype::f32 : Dtype::f16;
  return {source,
          {argument("a", ArgumentKind::in, dtype, {"m", "k"}),
           argument("b", ArgumentKind::in, dtype, {"k", "n"}),
           argument("c", ArgumentKind::out, Dtype::f32, {"m", "n"}),
           argument("list", ArgumentKind::in, Dtype::i32, {"k"})},
          {{"gemm",
            {"ceil_div(n, block_x)", "ceil_div(m, block_y)", "1"},
            {"16", "16", "1"},
            "0",
            {"a", "b", "c", "list", "i32:m", "i32:n", "i32:k"}}},
          {{{"m", 128}, {"n", 192}, {"k", 64}}, {{"m", 3}, {"n", 5}, {"k", 7}}}};
}

const std::string kPlainTerm =
    "sum += __half2float(a[row * k + i]) * __half2float(b[i * n + column]);";

std::string refusal(const SceneOf& scene, std::string_view technique = "tensor_core_mma") {
  const Offer offer = scene.offer(technique);
  EXPECT_TRUE(offer.moves.empty());
  return offer.refusal;
}

TEST(ContractionTest, ThePlanCoversTheOutputsAndTheRestStays) {
  const auto scene = product(kPlainTerm);
  const Offer offer = scene.offer("tensor_core_mma");
  ASSERT_GE(offer.moves.size(), 3U) << offer.refusal;
  EXPECT_LE(offer.moves.size(), 5U);
  for (const auto& move : offer.moves) EXPECT_GE(move.prior_gain, 1.0) << move.parameters;
  for (std::size_t i = 1; i + 1 < offer.moves.size(); ++i) {
    EXPECT_GE(offer.moves[i - 1].prior_gain, offer.moves[i].prior_gain);
  }
  const Kernel kernel = scene.apply("tensor_core_mma", "tile=64x32x32;vec=1");
  EXPECT_EQ(kernel.plan.launches[0].grid[0], "ceil_div((n), 32) * ceil_div((m), 64) * (1)");
  EXPECT_EQ(kernel.plan.launches[0].block[0], "128");
  for (const char* kept :
       {"// Not to be touched.\n__global__ void other(float* y) { y[threadIdx.x] = 1.0f; }",
        "{ wm_out.at = &(c[row * n + column]); wm_out.value = sum; }  // the tail",
        "if (row >= m || column >= n) return;", "<__half, 64, 32, 32, 2, 2, true, false, 8, 8>",
        "return &a[row * k + i];", "return &b[i * n + column];", "sum += wm_sum;",
        "extern \"C\" __global__ __launch_bounds__(128, 3) void gemm("}) {
    EXPECT_NE(kernel.source.find(kept), std::string::npos) << kept << "\n" << kernel.source;
  }
}

TEST(ContractionTest, AParameterThatIsChangedBeforeTheSumIsNotLifted) {
  EXPECT_EQ(refusal(product("sum += __half2float(a[i]) * __half2float(b[i * n + column]);",
                            "  a += row * k;\n")),
            "'a' is changed before the sum");
}

TEST(ContractionTest, TilesInFlightNeedNeighboursInMemoryAndADeviceThatCopies) {
  auto scene = product(kPlainTerm);
  const Offer offer = scene.offer("async_copy_pipeline");
  ASSERT_GE(offer.moves.size(), 3U) << offer.refusal;
  const Kernel kernel = scene.apply("async_copy_pipeline", "tile=64x64x64;stages=3");
  EXPECT_EQ(kernel.plan.launches[0].block[0], "128");
  EXPECT_EQ(kernel.plan.launches[0].shared_bytes, "49152");
  for (const char* kept : {"<__half, 64, 64, 64, 2, 2, 3, true, false, true, true>",
                           "// Not to be touched.", "return &a[row * k + i];"}) {
    EXPECT_NE(kernel.source.find(kept), std::string::npos) << kept << "\n" << kernel.source;
  }
  const auto& technique = SceneOf::technique_called("async_copy_pipeline");
  for (const char* text : {"", "tile=64x64x64", "tile=1x1x1;stages=3", "tile=64x64x64;stages=9",
                           "tile=64x64x64;stages=3;launch=4", "tile=256x128x32;stages=7"}) {
    EXPECT_EQ(technique.apply(scene.scene(), text), std::nullopt) << text;
  }
  // Four of the largest tiles take 96 KiB.
  EXPECT_NE(technique.apply(scene.scene(), "tile=128x256x32;stages=4"), std::nullopt);
  scene.device().shared_kib_per_block = 64;
  EXPECT_EQ(technique.apply(scene.scene(), "tile=128x256x32;stages=4"), std::nullopt);
  scene.device().compute_major = 7;
  scene.device().compute_minor = 5;
  EXPECT_EQ(refusal(scene, "async_copy_pipeline"),
            "the device has no asynchronous copies to shared memory");
  EXPECT_EQ(refusal(product("sum += __half2float(a[row * k + i]) * __half2float(b[i * 2 * n + 2 * "
                            "column]);"),
                    "async_copy_pipeline"),
            "'b[i * 2 * n + 2 * column]' is not seen to stay inside of its buffer");
  EXPECT_EQ(refusal(product("if (column > 1) " + kPlainTerm), "async_copy_pipeline"),
            "neighbours of 'b[i * n + column]' do not lie side by side in memory");
}

TEST(ContractionTest, GroupsOfWarpsAreForOneCapabilityAndBuildForIt) {
  auto scene = product(kPlainTerm);
  EXPECT_EQ(refusal(scene, "wgmma_pipeline"),
            "only devices of compute capability 9.0 have products of warp groups");
  scene.device().compute_major = 9;
  scene.device().shared_kib_per_block = 227;
  scene.task().kernel.build_flags = {"-O2"};
  ASSERT_FALSE(scene.offer("wgmma_pipeline").moves.empty());
  const Kernel kernel = scene.apply("wgmma_pipeline", "tile=128x64x64;stages=4");
  EXPECT_EQ(kernel.build_flags, (std::vector<std::string>{"-O2", "-arch=sm_90a"}));
  EXPECT_EQ(kernel.plan.launches[0].block[0], "256");
  EXPECT_EQ(kernel.plan.launches[0].shared_bytes, "99328");
  EXPECT_NE(kernel.source.find("<__half, 2, 64, 4, true, false, true, true>"), std::string::npos);
  scene.device().compute_major = 10;
  EXPECT_FALSE(refusal(scene, "wgmma_pipeline").empty());
}

TEST(ContractionTest, Tf32IsForContractsThatAllowIt) {
  auto scene = product("sum += a[row * k + i] * b[i * n + column];", "", "float");
  EXPECT_EQ(refusal(scene, "tf32_math"), "the contract does not allow tf32");
  scene.task().contract.tf32_allowed = true;
  EXPECT_FALSE(scene.offer("tf32_math").moves.empty());
  const Kernel kernel = scene.apply("tf32_math", "tile=64x64x32;stages=3");
  EXPECT_EQ(kernel.plan.launches[0].shared_bytes, "49152");
  auto half = product(kPlainTerm);
  half.task().contract.tf32_allowed = true;
  EXPECT_EQ(refusal(half, "tf32_math"), "the operands are '__half' and '__half'");
}

TEST(ContractionTest, LayersThatTheGridCountsBecomeAParameter) {
  auto scene = product(
      "sum += __half2float(a[(layer * m + row) * k + i]) * "
      "__half2float(b[(layer * k + i) * n + column]);",
      "  const int layer = blockIdx.z;\n");
  for (auto* shape : {&scene.task().arguments[0].shape, &scene.task().arguments[1].shape}) {
    shape->insert(shape->begin(), "layers");
  }
  for (auto& workload : scene.task().workloads) workload.sizes["layers"] = 11;
  scene.task().kernel.plan.launches[0].grid[2] = "layers";
  const Kernel kernel = scene.apply("tensor_core_mma", "tile=64x64x32;vec=1");
  EXPECT_EQ(kernel.plan.launches[0].grid[0], "ceil_div((n), 64) * ceil_div((m), 64) * ((layers))");
  EXPECT_EQ(kernel.plan.launches[0].grid[2], "1");
  EXPECT_EQ(kernel.plan.launches[0].arguments.back(), "u32:layers");
  EXPECT_NE(kernel.source.find("int k, unsigned wm_layers_z)"), std::string::npos);
}

TEST(ContractionTest, TailsWithOneStoreAreWrittenWide) {
  const auto tail_of = [](const std::string& after) {
    return product(kPlainTerm, "", "__half", after)
        .apply("tensor_core_mma", "tile=64x64x32;vec=1")
        .source;
  };
  EXPECT_NE(tail_of("").find("wm_wide_tail<float>(wm_finish)"), std::string::npos);
  for (const char* after :
       {"  c[0] = 1.0f;\n", "  c[0] += 1.0f;\n", "  ++c[0];\n", "  *c = sum;\n"}) {
    const std::string text = tail_of(after);
    EXPECT_NE(text.find("wm_single_tail(wm_finish)"), std::string::npos) << after;
    EXPECT_EQ(text.find("wm_out"), text.find("wm_output"));
  }
}

TEST(ContractionTest, RefusesWhatIsNoContraction) {
  EXPECT_EQ(refusal(product("sum += __half2float(a[row * k + i]);")),
            "the sum is not one of products of two elements");
  EXPECT_EQ(refusal(product("c[row * n + column] += i;")),
            "the loops keep their sum in memory, in 'c[row * n + column]'");
  EXPECT_EQ(refusal(product("int twice = i;")), "no loop sums into a float");
  EXPECT_EQ(refusal(product("if (i == 3) break; " + kPlainTerm)),
            "an if stands in the loop of the sum");
  EXPECT_EQ(refusal(product(kPlainTerm + " sum *= 2.0f;")), "the loops keep several sums");
  EXPECT_NE(refusal(product(kPlainTerm, "  __shared__ float tile[16];\n")).find("shared memory"),
            std::string::npos);
  EXPECT_EQ(refusal(product(kPlainTerm, "  c[0] = 1.0f;\n")), "memory is written before the sum");
  EXPECT_NE(refusal(product(kPlainTerm, "  int at = 0;\n  for (; at < 3; ++at) sum += at;\n")), "");
  EXPECT_EQ(refusal(product("float w = i; sum += w * __half2float(b[i * n + column]);")),
            "'w' is not an element of a buffer");
}

TEST(ContractionTest, RefusesWhatDependsOnDataOrOnBothSides) {
  EXPECT_EQ(refusal(product("if (list[i] > 0) " + kPlainTerm)), "'list[i] > 0' depends on data");
  EXPECT_EQ(refusal(product("if (row + column > i) " + kPlainTerm)),
            "'row + column > i' depends on both operands' outputs");
  EXPECT_EQ(
      refusal(
          product("sum += __half2float(a[row * k + list[i]]) * __half2float(b[i * n + column]);")),
      "each element of 'a[row * k + list[i]]' is used for all outputs alike: there is nothing "
      "to reuse in a tile");
  EXPECT_EQ(refusal(product("sum += __half2float(a[row * k + i]) * __half2float(b[i * n + row]);")),
            "each element of 'a[row * k + i]' is used for all outputs alike: there is nothing to "
            "reuse in a tile");
  EXPECT_EQ(refusal(product("sum += __half2float(a[row * k + i]) * "
                            "__half2float(b[(i + 1) * n + column]);")),
            "'b[(i + 1) * n + column]' is not seen to stay inside of its buffer");
}

TEST(ContractionTest, RefusesLoopsWhoseLengthVaries) {
  auto scene = product(kPlainTerm);
  auto& source = scene.task().kernel.source;
  source.replace(source.find("i < k"), 5, "i < row");
  EXPECT_EQ(refusal(scene), "the length of the loop over 'i' varies with the thread");
}

TEST(ContractionTest, IsLiftedOnce) {
  auto scene = product(kPlainTerm);
  const Kernel lifted = scene.apply("tensor_core_mma", "tile=64x64x32;vec=1");
  scene.task().kernel = lifted;
  EXPECT_NE(refusal(scene), "");
  EXPECT_NE(refusal(scene, "split_k"), "");
}

TEST(ContractionTest, EachTechniqueTakesItsOwnElements) {
  const auto single = product("sum += a[row * k + i] * b[i * n + column];", "", "float");
  EXPECT_EQ(refusal(single), "the operands are 'float' and 'float'");
  EXPECT_FALSE(single.offer("simt_contraction").moves.empty());
  EXPECT_EQ(refusal(product(kPlainTerm), "simt_contraction"),
            "the operands are '__half' and '__half'");
}

TEST(ContractionTest, RefusesExactContractsAliasesAndSecondLaunches) {
  auto exact = product(kPlainTerm);
  exact.task().contract.tolerance = ToleranceClass::exact;
  EXPECT_EQ(refusal(exact), "the contract wants exact results");
  auto alias = product("sum += a[row * k + i] * b[i * n + column];", "", "float");
  alias.task().kernel.plan.launches[0].arguments[2] = "a";
  EXPECT_EQ(refusal(alias, "simt_contraction"), "'a' is written by the same launch");
  auto twice = product(kPlainTerm);
  twice.task().kernel.plan.launches.push_back(twice.task().kernel.plan.launches[0]);
  EXPECT_EQ(refusal(twice), "'gemm' is launched more than once");
}

TEST(ContractionTest, GuardsGoToTheOperandThatTheyBelongTo) {
  const auto scene = product("if (row > 0 && column > 1 && i > 2) " + kPlainTerm);
  const Kernel kernel = scene.apply("tensor_core_mma", "tile=64x64x32;vec=0");
  const auto left = kernel.source.find("const auto wm_left");
  const auto right = kernel.source.find("const auto wm_right");
  const auto finish = kernel.source.find("const auto wm_finish");
  ASSERT_NE(finish, std::string::npos);
  const auto stands = [&](const char* text, std::size_t from, std::size_t to) {
    const auto at = kernel.source.find(text, from);
    return at != std::string::npos && at < to;
  };
  EXPECT_TRUE(stands("if (!(row > 0)) return nullptr;", left, right));
  EXPECT_FALSE(stands("if (!(row > 0))", right, finish));
  EXPECT_TRUE(stands("if (!(column > 1)) return nullptr;", right, finish));
  EXPECT_FALSE(stands("if (!(column > 1))", left, right));
  EXPECT_TRUE(stands("if (!(i > 2))", left, right));
  EXPECT_TRUE(stands("if (!(i > 2))", right, finish));
}

TEST(ContractionTest, SplittingAddsALaunchAndScratchForTheParts) {
  EXPECT_EQ(refusal(product(kPlainTerm), "split_k"), "the sums have only 64 terms");
  auto deep = product(kPlainTerm);
  deep.task().workloads[0].sizes["k"] = 4096;
  const Offer offer = deep.offer("split_k");
  ASSERT_FALSE(offer.moves.empty()) << offer.refusal;
  const Kernel kernel = deep.apply("split_k", "tile=64x64x32;vec=1;splits=8");
  ASSERT_EQ(kernel.plan.launches.size(), 2U);
  EXPECT_EQ(kernel.plan.launches[0].kernel, "wm_parts_of_gemm");
  EXPECT_EQ(kernel.plan.launches[0].grid[0], "ceil_div((n), 64) * ceil_div((m), 64) * (1) * 8");
  EXPECT_EQ(kernel.plan.launches[0].arguments.back(), "u32:8");
  EXPECT_EQ(kernel.plan.launches[1].kernel, "gemm");
  EXPECT_EQ(kernel.plan.launches[1].block[0], "16");
  EXPECT_EQ(kernel.plan.launches[1].arguments.size(), 9U);
  ASSERT_EQ(kernel.plan.scratch.size(), 1U);
  EXPECT_EQ(kernel.plan.scratch[0].elements, "8 * ((m)) * ((n)) * (1)");
  EXPECT_NE(kernel.source.find("c[row * n + column] = sum;  // the tail"), std::string::npos);
  auto wide = product(kPlainTerm);
  wide.task().workloads[0].sizes = {{"m", 4096}, {"n", 4096}, {"k", 4096}};
  EXPECT_EQ(refusal(wide, "split_k"), "the tiles of the output fill the device already");
}

TEST(ContractionTest, OutputsThatAreTakenApartByDivisionKeepTheirNames) {
  auto scene = product(kPlainTerm);
  auto& kernel = scene.task().kernel;
  const auto put = [&](const std::string& from, const std::string& to) {
    const auto at = kernel.source.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    kernel.source.replace(at, from.size(), to);
  };
  put("const int column = blockIdx.x * blockDim.x + threadIdx.x;",
      "const unsigned flat = blockIdx.x * blockDim.x + threadIdx.x;");
  put("const int row = blockIdx.y * blockDim.y + threadIdx.y;",
      "const int column = flat % n, row = flat / n;");
  put("row >= m || column >= n", "flat >= m * n");
  kernel.plan.launches[0].grid = {"ceil_div(m * n, block_x)", "1", "1"};
  kernel.plan.launches[0].block = {"128", "1", "1"};
  const Kernel lifted = scene.apply("tensor_core_mma", "tile=64x64x32;vec=1");
  EXPECT_EQ(lifted.plan.launches[0].grid[0].substr(0, 17), "ceil_div((n), 64)") << lifted.source;
  EXPECT_NE(lifted.source.find("return &a[row * k + i];"), std::string::npos);
  EXPECT_NE(lifted.source.find("row = static_cast<int>(wm_digit_1)"), std::string::npos);
}

TEST(ContractionTest, StrangeParametersMakeNothing) {
  const auto scene = product(kPlainTerm);
  const auto& technique = SceneOf::technique_called("tensor_core_mma");
  for (const char* text : {"", "tile=64x64x32", "tile=1x1x1;vec=1", "tile=64x64x32;vec=2",
                           "tile=64x64x32;vec=1;launch=7", "nonsense"}) {
    EXPECT_EQ(technique.apply(scene.scene(), text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace warpmind::agents::builtin
