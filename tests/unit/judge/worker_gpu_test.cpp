// What only a GPU can show. Skipped, with the reason, where there is none.
#include "base/file.h"
#include "base/launch_profile.h"
#include "tests/unit/judge/runner_process.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace {

using testing::PipedProcess;

constexpr const char* kSource = R"(
extern "C" __global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
extern "C" __global__ void one_too_far(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) y[i] = 1;
}
extern "C" __global__ void spoil(float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { y[i] = 2 * x[i]; if (i == 7) x[i] = 0; }
}
extern "C" __global__ void moody(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + (float)(clock64() & 0xffff);
}
extern "C" __global__ void lazy(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n) y[i] = 2 * x[i];
}
extern "C" __global__ void astray(const float* x, float* y, int n) {
  y[(1ll << 40) + threadIdx.x] = x[0];
}
extern "C" __global__ void shared_hungry(const float* x, float* y, int n) {
  extern __shared__ float s[];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
extern "C" __global__ void row_sum(const float* x, float* y, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float s = 0;
  for (int c = 0; c < cols; ++c) s += x[(long long)r * cols + c];
  y[r] = s;
}
extern "C" __global__ void count_up(float* z, int* counter, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { z[i] += 1; atomicAdd(counter, 1); }
}
extern "C" int entry(const float* x, float* y, int n, float factor, cudaStream_t stream) {
  if (factor != 2.0f) return 7;
  twice<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n);
  return 0;
}
)";

std::string hex(std::int32_t value) {
  char text[9];
  const auto bits = static_cast<std::uint32_t>(value);
  std::snprintf(text, sizeof text, "%02x%02x%02x%02x", bits & 0xFFU, (bits >> 8U) & 0xFFU,
                (bits >> 16U) & 0xFFU, bits >> 24U);
  return text;
}

class WorkerOnGpu : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto made = ScratchDirectory::create(std::filesystem::temp_directory_path(), "wm-gpu-");
    directory_ = new ScratchDirectory(std::move(*made));
    PipedProcess worker({kWorker}, ".", 3);
    worker.send(encode(RunnerJob{}));
    const auto report = decode_runner_report(worker.receive().value_or(""));
    no_device_ = report ? report->error : "the worker did not answer";
    if (!report || !report->ok) return;
    device_ = report->device;
    const auto at = directory_->path();
    std::ofstream(at / "k.cu") << kSource;
    const std::string arch = architecture_of(device_.compute_major, device_.compute_minor);
    const std::string nvcc = "nvcc -arch=" + arch + " -o " + at.string();
    if (std::system((nvcc + "/k.cubin -lineinfo -cubin " + at.string() + "/k.cu").c_str()) != 0 ||
        std::system((nvcc + "/k.so -shared -Xcompiler -fPIC " + at.string() + "/k.cu").c_str()) !=
            0) {
      no_device_ = "nvcc does not work here";
    }
  }
  static void TearDownTestSuite() { delete directory_; }

  void SetUp() override {
    if (!no_device_.empty()) GTEST_SKIP() << no_device_;
  }

  static std::vector<float> ramp(std::size_t n) {
    std::vector<float> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<float>(i % 1000) * 0.25F;
    return values;
  }
  static void store(const std::string& name, const std::vector<float>& values) {
    std::ofstream out(directory_->path() / name, std::ios::binary);
    out.write(reinterpret_cast<const char*>(values.data()),
              static_cast<std::streamsize>(values.size() * sizeof(float)));
  }
  static std::vector<float> load(const std::string& name) {
    const auto content = read_file(directory_->path() / name, std::size_t{1} << 30U);
    if (!content) return {};
    std::vector<float> values(content->size() / sizeof(float));
    std::memcpy(values.data(), content->data(), values.size() * sizeof(float));
    return values;
  }

  /// x -> y, n floats, by a kernel (x, y, n).
  static RunCase simple_case(const std::string& kernel, int n) {
    store("x.bin", ramp(static_cast<std::size_t>(n)));
    RunCase run_case;
    run_case.id = "small/0";
    run_case.buffers = {{"x", std::int64_t{n} * 4, "x.bin", ""},
                        {"y", std::int64_t{n} * 4, "", "y.bin"}};
    LaunchCall call;
    call.kernel = kernel;
    call.grid = {static_cast<std::uint32_t>(n + 256) / 256, 1, 1};
    call.block = {256, 1, 1};
    call.arguments = {{"x", ""}, {"y", ""}, {"", hex(n)}};
    run_case.candidate.binary = "k.cubin";
    run_case.candidate.launches = {call};
    return run_case;
  }
  static RunCase row_sum_case(int rows, int cols) {
    RunCase run_case = simple_case("row_sum", rows * cols);
    run_case.buffers[1].bytes = std::int64_t{rows} * 4;
    LaunchCall& call = run_case.candidate.launches[0];
    call.grid[0] = static_cast<std::uint32_t>(rows + 127) / 128;
    call.block[0] = 128;
    call.arguments = {{"x", ""}, {"y", ""}, {"", hex(rows)}, {"", hex(cols)}};
    return run_case;
  }
  static RunnerReport run(RunnerJob job) {
    PipedProcess worker({kWorker}, directory_->path(), 3);
    worker.send(encode(job));
    const auto report = decode_runner_report(worker.receive().value_or(""));
    last_exit_ = worker.finish();
    return report ? *report : RunnerReport{};
  }
  static RunnerReport check(const RunCase& run_case) {
    RunnerJob job;
    job.mode = JobMode::check;
    job.cases = {run_case};
    return run(job);
  }
  /// In kSource: the first line that holds `text` after `kernel` was named.
  static int line_of(const std::string& kernel, const std::string& text) {
    const std::string source = kSource;
    const auto at = source.find(text, source.find(kernel));
    return 1 + static_cast<int>(std::count(source.begin(),
                                           source.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  }
  static double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
  }

  static inline const std::string kWorker = std::string(WARPMIND_BINARY_DIR) + "/warpmind-worker";
  static inline ScratchDirectory* directory_ = nullptr;
  static inline std::string no_device_;
  static inline DeviceIdentity device_;
  static inline int last_exit_ = 0;
};

