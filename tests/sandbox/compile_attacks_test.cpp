#include "profilers/toolchain/kernel_toolchain.h"
#include "tests/sandbox/sandbox_fixture.h"

#include <cstdlib>
#include <iostream>
#include <random>

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kSecret = "canary_5d0fe2b7";
constexpr const char* kKernel =
    "extern \"C\" __global__ void twice(const float* x, float* y, int n) {\n"
    "  __shared__ float tile[256];\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  tile[threadIdx.x] = i < n ? x[i] : 0.0f;\n"
    "  __syncthreads();\n"
    "  if (i < n) y[i] = 2.0f * tile[threadIdx.x];\n"
    "}\n";

/// T-NVCC: sources that make the compiler read, tell or take what it must not.
class CompileAttacksTest : public SandboxFixture {
 protected:
  void SetUp() override {
    SandboxFixture::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    secret_file_ = places_.write("secret.key", std::string(kSecret) + "\n");
    ::setenv("WARPMIND_TEST_SECRET", kSecret, 1);
  }

  void TearDown() override {
    ::unsetenv("WARPMIND_TEST_SECRET");
    EXPECT_THAT(places_.processes(), ::testing::IsEmpty());
  }

  BuildOutcome build(const std::string& source, Tier tier = Tier::a, double seconds = 60,
                     const Sandbox* sandbox = nullptr) {
    auto settings = places_.settings().toolchain;
    settings.timeout_s = seconds;
    const auto toolchain =
        KernelToolchain::create(settings, sandbox == nullptr ? *sandbox_ : *sandbox);
    EXPECT_TRUE(toolchain) << toolchain.error().message;
    if (!toolchain) return {};
    Kernel kernel;
    kernel.source = source;
    kernel.tier = tier;
    kernel.entry = "run";
    auto built = toolchain->build_kernel(kernel, "sm_90", {});
    EXPECT_TRUE(built) << built.error().message;
    return built.value_or(BuildOutcome{});
  }

  /// In the compiler's text, or in what it made.
  [[nodiscard]] static bool leaks(const BuildOutcome& built) {
    if (built.report.diagnostics.find(kSecret) != std::string::npos) return true;
    const auto binary = read_file(built.binary, std::size_t{64} << 20U);
    return binary && binary->find(kSecret) != std::string::npos;
  }

  [[nodiscard]] std::string quoted() const { return '"' + secret_file_.string() + '"'; }
  [[nodiscard]] std::string include_secret() const { return "#include " + quoted() + "\n"; }
  [[nodiscard]] std::string embed_secret() const {
    return "asm(\".section .rodata\\n.incbin \\\"" + secret_file_.string() +
           "\\\"\\n.text\\n\");\nextern \"C\" int run() { return 0; }\n";
  }

  std::filesystem::path secret_file_;
};

TEST_F(CompileAttacksTest, FilesStayUnread) {
  const std::string include = include_secret();
  EXPECT_FALSE(leaks(build(include + kKernel)));
  EXPECT_FALSE(leaks(build(embed_secret(), Tier::b)));
  EXPECT_FALSE(leaks(build("asm(\".include \\\"" + secret_file_.string() + "\\\"\");\n", Tier::b)));
  const auto oracle =
      build("#if __has_include(" + quoted() + ") || __has_include(\"/etc/passwd\")\n" +
            "#error it is there\n#else\n#error it is not there\n#endif\n");
  EXPECT_THAT(oracle.report.diagnostics, HasSubstr("it is not there"));
  // What belongs to the process that the daemon is, and to the sandbox's own first process.
  for (const char* file : {"/proc/self/environ", "/proc/1/environ", "/proc/1/cmdline"}) {
    const auto built = build("#include \"" + std::string(file) + "\"\n" + kKernel);
    EXPECT_FALSE(leaks(built)) << built.report.diagnostics;
  }
}

