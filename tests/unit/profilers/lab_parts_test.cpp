#include "config/device_table.h"
#include "lab_places.h"
#include "profilers/lab/device_floors.h"
#include "profilers/lab/given_work.h"
#include "profilers/lab/host_variables.h"
#include "profilers/lab/judging.h"
#include "profilers/lab/profiling.h"
#include "profilers/lab/run_case.h"
#include "profilers/lab/scratch_root.h"
#include "profilers/lab/static_checks.h"
#include "profilers/lab/timing.h"
#include "syntax/code_text.h"
#include "twice_task.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

DeviceSpec h200() { return config::DeviceTable::load()->find("h200").value(); }

std::optional<StaticFinding> check_source(const std::string& more) {
  Kernel kernel = twice_kernel();
  kernel.source += more;
  return check_statically(kernel);
}

TEST(StaticChecks, PassesAnOrdinaryKernel) {
  EXPECT_FALSE(check_source("#include <cuda_fp16.h>\n#include \"mma.h\"\n"));
}

TEST(StaticChecks, RefusesToReadFilesOfTheMachine) {
  for (const char* line :
       {"#include \"/etc/shadow\"\n", "# include </etc/passwd>\n", "#include \"../secret\"\n",
        "#\\\ninclude \"/etc/shadow\"\n", "#/* */include \"/etc/shadow\"\n",
        "%:include \"/etc/shadow\"\n", "#include_next \"/etc/shadow\"\n",
        "asm(\".incbin \\\"x\\\"\");\n", "#if __has_include(<x>)\n#endif\n"}) {
    const auto finding = check_source(line);
    ASSERT_TRUE(finding) << line;
    EXPECT_EQ(finding->outcome, Outcome::build_failed) << line;
  }
}

TEST(StaticChecks, AGridIsSynchronisedInACooperativeLaunchOnly) {
  for (const char* body :
       {"auto grid = cooperative_groups::this_grid(); grid.sync();", "cg::this_grid() . sync();",
        "cg::grid_group g = cg::this_grid(); cg::sync(g);",
        "const cg::grid_group& all = given; all.barrier_arrive();"}) {
    Kernel kernel = twice_kernel();
    kernel.source += "__device__ void meet() { " + std::string(body) + " }\n";
    const auto finding = check_statically(kernel);
    ASSERT_TRUE(finding) << body;
    EXPECT_EQ(finding->outcome, Outcome::build_failed);
    EXPECT_THAT(finding->reason, HasSubstr("cooperative = true"));
    kernel.plan.launches[0].cooperative = true;
    EXPECT_FALSE(check_statically(kernel)) << body;
  }
  for (const char* body : {"auto grid = cg::this_grid(); use(grid.thread_rank());",
                           "auto grid = cg::this_grid(); auto block = cg::this_thread_block(); "
                           "block.sync();",
                           "// grid.sync() would be needed with cg::this_grid()\n"}) {
    EXPECT_FALSE(check_source("__device__ void f() { " + std::string(body) + " }\n")) << body;
  }
}

TEST(StaticChecks, LoopsThatMayWaitAreKnown) {
  for (const char* waits :
       {"while (*(volatile int*)flag == 0) {}", "for (;;) if (__ldcg(flag)) break;",
        "do { asm volatile(\"ld.acquire.gpu.u32 %0, [%1];\" : \"=r\"(v) : \"l\"(p)); } while (!v);",
        "while (atomicAdd(flag, 0) == 0) {}"}) {
    EXPECT_TRUE(may_poll_memory(waits)) << waits;
  }
  EXPECT_FALSE(may_poll_memory("for (int i = 0; i < n; ++i) atomicAdd(&bins[x[i]], 1);"));
  EXPECT_FALSE(may_poll_memory("while (low < high) low += x[low]; // volatile"));
}

TEST(StaticChecks, LooksAtNoComment) {
  EXPECT_FALSE(check_source("// #include \"/etc/shadow\" .incbin\n/*\n#include \"/etc/x\"\n*/\n"));
  EXPECT_EQ(syntax::joined_lines("a/*b*/c//d\ne\"//f\"'\"'//g"), "a c\ne\"//f\"'\"'");
  EXPECT_EQ(syntax::joined_lines("a\\\nb\\\r\nc"), "abc");
  EXPECT_EQ(syntax::joined_lines("a /* open"), "a ");
}