TEST_F(WorkerOnGpu, IdentifiesTheDevice) {
  EXPECT_FALSE(device_.name.empty());
  EXPECT_EQ(device_.uuid.size(), 40U);
  EXPECT_GT(device_.l2_bytes, 0);
  EXPECT_GE(std::count(device_.driver.begin(), device_.driver.end(), '.'), 1);
  std::printf("device %s %s sm_%d%d SMs=%d mem=%lld L2=%lld driver=%s runtime=%s\n",
              device_.name.c_str(), device_.uuid.c_str(), device_.compute_major,
              device_.compute_minor, device_.sm_count, static_cast<long long>(device_.memory_bytes),
              static_cast<long long>(device_.l2_bytes), device_.driver.c_str(),
              device_.runtime.c_str());
}

TEST_F(WorkerOnGpu, DumpsTheOutputOfACorrectKernel) {
  const int n = 1000;
  const auto report = check(simple_case("twice", n));

  ASSERT_TRUE(report.ok) << report.error;
  ASSERT_EQ(report.cases[0].status, CaseStatus::ok) << report.cases[0].message;
  EXPECT_GT(report.cases[0].event_ns, 0);
  const auto x = ramp(n);
  const auto y = load("y.bin");
  ASSERT_EQ(y.size(), x.size());
  for (std::size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], 2 * x[i]) << i;
  EXPECT_EQ(last_exit_, 0);
}

TEST_F(WorkerOnGpu, NamesWhatACandidateDidWrong) {
  RunCase hungry = simple_case("shared_hungry", 1001);
  hungry.candidate.launches[0].shared_bytes = 300 * 1024;
  RunCase few = simple_case("twice", 1001);
  few.candidate.launches[0].arguments.pop_back();
  RunCase unknown = simple_case("nonesuch", 1001);
  struct Expectation {
    RunCase run_case;
    CaseStatus status;
    std::string message;
  };
  for (const auto& [run_case, status, message] : std::vector<Expectation>{
           {simple_case("one_too_far", 1001), CaseStatus::red_zone,
            "bytes past y overwritten, nearest at +0"},
           {simple_case("spoil", 1001), CaseStatus::input_modified, "modified its input x"},
           {simple_case("moody", 1001), CaseStatus::nondeterministic, "changed y"},
           {hungry, CaseStatus::launch_error, "cudaErrorInvalidValue"},
           {few, CaseStatus::launch_error, "takes 3 parameters, the plan gives 2"},
           {unknown, CaseStatus::launch_error, "no kernel named nonesuch"}}) {
    const auto report = check(run_case);

    ASSERT_TRUE(report.ok) << report.error;
    EXPECT_EQ(report.cases[0].status, status) << report.cases[0].message;
    EXPECT_NE(report.cases[0].message.find(message), std::string::npos) << report.cases[0].message;
    std::printf("%s: %s\n", run_case.candidate.launches[0].kernel.c_str(),
                report.cases[0].message.c_str());
    EXPECT_EQ(last_exit_, 0);
  }
}

TEST_F(WorkerOnGpu, LargeSharedMemoryIsOptedInTo) {
  RunCase run_case = simple_case("shared_hungry", 1001);
  run_case.candidate.launches[0].shared_bytes = 96 * 1024;
  const auto report = check(run_case);
  ASSERT_TRUE(report.ok);
  EXPECT_EQ(report.cases[0].status, CaseStatus::ok) << report.cases[0].message;
}

