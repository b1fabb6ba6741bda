#include "base/codec/json_guard.h"
#include "config/device_table.h"
#include "lab_places.h"
#include "profilers/simulator/sass/fatbin.h"
#include "profilers/toolchain/build_cache.h"
#include "profilers/toolchain/build_flags.h"
#include "profilers/toolchain/kernel_toolchain.h"
#include "profilers/toolchain/occupancy.h"
#include "profilers/toolchain/ptxas_report.h"

#include <dlfcn.h>
#include <fstream>

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kTwice =
    "extern \"C\" __global__ void twice(const float* x, float* y, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) y[i] = 2.0f * x[i];\n"
    "}\n";

// nvcc 13.0 -cubin -arch=sm_90 -O3 -lineinfo -Xptxas -v --maxrregcount=32, shortened.
constexpr const char* kRealReport =
    "ptxas info    : Overriding maximum register limit 256 for 'sh' with  32 of maxrregcount "
    "option\n"
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function '_Z2tkIfEvPT_' for 'sm_90'\n"
    "ptxas info    : Function properties for _Z2tkIfEvPT_\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 8 registers, used 0 barriers\n"
    "ptxas info    : Compile time = 15.034 ms\n"
    "ptxas info    : Compiling entry function 'sh' for 'sm_90'\n"
    "ptxas info    : Function properties for sh\n"
    "    160 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 32 registers, used 1 barriers, 160 bytes cumulative stack size, 4096 "
    "bytes "
    "smem\n"
    "ptxas info    : Compile time = 27.369 ms\n"
    "ptxas info    : Function properties for helper\n"
    "    8 bytes stack frame, 16 bytes spill stores, 24 bytes spill loads\n"
    "ptxas info    : Compiling entry function 'spill' for 'sm_90'\n"
    "ptxas info    : Function properties for spill\n"
    "    1872 bytes stack frame, 2832 bytes spill stores, 3748 bytes spill loads\n"
    "ptxas info    : Used 32 registers, used 1 barriers, 1872 bytes cumulative stack size\n";

TEST(PtxasReport, ReadsWhatNvccPrints) {
  const auto kernels = parse_ptxas_report(kRealReport);

  EXPECT_THAT(kernels, ElementsAre(KernelResources{"_Z2tkIfEvPT_", 8, 0, 0, 0, 0},
                                   KernelResources{"sh", 32, 4096, 168, 16, 24},
                                   KernelResources{"spill", 32, 0, 1872, 2832, 3748}));
}

TEST(PtxasReport, SkipsWhatItDoesNotKnow) {
  for (const char* text :
       {"", "\n\n", "ptxas info    : Used 99999999999999999999 registers",
        "kernel.cu(3): warning: ptxas info : Compiling entry function 'x", "bytes spill stores",
        "    12 bytes stack frame, 5 bytes spill stores"}) {
    EXPECT_TRUE(parse_ptxas_report(text).empty()) << text;
  }
}

TEST(BuildFlags, AllowsTheListed) {
  Kernel kernel;
  kernel.build_flags = {"--use_fast_math", "--maxrregcount=64", "-O1",           "--fmad=false",
                        "--ftz=true",      "-Xptxas=-dlcm=cg",  "-std=c++20",    "-DTILE=32",
                        "-DUNROLL",        "-maxrregcount=128", "-DNAME=a_b.c-1"};
  kernel.plan.constants = {{"BLOCK", 256}};

  const auto flags = compiler_flags(kernel);

  ASSERT_TRUE(flags) << flags.error().message;
  EXPECT_EQ(flags->size(), 12U);
  EXPECT_EQ(flags->back(), "-DBLOCK=256");
}

TEST(BuildFlags, AKernelMayAskForItsDevicesOwnInstructions) {
  Kernel kernel;
  EXPECT_EQ(build_architecture(kernel, "sm_90").value_or(""), "sm_90");
  kernel.build_flags = {"-O2", "-arch=sm_90a"};
  EXPECT_EQ(build_architecture(kernel, "sm_90").value_or(""), "sm_90a");
  EXPECT_THAT(compiler_flags(kernel).value_or(std::vector<std::string>()), ElementsAre("-O2"));
  const auto other = build_architecture(kernel, "sm_80");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message, "the kernel asks for sm_90a, the device is sm_80");
  for (const char* flag : {"-arch=sm_90", "-arch=sm_a", "-arch=native", "-arch=sm_90a -x",
                           "-arch=sm_90000a", "-arch=compute_90a"}) {
    kernel.build_flags = {flag};
    EXPECT_FALSE(compiler_flags(kernel)) << flag;
  }
}