TEST(StaticChecks, CallsHostTricksOfTierBCheating) {
  for (const char* line : {"cudaStreamCreateWithFlags(&s, 1);", "std::thread t(f);", "fork();",
                           "cudaEventElapsedTime(&t, a, b);", "getenv(\"X\");"}) {
    Kernel kernel = twice_kernel();
    kernel.tier = Tier::b;
    kernel.entry = "run";
    kernel.source += line;
    const auto finding = check_statically(kernel);
    ASSERT_TRUE(finding) << line;
    EXPECT_EQ(finding->outcome, Outcome::cheating) << line;
  }
  Kernel honest = twice_kernel();
  honest.tier = Tier::b;
  honest.entry = "run";
  honest.source += "int forked = 0; int my_system = 1;";
  EXPECT_FALSE(check_statically(honest));
}

Kernel host_code(const std::string& more) {
  Kernel kernel = twice_kernel();
  kernel.tier = Tier::b;
  kernel.entry = "run";
  kernel.source += more;
  return kernel;
}

TEST(StaticChecks, NoLiteralAndNoJointOfLinesHidesCode) {
  for (const char* line :
       {"int n = 1'0; char c = '\"'; auto s = \"/*\"; int r = system(\"x\"); auto t = \"*/\";",
        "auto s = R\"(\")\"; auto t = \"//\"; int r = system(\"x\");",
        "auto s = R\"a()\" /*)a\"; int r = system(\"x\"); /* */",
        "/* *\\\n/ int r = system(\"x\"); /* */", "int r = sys\\ \ntem(\"x\");",
        "#include <sys//socket.h>\n"}) {
    const auto finding = check_statically(host_code(line));
    ASSERT_TRUE(finding) << line;
    EXPECT_EQ(finding->outcome, Outcome::cheating) << line;
  }
  EXPECT_TRUE(check_source("#include <//etc/passwd>\n")) << "no comment";
  EXPECT_TRUE(check_source("#define FILE \"/etc/passwd\"\n#include FILE\n"));
  for (const char* line : {"// asks the \\\n system( call\n", "auto n = 1'0; // it's a system\n"}) {
    EXPECT_FALSE(check_statically(host_code(line))) << line;
  }
}