/// The attacks are real: without walls they succeed.
TEST_F(CompileAttacksTest, BareCompilersReadThem) {
  config::LabSettings settings;
  settings.unsafe_no_sandbox = true;
  const auto bare = Sandbox::create(settings);
  ASSERT_TRUE(bare);

  EXPECT_TRUE(leaks(build(include_secret() + kKernel, Tier::a, 60, &*bare)));
  EXPECT_TRUE(leaks(build(embed_secret(), Tier::b, 60, &*bare)));
}

TEST_F(CompileAttacksTest, BombsEnd) {
  constexpr double kSeconds = 3;
  const std::string deep =
      "template <int N> struct T { static const int v = T<N - 1>::v + T<N - 2>::v; };\n"
      "template <int N, int M> struct U { static const long v = U<N - 1, M * 2>::v + U<N - 1, M * "
      "2 "
      "+ 1>::v; };\n__device__ long x = U<40, 1>::v;\n";
  const std::string bombs[] = {"#include __FILE__\n#include __FILE__\n", deep + kKernel,
                               "__device__ int huge[1L << 31] = {1};\n" + std::string(kKernel),
                               "#define A(x) x x x x x x x x\n#define B(x) "
                               "A(A(A(A(A(A(A(A(A(A(x))))))))))\nint y[] = {B(1,)};\n"};
  for (const auto& bomb : bombs) {
    const auto built = build(bomb, Tier::a, kSeconds);
    EXPECT_FALSE(built.report.succeeded) << bomb;
    EXPECT_LE(built.report.diagnostics.size(), std::size_t{65} * 1024) << bomb;
    EXPECT_THAT(places_.processes(), ::testing::IsEmpty());
  }
}

/// One to three edits: characters lost, lines doubled, pieces of attacks put in between.
std::string mutate(const std::string& valid, const std::vector<std::string>& pieces,
                   std::mt19937_64& random) {
  std::string text = valid;
  const auto below = [&random](std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
  };
  for (std::size_t edits = 1 + below(3); edits > 0; --edits) {
    const std::size_t at = below(text.size());
    switch (below(4)) {
      case 0: text.erase(at, 1 + below(8)); break;
      case 1: text.insert(at, text.substr(below(text.size()), 1 + below(40))); break;
      case 2:
        text.insert(text.find('\n', at) == std::string::npos ? 0 : text.find('\n', at) + 1,
                    pieces[below(pieces.size())]);
        break;
      default: text[at] = static_cast<char>(32 + below(95)); break;
    }
    if (text.empty()) text = valid;
  }
  return text;
}

TEST_F(CompileAttacksTest, MutationsOfAKernelTellNothing) {
  const char* wanted = std::getenv("NVCC_MUTATIONS");
  const char* chosen = std::getenv("NVCC_SEED");
  const long count = wanted == nullptr ? 10 : std::strtol(wanted, nullptr, 10);
  const std::uint64_t seed =
      chosen == nullptr ? std::random_device{}() : std::strtoull(chosen, nullptr, 10);
  std::cout << count << " mutations, NVCC_SEED=" << seed << '\n';
  std::mt19937_64 random(seed);
  const std::vector<std::string> pieces = {
      include_secret(),
      "asm volatile(\".incbin \\\"" + secret_file_.string() + "\\\"\");\n",
      "#include_next " + quoted() + "\n",
      "#line 1 " + quoted() + "\n",
      "#pragma GCC dependency " + quoted() + "\n",
      "#warning __has_include(" + quoted() + ")\n",
      "static_assert(false, __FILE__);\n",
      "#define twice \\\n",
      "}}}}\n",
      "template <class T> struct V { V<T*> v; }; V<int> v;\n"};
  long built_well = 0;
  for (long i = 0; i < count; ++i) {
    const std::string source = mutate(kKernel, pieces, random);
    const auto built = build(source, Tier::a, 20);
    EXPECT_FALSE(leaks(built)) << source << built.report.diagnostics;
    EXPECT_TRUE(built.report.succeeded || !built.report.diagnostics.empty()) << source;
    built_well += built.report.succeeded ? 1 : 0;
  }
  std::cout << built_well << " of " << count << " still build, 0 tell the secret\n";
}

}  // namespace
}  // namespace warpmind::profilers