TEST(BuildFlags, RefusesEverythingElse) {
  for (const char* flag : {"-I/etc",
                           "-include",
                           "/etc/shadow",
                           "-Xcompiler",
                           "-Xcompiler=-fplugin=x.so",
                           "-o",
                           "--run",
                           "-O4",
                           "--maxrregcount=",
                           "--maxrregcount=1;x",
                           "--fmad=maybe",
                           "-DX=$(id)",
                           "-D",
                           "-D1X=2",
                           "-DX=\"a\"",
                           "@file",
                           "--options-file=x",
                           "-ccbin=/tmp/x",
                           "",
                           "-rdc=true",
                           "-Xptxas=--def-load-cache",
                           "--use_fast_math "}) {
    Kernel kernel;
    kernel.build_flags = {flag};
    const auto flags = compiler_flags(kernel);
    ASSERT_FALSE(flags) << flag;
    EXPECT_EQ(flags.error().code, Errc::invalid_argument);
    EXPECT_THAT(flags.error().message, HasSubstr("allowed are"));
  }
}

TEST(BuildFlags, RefusesConstantsThatAreNoNames) {
  Kernel kernel;
  kernel.plan.constants = {{"X=1 -include", 1}};

  EXPECT_FALSE(compiler_flags(kernel));
}

BuildReport report_of(const std::string& kernel) {
  BuildReport report;
  report.succeeded = true;
  report.architecture = "sm_90";
  report.kernels = {{kernel, 12, 0, 0, 0, 0}};
  return report;
}

TEST(BuildCache, FindsWhatWasInserted) {
  LabPlaces places;
  const auto cache = BuildCache::open(places.path() / "cache", 1 << 20);
  ASSERT_TRUE(cache);

  ASSERT_TRUE(cache->insert("key", "binary bytes", report_of("k")));
  const auto found = cache->find("key");

  ASSERT_TRUE(found);
  EXPECT_EQ(read_file(found->binary, 100).value(), "binary bytes");
  EXPECT_EQ(found->report.kernels, report_of("k").kernels);
  EXPECT_TRUE(found->report.from_cache);
  EXPECT_FALSE(cache->find("other"));
}

TEST(BuildCache, DropsADamagedEntry) {
  LabPlaces places;
  const auto cache = BuildCache::open(places.path() / "cache", 1 << 20);
  for (const char* part : {"binary", "report.json"}) {
    ASSERT_TRUE(cache->insert("key", "binary bytes", report_of("k")));
    const auto file = places.path() / "cache" / "key" / part;
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    std::ofstream(file, std::ios::in | std::ios::out) << "X";

    EXPECT_FALSE(cache->find("key")) << part;
    EXPECT_FALSE(std::filesystem::exists(file)) << part;
  }
}

TEST(BuildCache, LeastRecentlyUsedEntriesGoFirst) {
  LabPlaces places;
  const auto cache = BuildCache::open(places.path() / "cache", 3500);
  const std::string kilobyte(1000, 'x');
  const auto age = [&](const char* key, int hours) {
    std::filesystem::last_write_time(
        places.path() / "cache" / key,
        std::filesystem::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  ASSERT_TRUE(cache->insert("old", kilobyte, report_of("k")));
  ASSERT_TRUE(cache->insert("older", kilobyte, report_of("k")));
  age("old", 2);
  age("older", 3);
  ASSERT_TRUE(cache->find("older"));  // now the most recently used

  ASSERT_TRUE(cache->insert("new", kilobyte, report_of("k")));

  EXPECT_TRUE(cache->find("new"));
  EXPECT_TRUE(cache->find("older"));
  EXPECT_FALSE(cache->find("old"));
}

TEST(BuildCache, KeepsTheFirstOfTwoEqualInsertions) {
  LabPlaces places;
  const auto cache = BuildCache::open(places.path() / "cache", 1 << 20);

  ASSERT_TRUE(cache->insert("key", "binary", report_of("k")));
  ASSERT_TRUE(cache->insert("key", "binary", report_of("k")));

  EXPECT_TRUE(cache->find("key"));
  const auto entries = std::distance(std::filesystem::directory_iterator(places.path() / "cache"),
                                     std::filesystem::directory_iterator());
  EXPECT_EQ(entries, 1);
}

class KernelToolchainTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto sandbox = Sandbox::create(config::LabSettings{});
    ASSERT_TRUE(sandbox) << sandbox.error().message;
    sandbox_.emplace(std::move(*sandbox));
    settings_ = places_.settings().toolchain;
    renew();
  }

  void renew() {
    auto toolchain = KernelToolchain::create(settings_, *sandbox_);
    ASSERT_TRUE(toolchain) << toolchain.error().message;
    toolchain_.emplace(std::move(*toolchain));
  }

  BuildOutcome build(const Kernel& kernel) {
    auto outcome = toolchain_->build_kernel(kernel, "sm_90", {});
    EXPECT_TRUE(outcome) << outcome.error().message;
    return outcome.value_or(BuildOutcome{});
  }

  BuildOutcome build(const std::string& source) {
    Kernel kernel;
    kernel.source = source;
    return build(kernel);
  }

  LabPlaces places_;
  config::ToolchainSettings settings_;
  std::optional<Sandbox> sandbox_;
  std::optional<KernelToolchain> toolchain_;
};