TEST_F(WorkerOnGpu, AnUnwrittenElementReadsNan) {
  const auto report = check(simple_case("lazy", 1000));

  ASSERT_TRUE(report.ok);
  EXPECT_EQ(report.cases[0].status, CaseStatus::ok) << report.cases[0].message;
  const auto y = load("y.bin");
  ASSERT_EQ(y.size(), 1000U);
  EXPECT_FALSE(std::isnan(y[998]));
  EXPECT_TRUE(std::isnan(y[999]));
}

TEST_F(WorkerOnGpu, AStickyErrorEndsTheListAndTheProcess) {
  RunnerJob job;
  job.mode = JobMode::check;
  job.cases = {simple_case("astray", 1000), simple_case("twice", 1000)};
  const auto report = run(job);

  ASSERT_EQ(report.cases.size(), 1U);
  EXPECT_EQ(report.cases[0].status, CaseStatus::launch_error);
  EXPECT_NE(report.cases[0].message.find("cudaErrorIllegalAddress"), std::string::npos)
      << report.cases[0].message;
  EXPECT_EQ(last_exit_, 1);
}

TEST_F(WorkerOnGpu, RunsAHostEntryOfTierB) {
  RunCase run_case = simple_case("entry", 1000);
  run_case.candidate.tier = Tier::b;
  run_case.candidate.binary = "k.so";
  run_case.candidate.entry = "entry";
  run_case.candidate.launches[0].arguments.push_back({"", "00000040", Dtype::f32});
  auto report = check(run_case);
  ASSERT_TRUE(report.ok) << report.error;
  EXPECT_EQ(report.cases[0].status, CaseStatus::ok) << report.cases[0].message;
  EXPECT_EQ(load("y.bin"), [&] {
    auto expected = ramp(1000);
    for (float& value : expected) value *= 2;
    return expected;
  }());

  RunnerJob job;
  job.mode = JobMode::time;
  job.cases = {run_case};
  job.quads = 3;
  report = run(job);
  EXPECT_TRUE(report.ok) << report.error;

  run_case.candidate.launches[0].arguments.back().scalar_hex = "0000803f";
  report = check(run_case);
  EXPECT_NE(report.cases[0].message.find("entry returned 7"), std::string::npos)
      << report.cases[0].message;
}

TEST_F(WorkerOnGpu, ZeroedScratchAndInoutsStartFreshInEveryRun) {
  const int n = 4096;
  store("z.bin", ramp(n));
  RunCase run_case;
  run_case.id = "inout/0";
  run_case.buffers = {{"z", n * 4, "z.bin", "z.out"}};
  run_case.candidate.binary = "k.cubin";
  run_case.candidate.scratch = {{"counter", 4, true}};
  LaunchCall call;
  call.kernel = "count_up";
  call.grid = {n / 256, 1, 1};
  call.block = {256, 1, 1};
  call.arguments = {{"z", ""}, {"counter", ""}, {"", hex(n)}};
  run_case.candidate.launches = {call};
  for (const JobMode mode : {JobMode::check, JobMode::time}) {
    std::filesystem::remove(directory_->path() / "z.out");
    RunnerJob job;
    job.mode = mode;
    job.quads = 2;
    job.cases = {run_case};
    const auto report = run(job);
    ASSERT_TRUE(report.ok) << report.error;
    EXPECT_EQ(report.cases[0].status, CaseStatus::ok) << report.cases[0].message;
    const auto z = load("z.out");
    const auto start = ramp(n);
    ASSERT_EQ(z.size(), start.size());
    for (std::size_t i = 0; i < z.size(); ++i) ASSERT_EQ(z[i], start[i] + 1) << i;
  }
}

TEST_F(WorkerOnGpu, TimesAloneAndAgainstItself) {
  double previous = 0;
  for (const bool large : {false, true}) {
    RunCase run_case = large ? row_sum_case(16384, 4096) : simple_case("twice", 4 << 20);
    RunnerJob job;
    job.mode = JobMode::time;
    job.cases = {run_case};
    auto report = run(job);
    ASSERT_TRUE(report.ok) << report.error;
    ASSERT_EQ(report.quads.size(), 10U);
    std::vector<double> alone;
    for (const QuadSample& quad : report.quads) {
      ASSERT_EQ(quad.candidate_ns.size(), 4U);
      ASSERT_TRUE(quad.incumbent_ns.empty());
      alone.insert(alone.end(), quad.candidate_ns.begin(), quad.candidate_ns.end());
    }
    std::printf(
        "alone: median %.0f ns (min %.0f, max %.0f), %lld launches a block, SM %.0f MHz, "
        "throttle [%s]\n",
        median(alone), *std::min_element(alone.begin(), alone.end()),
        *std::max_element(alone.begin(), alone.end()),
        static_cast<long long>(report.launches_per_block), report.sm_clock_mhz,
        report.throttle.c_str());
    EXPECT_GT(median(alone), previous);
    previous = median(alone);
    EXPECT_FALSE(load("y.bin").empty());

    job.cases[0].incumbent = job.cases[0].candidate;
    job.order_seed = 5;
    report = run(job);
    ASSERT_TRUE(report.ok) << report.error;
    std::vector<double> ratios;
    for (const QuadSample& quad : report.quads) {
      ASSERT_EQ(quad.candidate_ns.size(), 2U);
      ASSERT_EQ(quad.incumbent_ns.size(), 2U);
      ratios.push_back((quad.incumbent_ns[0] + quad.incumbent_ns[1]) /
                       (quad.candidate_ns[0] + quad.candidate_ns[1]));
    }
    std::printf("A/A ratio: median %.5f (min %.5f, max %.5f)\n", median(ratios),
                *std::min_element(ratios.begin(), ratios.end()),
                *std::max_element(ratios.begin(), ratios.end()));
    EXPECT_NEAR(median(ratios), 1, 0.05);
  }
}