TEST(StaticChecks, FindsFunctionsOfCudaHoweverTheyAreDefined) {
  const std::string body = " cudaError_t cudaFree(void* p) { return cudaSuccess; }";
  for (const std::string& code :
       {"extern \"C\"" + body, "extern  \"C\"" + body, "extern\n\"C\" {" + body + " }",
        "extern \"C\" __attribute__((used))" + body,
        "extern \"C\" { void f() { g(); }" + body + " }",
        "namespace a { extern \"C\" { namespace b {" + body + " } } }"}) {
    const auto finding = check_statically(host_code(code));
    ASSERT_TRUE(finding) << code;
    EXPECT_THAT(finding->reason, HasSubstr("defines cudaFree"));
  }
  std::string nested;
  for (int i = 0; i < 30'000; ++i) nested += "extern \"C\" { ";
  EXPECT_FALSE(check_statically(host_code(nested))) << "one pass";
  EXPECT_FALSE(check_statically(host_code("extern \"C\" { void run() { cudaFree(nullptr); } }")));
  EXPECT_FALSE(
      check_statically(host_code("extern \"C\" void run(cudaStream_t s) { cudaFree(0); }")));
}

TEST(StaticChecks, RefusesPlansThatCannotRun) {
  Kernel none = twice_kernel();
  none.plan.launches.clear();
  Kernel many = twice_kernel();
  many.plan.launches.resize(1000, many.plan.launches[0]);
  Kernel nameless = twice_kernel();
  nameless.tier = Tier::b;
  Kernel program = twice_kernel();
  program.tier = Tier::c;
  Kernel huge = twice_kernel();
  huge.source.assign(5 << 20, ' ');
  Kernel wordy = twice_kernel();
  for (int i = 0; i < 210'000; ++i) wordy.source += "x ";

  for (const auto& kernel : {none, many, nameless, program, huge, wordy}) {
    ASSERT_TRUE(check_statically(kernel));
    EXPECT_EQ(check_statically(kernel)->outcome, Outcome::build_failed);
  }
}

TEST(HostVariables, AreThoseThatOnlyHostCodeCanFill) {
  const std::string kernel = "__global__ void k(float* y) { y[0] = ";
  EXPECT_EQ(find_host_variable("__constant__ int w[7];\n" + kernel + "w[3]; }"), "w");
  EXPECT_EQ(find_host_variable("__constant__ __align__(16) float4 w;\n" + kernel + "w.x; }"), "w");
  EXPECT_EQ(find_host_variable("__device__ int n, w[4][4];\n" + kernel + "w[1][2]; }"), "w");
  EXPECT_EQ(find_host_variable("__device__ int w;\n" + kernel + "a == 1 && w == 2 && f(w); }"),
            "w");
  EXPECT_EQ(find_host_variable("static __device__ float scale;\n" + kernel + "scale; }"), "scale");
  for (const char* filled : {"__constant__ int w[2] = {1, 2};\n", "__constant__ int w[2]{1, 2};\n",
                             "/* __constant__ int w[7]; */ constexpr int w[1] = {1};\n",
                             "__device__ int w(int i);\n", ""}) {
    EXPECT_EQ(find_host_variable(filled + kernel + "w[0]; }"), std::nullopt) << filled;
  }
  EXPECT_EQ(find_host_variable("auto s = \"__constant__ int w[7];\";\n" + kernel + "w[3]; }"),
            std::nullopt)
      << "a literal declares nothing";
  EXPECT_EQ(find_host_variable("__constant__ " + std::string(1 << 20, '(')), std::nullopt);
  EXPECT_EQ(find_host_variable("__constant__ int unused;\n" + kernel + "1; }"), std::nullopt);
  for (const char* write : {"w = 1", "w[threadIdx.x] += 2", "atomicAdd(&w, 1)", "++w", "w[0]++",
                            "w <<= 2", "fill(w, 3)"}) {
    EXPECT_EQ(find_host_variable("__device__ int w[2];\n" + kernel + "1; " + write + "; }"),
              std::nullopt)
        << write;
  }
}

TEST(RunCase, EvaluatesThePlanOnTheWorkload) {
  Task task = twice_task();
  Kernel kernel = twice_kernel();
  kernel.plan.scratch = {{"partial", Dtype::f64, "n/BLOCK", true}};
  kernel.plan.launches[0].arguments = {"x", "partial", "i32:n"};
  kernel.plan.launches[0].shared_bytes = "block_x*4";

  const auto program = make_program(task, kernel, task.workloads[0], "bin/candidate");

  ASSERT_TRUE(program) << program.error().message;
  EXPECT_EQ(program->binary, "bin/candidate");
  EXPECT_THAT(program->scratch, ElementsAre(ScratchSpec{"partial", 256 * 8, true, Dtype::f64}));
  ASSERT_EQ(program->launches.size(), 1U);
  const auto& launch = program->launches[0];
  EXPECT_EQ(launch.grid[0], 256U);
  EXPECT_EQ(launch.block[0], 256U);
  EXPECT_EQ(launch.shared_bytes, 1024U);
  EXPECT_THAT(launch.arguments, ElementsAre(CallArgument{"x", ""}, CallArgument{"partial", ""},
                                            CallArgument{"", "00000100"}));
}

TEST(RunCase, BindsScalarArgumentsOfTheTask) {
  Task task = twice_task();
  Argument count;
  count.name = "count";
  count.kind = ArgumentKind::scalar;
  count.dtype = Dtype::i64;
  count.value = "n-1";
  task.arguments.push_back(count);
  Kernel kernel = twice_kernel();
  kernel.plan.launches[0].arguments = {"count"};

  const auto program = make_program(task, kernel, task.workloads[1], "b");

  ASSERT_TRUE(program) << program.error().message;
  EXPECT_THAT(program->launches[0].arguments,
              ElementsAre(CallArgument{"", "e703000000000000", Dtype::i64}));
}

TEST(RunCase, RefusesUnknownAndAmbiguousNames) {
  const Task task = twice_task();
  Kernel unknown = twice_kernel();
  unknown.plan.launches[0].arguments = {"z"};
  Kernel ambiguous = twice_kernel();
  ambiguous.plan.scratch = {{"x", Dtype::f32, "n", false}};
  Kernel empty_grid = twice_kernel();
  empty_grid.plan.launches[0].grid[0] = "0";

  for (const auto& kernel : {unknown, ambiguous, empty_grid}) {
    const auto program = make_program(task, kernel, task.workloads[0], "b");
    ASSERT_FALSE(program);
    EXPECT_EQ(program.error().code, Errc::invalid_argument);
  }
}

TEST(RunCase, ChoosesWorkloads) {
  Task task = twice_task();

  EXPECT_EQ(smallest_workload(task).name, "tiny");
  EXPECT_THAT(timed_workloads(task), ElementsAre(&task.workloads[0]));
  EXPECT_EQ(case_bytes(task, task.workloads[1]).value(), 8000);
  task.workloads[0].timed = false;
  EXPECT_THAT(timed_workloads(task), ElementsAre(&task.workloads[1]));
}

TEST(LimitMetrics, HaveUnitsAndSayTheShare) {
  Limit limit;
  limit.ns = 1000;
  limit.bytes = 4.8e6;
  limit.bandwidth_gb_s = 4800;
  limit.flops = 1e6;
  limit.peak_gflops = 67'000;
  const auto metrics = limit_metrics(2000, limit);

  const KernelProfile profile{"k", 1, metrics};
  EXPECT_NEAR(*profile.find("warpmind__headroom_ratio"), 2, 1e-9);
  EXPECT_NEAR(*profile.find("warpmind__share_of_limit_pct"), 50, 1e-9);
  EXPECT_NEAR(*profile.find("warpmind__bandwidth_pct"), 50, 1e-9);
  for (const auto& metric : metrics) EXPECT_FALSE(metric.unit.empty()) << metric.name;
  Limit unknown;
  unknown.unknown = "not counted";
  EXPECT_EQ(limit_metrics(2000, unknown).size(), 1U) << "the time alone";
}

TEST(GivenWork, IsCountedInTheBinary) {
  const LabPlaces places;
  const auto sandbox = make_sandbox(places.settings());
  ASSERT_TRUE(sandbox) << sandbox.error().message;
  const auto toolchain = KernelToolchain::create(places.settings().toolchain, **sandbox);
  if (!toolchain) GTEST_SKIP() << toolchain.error().message;
  Task task = twice_task();
  task.reference.clear();
  task.cost.flops = "1";
  const auto built = toolchain->build_kernel(task.kernel, "sm_90", {});
  ASSERT_TRUE(built) << built.error().message;
  const Workload& large = task.workloads[0];

  const CountedWork work = count_given_work(task, large, built->binary);

  EXPECT_EQ(work.unknown, "");
  EXPECT_EQ(work.flops, 1 << 16) << "one product an element";
  EXPECT_EQ(work.moved_bytes, 8.0 * (1 << 16));

  // A launch of a profile takes its own flops, and one with another kernel none.
  Profile profile;
  profile.kernels = {{"twice", 1, {}}};
  add_counted_flops(task, task.kernel, large, built->binary, profile);
  EXPECT_EQ(profile.kernels[0].find("warpmind__flops_f32"), 1 << 16);
  EXPECT_EQ(profile.kernels[0].find("warpmind__flops_tensor"), 0);
  Profile of_another;
  of_another.kernels = {{"thrice", 1, {}}};
  add_counted_flops(task, task.kernel, large, built->binary, of_another);
  EXPECT_TRUE(of_another.kernels[0].metrics.empty());

  task.kernel.source =
      "extern \"C\" __global__ void twice(const float* x, float* y, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  float sum = 0;\n"
      "  for (int k = 0; k < (int)x[i]; ++k) sum += x[k];\n"
      "  if (i < n) y[i] = sum;\n"
      "}\n";
  const auto by_data = toolchain->build_kernel(task.kernel, "sm_90", {});
  ASSERT_TRUE(by_data) << by_data.error().message;
  EXPECT_THAT(count_given_work(task, large, by_data->binary).unknown, HasSubstr("twice"));
}

TEST(DeviceFloors, TakeTheFasterWayOfEachSizeAndNeverFall) {
  const auto probes = floor_probes("bin/floors");
  std::vector<double> times_ns;
  for (const auto& probe : probes) {
    const bool four = probe.run_case.candidate.launches[0].kernel.ends_with("4");
    times_ns.push_back(2000 + probe.bytes / 1000 + (four ? 500 : 0));
  }
  times_ns[3] = 9e6;  // both ways of the second size were disturbed
  times_ns[4] = 9e6;
  const auto floors = floors_from(probes, times_ns);
  ASSERT_TRUE(floors) << floors.error().message;
  EXPECT_EQ(floors->launch_ns, 2000);
  ASSERT_EQ(floors->cold_reads.size(), 11U);
  EXPECT_NEAR(floors->cold_reads.front().ns, 2000 + 16384 / 1000.0, 1e-9);
  EXPECT_EQ(floors->cold_reads[1].ns, floors->cold_reads[2].ns);
  for (const auto& probe : probes) {
    const auto& launch = probe.run_case.candidate.launches[0];
    const double threads = double(launch.grid[0]) * launch.block[0];
    const double loads = launch.kernel.ends_with("4") ? 4 : 1;
    if (probe.bytes > 0) {
      EXPECT_EQ(threads * loads * 16, probe.bytes);
    }
  }
  const auto is_fresh = [](const FloorProbe& probe) { return probe.in_fresh_process; };
  EXPECT_EQ(std::count_if(probes.begin(), probes.end(), is_fresh), 1);
  const auto fresh = std::find_if(probes.begin(), probes.end(), is_fresh);
  EXPECT_EQ(fresh->bytes, 0) << "a launch is timed as a kernel is";
  times_ns[0] = 3000;  // before the clocks rose; the last probe launches once more
  EXPECT_EQ(floors_from(probes, times_ns)->launch_ns, 2000);
  times_ns[0] = -1;
  EXPECT_FALSE(floors_from(probes, times_ns));
}

TEST(DeviceFloors, AreKeptByDeviceAndDriver) {
  const LabPlaces places;
  const auto file = places.path() / "device_floors.json";
  DeviceIdentity one;
  one.uuid = "GPU-1";
  one.driver = "580";
  DeviceIdentity other = one;
  other.uuid = "GPU-2";
  const DeviceFloors floors{1900, {{16384, 2100}, {65536, 2200}}};
  ASSERT_TRUE(keep_floors(file, one, floors));
  ASSERT_TRUE(keep_floors(file, other, {1, {{1, 2}}}));
  EXPECT_EQ(read_floors(file, one).value(), floors);
  other.driver = "590";
  EXPECT_EQ(read_floors(file, other).error().code, Errc::not_found);
  places.write("device_floors.json", "no JSON");
  EXPECT_EQ(read_floors(file, one).error().code, Errc::corrupt_data);
}

TEST(Profiling, StaticProfileHasOneEntryALaunch) {
  const Task task = twice_task();
  Kernel kernel = twice_kernel();
  kernel.plan.launches.push_back(kernel.plan.launches[0]);
  BuildReport build;
  build.kernels = {{"kind_right", 4, 0, 0, 0, 0}, {"twice", 12, 0, 0, 0, 0}};

  const auto profile = static_profile(task, kernel, build, task.workloads[0], h200());

  EXPECT_EQ(profile.tier, ProfileTier::t0);
  ASSERT_EQ(profile.kernels.size(), 2U);
  EXPECT_EQ(profile.kernels[0].kernel, "twice");
  EXPECT_DOUBLE_EQ(profile.kernels[0].time_share, 0.5);
  EXPECT_EQ(profile.kernels[0].find("warpmind__registers_per_thread"), 12);
}

TEST(Profiling, CountersJoinTheLaunchesInOrder) {
  Profile profile;
  profile.kernels = {{"a", 0.5, {{"warpmind__registers_per_thread", 10, "registers"}}},
                     {"a", 0.5, {{"warpmind__registers_per_thread", 10, "registers"}}}};
  RunnerReport report;
  report.kernels = {{"a", 1, {{"gpu__time_duration.sum", 300, ""}}},
                    {"a", 1, {{"gpu__time_duration.sum", 100, ""}}}};
  report.absent = {"launch__registers"};

  merge_counters(profile, report);

  EXPECT_EQ(profile.tier, ProfileTier::t2);
  ASSERT_EQ(profile.kernels.size(), 2U);
  EXPECT_DOUBLE_EQ(profile.kernels[0].time_share, 0.75);
  EXPECT_EQ(profile.kernels[0].metrics[0].unit, "ns");
  EXPECT_EQ(profile.kernels[1].find("warpmind__registers_per_thread"), 10);
  EXPECT_THAT(profile.absent, ElementsAre("launch__registers"));
}

// As many launches as kernels is chance: which launch ran which kernel is not known.
TEST(Profiling, CountersOfAHostFunctionTakeNoRegistersFromAKernelAtTheSamePlace) {
  Profile profile;
  profile.kernels = {{"reduce", 1, {{"warpmind__registers_per_thread", 80, "registers"}}},
                     {"fill", 1, {{"warpmind__registers_per_thread", 10, "registers"}}}};
  RunnerReport report;
  report.kernels = {{"entry#0", 1, {{"gpu__time_duration.sum", 100, ""}}},
                    {"entry#1", 1, {{"gpu__time_duration.sum", 300, ""}}}};

  merge_counters(profile, report);

  ASSERT_EQ(profile.kernels.size(), 2U);
  EXPECT_FALSE(profile.kernels[0].find("warpmind__registers_per_thread"));
  EXPECT_EQ(profile.kernels[1].kernel, "entry#1");
  EXPECT_EQ(profile.kernels[1].time_share, 0.75);
}

TEST(Profiling, CountersHaveUnits) {
  EXPECT_EQ(unit_of_counter("gpu__time_duration.sum"), "ns");
  EXPECT_EQ(unit_of_counter("dram__bytes_read.sum"), "bytes");
  EXPECT_EQ(unit_of_counter("lts__t_sector_hit_rate.pct"), "percent");
  EXPECT_EQ(unit_of_counter("smsp__thread_inst_executed_per_inst_executed.ratio"), "ratio");
  EXPECT_EQ(unit_of_counter("smsp__inst_executed.sum"), "count");
}

TEST(ScratchRoot, RemovesWhatAKilledProcessLeft) {
  LabPlaces places;
  const auto abandoned = places.path() / "warpmind-lab.abcdef";
  const auto foreign = places.path() / "something-else";
  std::filesystem::create_directories(abandoned / "runner.x");
  std::filesystem::create_directory(foreign);

  const auto first = ScratchRoot::create(places.path());
  const auto second = ScratchRoot::create(places.path());

  ASSERT_TRUE(first && second);
  EXPECT_FALSE(std::filesystem::exists(abandoned));
  EXPECT_TRUE(std::filesystem::exists(foreign));
  EXPECT_TRUE(std::filesystem::exists(first->path()));  // living: the second let it be
  EXPECT_GT(first->free_bytes(), 0U);
}

TEST(OutputFiles, OnlyRegularFilesOfTheRightSizeReachTheJudge) {
  LabPlaces places;
  const std::vector<BufferSpec> buffers = {{"x", 8, "in/x", ""}, {"y", 4, "", "y"}};
  const auto complaint = [&] {
    const auto failure = check_output_files(places.path(), buffers);
    return failure ? failure->reason : "";
  };

  EXPECT_THAT(complaint(), HasSubstr("left no output file for 'y'"));
  std::filesystem::create_symlink("/etc/passwd", places.path() / "y");
  EXPECT_THAT(complaint(), HasSubstr("left no output file for 'y'"));
  std::filesystem::remove(places.path() / "y");
  places.write("y", "12345");
  EXPECT_THAT(complaint(), HasSubstr("has 5 bytes instead of 4"));
  places.write("y", "1234");
  EXPECT_EQ(complaint(), "");
}

TEST(Timing, RatiosAreAveragedOverWorkloads) {
  const std::vector<QuadSample> twice_as_fast(5, {{1, 1}, {2, 2}});
  const std::vector<QuadSample> equal(5, {{1, 1}, {1, 1}});
  const TimingSample sample = {{{twice_as_fast, 20, 1980}, "a"}, {{equal, 20, 1980}, "b"}};

  EXPECT_DOUBLE_EQ(sample_log_ratio(sample), std::log(2.0) / 2);
  EXPECT_DOUBLE_EQ(std::log(screen_sample(sample, 0).decision.comparison.ratio), std::log(2.0) / 2);
  const auto measurement = measurement_of({sample, sample});
  EXPECT_EQ(measurement.workload, "a");
  EXPECT_EQ(measurement.samples, 20);
  EXPECT_DOUBLE_EQ(measurement.median_ns, 1);
  EXPECT_DOUBLE_EQ(measurement.sm_clock_mhz, 1980);
  EXPECT_FALSE(measurement.harness.empty());
}

}  // namespace
}  // namespace warpmind::profilers