TEST_F(KernelToolchainTest, BuildsMachineCodeAndPtxAndReadsItsReport) {
  const auto outcome = build(kTwice);

  ASSERT_TRUE(outcome.report.succeeded) << outcome.report.diagnostics;
  const std::string binary = read_file(outcome.binary, 1 << 20).value();
  const auto bytes = std::as_bytes(std::span(binary));
  EXPECT_TRUE(simulator::cubin_of_fatbin(bytes, 90));
  EXPECT_THAT(binary, HasSubstr(".visible .entry twice"));  // PTX, not compressed
  ASSERT_EQ(outcome.report.kernels.size(), 1U);
  EXPECT_EQ(outcome.report.kernels[0].kernel, "twice");
  EXPECT_GT(outcome.report.kernels[0].registers, 0);
  EXPECT_FALSE(outcome.report.from_cache);
}

TEST_F(KernelToolchainTest, TakesTheSecondBuildFromTheCache) {
  const auto first = build(kTwice);
  const auto second = build(kTwice);

  EXPECT_TRUE(second.report.from_cache);
  EXPECT_EQ(second.binary, first.binary);
  EXPECT_EQ(second.report.kernels, first.report.kernels);
}

TEST_F(KernelToolchainTest, ConstantsAndFlagsMakeAnotherBinary) {
  Kernel kernel;
  kernel.source = "extern \"C\" __global__ void k(int* y) { y[0] = TILE; }";
  kernel.plan.constants = {{"TILE", 32}};
  const auto first = build(kernel);
  kernel.plan.constants = {{"TILE", 64}};
  const auto second = build(kernel);

  EXPECT_TRUE(first.report.succeeded) << first.report.diagnostics;
  EXPECT_TRUE(second.report.succeeded);
  EXPECT_FALSE(second.report.from_cache);
  EXPECT_NE(first.binary, second.binary);
}

TEST_F(KernelToolchainTest, MachineCodeTellsKernelsApartByWhatTheDeviceRuns) {
  const auto code_of = [&](const std::string& attributes, const std::string& body) {
    const auto built = build("extern \"C\" __global__ void " + attributes +
                             " k(const float* x, float* y, int n) {\n"
                             "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  " +
                             body + "\n}\n");
    EXPECT_TRUE(built.report.succeeded) << built.report.diagnostics;
    return built.report.machine_code;
  };
  const std::string plain = code_of("", "if (i < n) y[i] = 2 * x[i];");
  EXPECT_EQ(plain.size(), 64U);
  EXPECT_EQ(code_of("", "// in other words\n\n  if (n > i) y[i] = x[i] * 2.0f;"), plain);
  EXPECT_EQ(code_of("__launch_bounds__(256)", "if (i < n) y[i] = 2 * x[i];"), plain);
  EXPECT_EQ(
      code_of("", "_Pragma(\"unroll 1\") for (int j = 0; j < 1; ++j) if (i < n) y[i] = 2 * x[i];"),
      plain);
  EXPECT_NE(code_of("", "if (i < n) y[i] = 3 * x[i];"), plain);
  EXPECT_NE(code_of("",
                    "__shared__ float s[64]; s[threadIdx.x & 63] = x[i]; __syncthreads();\n"
                    "  if (i < n) y[i] = 2 * s[63 - (threadIdx.x & 63)];"),
            plain);
  EXPECT_NE(code_of("__cluster_dims__(2, 1, 1)", "if (i < n) y[i] = 2 * x[i];"), plain);
}

TEST_F(KernelToolchainTest, RebuildsADamagedEntry) {
  const auto first = build(kTwice);
  std::filesystem::permissions(first.binary, std::filesystem::perms::owner_all);
  std::filesystem::resize_file(first.binary, 10);

  const auto second = build(kTwice);

  EXPECT_TRUE(second.report.succeeded);
  EXPECT_FALSE(second.report.from_cache);
  EXPECT_GT(std::filesystem::file_size(second.binary), 10U);
}