TEST_F(WorkerOnGpu, ProfilesEachLaunchOrSaysWhyNot) {
  RunCase run_case = row_sum_case(16384, 4096);
  run_case.candidate.launches.push_back(run_case.candidate.launches[0]);
  RunnerJob job;
  job.mode = JobMode::profile;
  job.cases = {run_case};
  job.metrics = {"gpu__time_duration.sum",
                 "sm__cycles_elapsed.max",
                 "sm__throughput.avg.pct_of_peak_sustained_elapsed",
                 "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
                 "dram__bytes_read.sum",
                 "dram__bytes_write.sum",
                 "dram__throughput.avg.pct_of_peak_sustained_elapsed",
                 "lts__t_sectors_op_read.sum",
                 "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                 "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                 "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
                 "sm__warps_active.avg.pct_of_peak_sustained_active",
                 "smsp__inst_executed.sum",
                 "smsp__thread_inst_executed_per_inst_executed.ratio",
                 "sm__inst_executed_pipe_tensor.sum",
                 "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
                 "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio",
                 "smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio",
                 "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
                 "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
                 "l1tex__t_sector_hit_rate.pct",
                 "lts__t_sector_hit_rate.pct",
                 "launch__registers_per_thread"};
  const auto report = run(job);

  ASSERT_TRUE(report.ok) << report.error;
  if (report.counters_refused) GTEST_SKIP() << report.counters_note;
  ASSERT_EQ(report.kernels.size(), 2U);
  EXPECT_EQ(report.absent,
            (std::vector<std::string>{"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
                                      "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
                                      "launch__registers_per_thread"}));
  const KernelProfile& kernel = report.kernels[0];
  for (const Metric& metric : kernel.metrics) {
    std::printf("%-75s %14.3f %s\n", metric.name.c_str(), metric.value, metric.unit.c_str());
  }
  EXPECT_EQ(kernel.kernel, "row_sum");
  EXPECT_NEAR(kernel.time_share + report.kernels[1].time_share, 1, 1e-9);
  EXPECT_GT(kernel.find("gpu__time_duration.sum").value_or(0), 0);
  const double sectors = kernel.find("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum").value_or(0);
  const double requests =
      kernel.find("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum").value_or(1);
  EXPECT_GT(sectors / requests, 8) << "one thread a row reads far apart";
}

// Warps of such a loop wait for its loads, and the samples say in which line.
TEST_F(WorkerOnGpu, SamplesTheLinesThatWarpsWaitInOrSaysWhyNot) {
  RunnerJob job;
  job.mode = JobMode::profile;
  job.cases = {row_sum_case(16384, 4096)};
  job.sample_lines = true;
  const auto report = run(job);

  ASSERT_TRUE(report.ok) << report.error;
  if (report.lines_note.find("may not read hardware counters") != std::string::npos) {
    GTEST_SKIP() << report.lines_note;
  }
  ASSERT_FALSE(report.lines.empty()) << report.lines_note;
  for (const LineProfile& line : report.lines) {
    std::printf("%s line %d:", line.kernel.c_str(), line.line);
    for (const Metric& metric : line.metrics) {
      std::printf(" %s %.1f", metric.name.c_str(), metric.value);
    }
    std::printf("\n");
  }
  Profile profile;
  profile.kernels = {{"row_sum", 1, {}}};
  profile.lines = report.lines;
  const LaunchRow row = launch_row(profile, profile.kernels[0]);
  EXPECT_EQ(row.stall, "long scoreboard");
  EXPECT_EQ(row.stall_origin, MetricOrigin::measured);
  EXPECT_EQ(row.line, line_of("row_sum", "+="));
}

}  // namespace
}  // namespace warpmind::profilers