TEST_F(KernelToolchainTest, KeepsACompileErrorVerbatim) {
  const auto outcome =
      build("extern \"C\" __global__ void k(float* a) {\n  a[0] = undefined_thing;\n}\n");

  EXPECT_FALSE(outcome.report.succeeded);
  EXPECT_TRUE(outcome.binary.empty());
  EXPECT_THAT(outcome.report.diagnostics,
              HasSubstr("kernel.cu(2): error: identifier \"undefined_thing\" is undefined\n"
                        "    a[0] = undefined_thing;\n"));
  EXPECT_THAT(outcome.report.diagnostics, Not(HasSubstr(places_.path().string())));
}

TEST_F(KernelToolchainTest, SeesSpills) {
  Kernel kernel;
  kernel.source =
      "extern \"C\" __global__ void spill(float* a, int n) { float v[120];\n"
      "for (int i = 0; i < 120; i++) v[i] = a[i * n + threadIdx.x];\n"
      "for (int r = 0; r < n; r++) for (int i = 0; i < 120; i++) v[i] = v[i] * v[(i + 7) % 120] + "
      "1;\n"
      "for (int i = 0; i < 120; i++) a[i * n + threadIdx.x] = v[i]; }\n";
  kernel.build_flags = {"--maxrregcount=32"};

  const auto outcome = build(kernel);

  ASSERT_TRUE(outcome.report.succeeded) << outcome.report.diagnostics;
  ASSERT_EQ(outcome.report.kernels.size(), 1U);
  EXPECT_LE(outcome.report.kernels[0].registers, 32);
  EXPECT_GT(outcome.report.kernels[0].spill_store_bytes, 0);
  EXPECT_GT(outcome.report.kernels[0].spill_load_bytes, 0);
}

TEST_F(KernelToolchainTest, RefusesAFlagAsAValue) {
  Kernel kernel;
  kernel.source = kTwice;
  kernel.build_flags = {"-include", "/etc/shadow"};

  const auto outcome = build(kernel);

  EXPECT_FALSE(outcome.report.succeeded);
  EXPECT_THAT(outcome.report.diagnostics, HasSubstr("'-include' is not allowed"));
}

TEST_F(KernelToolchainTest, LeaksNoFileThroughIncludeOrIncbin) {
  const auto secret = places_.write("secret.key", "s3cret_token_value\n");

  const auto included = build("#include \"" + secret.string() + "\"\n" + kTwice);
  const auto probed = build("#if __has_include(\"" + secret.string() +
                            "\")\n#error it is there\n#endif\n" + std::string(kTwice));
  Kernel host;
  host.tier = Tier::b;
  host.source = "asm(\".section .rodata\\n.incbin \\\"" + secret.string() + "\\\"\\n.text\");\n" +
                std::string(kTwice);
  const auto embedded = build(host);

  EXPECT_FALSE(included.report.succeeded);
  EXPECT_THAT(included.report.diagnostics, Not(HasSubstr("s3cret")));
  EXPECT_TRUE(probed.report.succeeded) << probed.report.diagnostics;
  EXPECT_FALSE(embedded.report.succeeded);
  EXPECT_THAT(embedded.report.diagnostics, Not(HasSubstr("s3cret")));
}

TEST_F(KernelToolchainTest, StopsACompilerThatRunsTooLong) {
  settings_.timeout_s = 0.05;  // less than nvcc needs for anything
  renew();

  const auto outcome = build(kTwice);

  EXPECT_FALSE(outcome.report.succeeded);
  EXPECT_THAT(outcome.report.diagnostics, HasSubstr("ran out of time"));
}

TEST_F(KernelToolchainTest, CutsEndlessDiagnostics) {
  settings_.diagnostics_kib = 1;
  renew();
  std::string source;
  for (int i = 0; i < 200; ++i) source += "#warning line " + std::to_string(i) + "\n";

  const auto outcome = build(source + kTwice);

  EXPECT_LE(outcome.report.diagnostics.size(), 1024U);
}

TEST_F(KernelToolchainTest, RefusesALargeSource) {
  EXPECT_THAT(build(std::string(kSourceLimit + 1, ' ')).report.diagnostics,
              HasSubstr("the limit is"));
}

TEST_F(KernelToolchainTest, BuildsATierBHostFunction) {
  Kernel kernel;
  kernel.tier = Tier::b;
  kernel.entry = "run_twice";
  kernel.source = std::string(kTwice) +
                  "extern \"C\" int run_twice(const float* x, float* y, int n, cudaStream_t s) {\n"
                  "  twice<<<(n + 255) / 256, 256, 0, s>>>(x, y, n);\n"
                  "  return cudaGetLastError();\n}\n";

  const auto outcome = build(kernel);

  ASSERT_TRUE(outcome.report.succeeded) << outcome.report.diagnostics;
  EXPECT_THAT(read_file(outcome.binary, 1 << 24).value(), HasSubstr("run_twice"));
  ASSERT_EQ(outcome.report.kernels.size(), 1U);
}

TEST_F(KernelToolchainTest, CancelsABuild) {
  std::stop_source source;
  source.request_stop();
  Kernel kernel;
  kernel.source = kTwice;

  const auto outcome = toolchain_->build_kernel(kernel, "sm_90", source.get_token());

  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Errc::cancelled);
}

TEST_F(KernelToolchainTest, BuildsAReferenceThatLoads) {
  Task task;
  task.name = "twice";
  task.reference =
      "#include \"warpmind_reference.h\"\n"
      "void reference(const warpmind::ReferenceCall& call) {\n"
      "  const int64_t n = call.size(\"n\");\n"
      "  for (int64_t i = 0; i < n; ++i) call.output(\"y\")[i] = 2 * call.input(\"x\")[i];\n}\n";

  const auto library = toolchain_->build_reference(task, {});

  ASSERT_TRUE(library) << library.error().message;
  void* const handle = ::dlopen(library->c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(handle, nullptr) << ::dlerror();
  if (handle != nullptr) ::dlclose(handle);
}

TEST_F(KernelToolchainTest, NamesTheFirstComplaintAboutAReference) {
  Task task;
  task.name = "broken";
  task.reference = "void reference() {}\nint x = y;\n";

  const auto library = toolchain_->build_reference(task, {});

  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().code, Errc::invalid_argument);
  EXPECT_THAT(library.error().message,
              AllOf(HasSubstr("'broken'"), HasSubstr("reference.cpp:2"), HasSubstr("'y'")));
}

DeviceSpec h200() { return config::DeviceTable::load()->find("h200").value(); }

struct OccupancyCase {
  const char* name;
  OccupancyQuery query;
  int blocks;
  OccupancyLimiter limiter;
};

TEST(Occupancy, MatchesTheOccupancyCalculator) {
  // Values of cudaOccupancyMaxActiveBlocksPerMultiprocessor's rules for compute capability 9.0:
  // 64 warps, 32 blocks, 65 536 registers, 228 KiB shared memory an SM.
  const OccupancyCase cases[] = {
      {"full", {32, 0, 256}, 8, OccupancyLimiter::warps},
      {"registers", {64, 0, 256}, 4, OccupancyLimiter::registers},
      {"registers in odd units", {65, 0, 256}, 3, OccupancyLimiter::registers},
      {"maximum registers", {255, 0, 256}, 1, OccupancyLimiter::registers},
      {"shared memory", {32, 48 * 1024, 128}, 4, OccupancyLimiter::shared_memory},
      {"largest block of shared memory", {32, 227 * 1024, 128}, 1, OccupancyLimiter::shared_memory},
      {"blocks", {16, 0, 32}, 32, OccupancyLimiter::blocks},
      {"too much shared memory", {32, 228 * 1024, 128}, 0, OccupancyLimiter::too_large},
      {"too many registers", {128, 0, 1024}, 0, OccupancyLimiter::too_large},
  };
  for (const auto& one : cases) {
    const auto occupancy = theoretical_occupancy(one.query, h200());
    EXPECT_EQ(occupancy.blocks_per_sm, one.blocks) << one.name;
    EXPECT_EQ(occupancy.limiter, one.limiter) << one.name;
  }
  EXPECT_DOUBLE_EQ(theoretical_occupancy({64, 0, 256}, h200()).percent, 50);
}

TEST(StaticMetrics, LeavesOutWhatAHostFunctionHides) {
  const auto unknown = static_metrics({{"k", 40, 0, 0, 4, 8}, 0, 0, 0}, h200());
  const auto known = static_metrics({{"k", 40, 0, 0, 4, 8}, 0, 256, 1024}, h200());

  const auto find = [](const std::vector<Metric>& metrics, const char* name) {
    return KernelProfile{"k", 1, metrics}.find(name);
  };
  EXPECT_EQ(find(unknown, "warpmind__spill_bytes"), 12);
  EXPECT_FALSE(find(unknown, "warpmind__theoretical_occupancy_pct"));
  EXPECT_TRUE(find(known, "warpmind__theoretical_occupancy_pct"));
  EXPECT_EQ(find(known, "warpmind__grid_blocks"), 1024);
}

}  // namespace
}  // namespace warpmind::profilers
