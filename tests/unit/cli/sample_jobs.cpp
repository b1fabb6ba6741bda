#include "sample_jobs.h"

namespace warpmind::clients::samples {
namespace {

constexpr const char* kSource =
    R"(extern "C" __global__ void row_softmax(const half* x, half* y, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float largest = -INFINITY;
  for (int c = 0; c < columns; ++c) {
    largest = fmaxf(largest, __half2float(x[row * columns + c]));
  }
  float sum = 0;
  for (int c = 0; c < columns; ++c) {
    sum += expf(__half2float(x[row * columns + c]) - largest);
  }
  for (int c = 0; c < columns; ++c) {
    float e = expf(__half2float(x[row * columns + c]) - largest);
    y[row * columns + c] = __float2half(e / sum);
  }
}
)";

Kernel given_kernel() {
  Kernel kernel;
  kernel.source = kSource;
  kernel.plan.launches.push_back({.kernel = "row_softmax",
                                  .grid = {"ceil_div(rows, block_x)", "1", "1"},
                                  .block = {"256", "1", "1"},
                                  .shared_bytes = "0",
                                  .arguments = {"x", "y", "i32:rows", "i32:columns"}});
  return kernel;
}

Kernel faster_kernel() {
  Kernel kernel = given_kernel();
  const std::string from = "int row = blockIdx.x * blockDim.x + threadIdx.x;";
  kernel.source.replace(kernel.source.find(from), from.size(), "int row = blockIdx.x;");
  kernel.plan.launches[0].grid[0] = "rows";
  return kernel;
}

DeviceIdentity h200() {
  return {.name = "NVIDIA H200",
          .uuid = "GPU-1",
          .compute_major = 9,
          .compute_minor = 0,
          .sm_count = 132,
          .memory_bytes = 150'000'000'000,
          .l2_bytes = 52'428'800,
          .driver = "580.159.04",
          .runtime = "13.0"};
}

Measurement measured(double median_ns) {
  Measurement m;
  m.device = h200();
  m.toolkit = "13.0";
  m.workload = "large";
  m.median_ns = median_ns;
  m.low_ns = median_ns * 0.995;
  m.high_ns = median_ns * 1.006;
  m.samples = 70;
  m.launches_per_sample = 4;
  m.sm_clock_mhz = 1980;
  m.harness = "1";
  return m;
}

Measurement simulated(double median_ns) {
  Measurement m = measured(median_ns);
  m.provider = Provider::sim;
  m.samples = 1;
  m.bound = "dram";
  m.confidence = "medium";
  m.limit.ns = 6990;
  m.limit.by = LimitedBy::memory;
  return m;
}

Profile profile(double time_ns, double sectors, double warps) {
  Profile p;
  p.tier = ProfileTier::t2;
  p.workload = "large";
  p.kernels.push_back(
      {.kernel = "row_softmax",
       .time_share = 1,
       .metrics = {{"gpu__time_duration.sum", time_ns, "ns"},
                   {"dram__bytes_read.sum", 67'108'864, "bytes"},
                   {"warpmind__sectors_per_load", sectors, "sectors/request"},
                   {"sm__warps_active.avg.pct_of_peak_sustained_active", warps, "percent"},
                   {"warpmind__registers", 32, "registers"}}});
  return p;
}

BuildReport built() {
  return {.succeeded = true,
          .from_cache = false,
          .architecture = "sm_90",
          .kernels = {{.kernel = "row_softmax",
                       .registers = 32,
                       .static_shared_bytes = 1024,
                       .stack_bytes = 0,
                       .spill_store_bytes = 48,
                       .spill_load_bytes = 96}},
          .diagnostics = {}};
}

Step baseline() {
  Step step;
  step.candidate.kernel = given_kernel();
  step.candidate.proposer = "task";
  step.verdict.outcome = Outcome::same;
  step.verdict.build = built();
  step.verdict.correctness = Correctness{.passed = true,
                                         .cases = 24,
                                         .elements = 1'048'576,
                                         .worst_error_ratio = 0.4,
                                         .baseline_error = 0,
                                         .worst_case = {}};
  step.verdict.measurement = measured(533'240);
  step.verdict.profile = profile(533'000, 32, 12.5);
  step.accepted = true;
  return step;
}

Bottleneck uncoalesced() {
  const std::vector<DecidingMetric> sectors = {
      {"warpmind__sectors_per_load_request", 32, 4, "sectors/request"}};
  const Cause loads{.which = BottleneckClass::uncoalesced_access,
                    .kernel = "row_softmax",
                    .at_stake_ns = 410'000,
                    .share = 0.77,
                    .confidence = 0.9,
                    .explanation = "each load of a warp touches 32 sectors where 4 would do",
                    .deciders = sectors};
  const Cause blocks{.which = BottleneckClass::low_parallelism,
                     .kernel = "row_softmax",
                     .at_stake_ns = 160'000,
                     .share = 0.3,
                     .confidence = 0.85,
                     .explanation = "32 blocks for 132 multiprocessors",
                     .deciders = {{"warpmind__blocks", 32, 132, "count"}}};
  return {.primary = BottleneckClass::uncoalesced_access,
          .secondary = {BottleneckClass::low_parallelism},
          .kernel = "row_softmax",
          .deciders = sectors,
          .headroom = 8.14,
          .confidence = 0.9,
          .explanation =
              "Each load of a warp touches 32 sectors where 4 would do (up to 410 of 533 "
              "µs). Also: 32 blocks for 132 multiprocessors (up to 160 of 533 µs).",
          .launches = {},
          .causes = {loads, blocks}};
}

Step tried(std::int64_t index, std::string technique, std::string parameters) {
  Step step;
  step.index = index;
  step.candidate.kernel = faster_kernel();
  step.candidate.parent = KernelId("k-0123456789abcdef");
  step.candidate.proposer = "builtin";
  step.candidate.technique = std::move(technique);
  step.candidate.parameters = std::move(parameters);
  step.candidate.predicted_gain = 1.4;
  step.candidate.predicted_low = 1.1;
  step.candidate.predicted_high = 1.9;
  step.before = uncoalesced();
  return step;
}

Step kept(std::int64_t index, double ratio) {
  Step step = tried(index, "coalesce_rows", "threads_per_row=256");
  step.candidate.rationale =
      "one block a row, so that neighbouring threads read neighbouring "
      "elements.";
  step.verdict.outcome = Outcome::improved;
  step.verdict.reason = "confirmed faster";
  step.verdict.measurement = measured(533'240 / ratio);
  step.verdict.comparison = Comparison{.ratio = ratio,
                                       .low = ratio - 0.06,
                                       .high = ratio + 0.07,
                                       .confidence = 0.99,
                                       .processes = 7,
                                       .quads = 70};
  step.verdict.profile = profile(231'000, 4.25, 61.7);
  step.accepted = true;
  return step;
}

Step failed(std::int64_t index, Outcome outcome, std::string reason) {
  Step step = tried(index, "block_size", "block_x=1024");
  step.verdict.outcome = outcome;
  step.verdict.reason = std::move(reason);
  return step;
}

Step slower(std::int64_t index) {
  Step step = failed(index, Outcome::same, "inside one percent of the incumbent");
  step.verdict.comparison = Comparison{
      .ratio = 1.002, .low = 0.997, .high = 1.006, .confidence = 0.99, .processes = 7, .quads = 70};
  return step;
}

Job job_with(Episode episode) {
  Job job;
  job.id = JobId("j-0000000007");
  job.state = JobState::done;
  job.request.task.name = "row_softmax_f16";
  job.submitted = {1'795'000'000'000};
  job.attempts = 1;
  episode.id = EpisodeId("e-0000000007");
  episode.task = TaskId("t-00112233445566aa");
  episode.task_name = "row_softmax_f16";
  episode.operator_family = "softmax";
  job.episode = std::move(episode);
  return job;
}

}  // namespace

Job improved() {
  Episode e;
  e.outcome = Outcome::improved;
  e.steps = {baseline(), failed(1, Outcome::build_failed, "kernel.cu:3:9: error: expected ';'"),
             kept(2, 2.31), slower(3),
             failed(4, Outcome::wrong, "tiny/normal y[3,17]: got 1.5, want 1.25")};
  e.best_step = 2;
  e.best_against_baseline = Comparison{
      .ratio = 2.306, .low = 2.251, .high = 2.377, .confidence = 0.99, .processes = 7, .quads = 70};
  e.summary = "Reading rows side by side removed the uncoalesced access.";
  Job job = job_with(std::move(e));
  job.receipt = WriteBackReceipt{
      .sequence = 1042,
      .steps = 5,
      .kernels = 3,
      .measurements = 3,
      .lessons = {"coalesce_rows at uncoalesced_access on NVIDIA H200: 2.31x, 1 measurement"}};
  return job;
}

Job same() {
  Episode e;
  e.outcome = Outcome::same;
  e.split = Split::heldout;
  e.steps = {baseline(), slower(1)};
  e.summary = "One candidate was judged, none was confirmed faster.";
  Job job = job_with(std::move(e));
  job.receipt = WriteBackReceipt{};
  return job;
}

Job wrong_baseline() {
  Episode e;
  e.outcome = Outcome::wrong;
  Step step = baseline();
  step.verdict.outcome = Outcome::wrong;
  step.verdict.reason = "the given kernel does not compute what the reference computes";
  step.verdict.measurement.reset();
  step.verdict.profile.reset();
  step.verdict.correctness =
      Correctness{.passed = false,
                  .cases = 6,
                  .elements = 24'576,
                  .worst_error_ratio = 131.5,
                  .baseline_error = 0,
                  .worst_case = "tiny/normal y[3,17]: got 1.5, want 1.25 (tolerance 2e-3)"};
  e.steps = {step};
  return job_with(std::move(e));
}

Job build_failed() {
  Episode e;
  e.outcome = Outcome::build_failed;
  Step step = baseline();
  step.verdict = Verdict{};
  step.verdict.outcome = Outcome::build_failed;
  step.verdict.reason = "nvcc refused the given kernel";
  step.verdict.build = BuildReport{};
  step.verdict.build->architecture = "sm_90";
  step.verdict.build->diagnostics =
      "kernel.cu(3): error: expected a \";\"\n\tint row = 1\n\t           ^\n\n"
      "1 error detected in the compilation of \"kernel.cu\".\n";
  e.steps = {step};
  return job_with(std::move(e));
}

Job blocked() {
  Episode e;
  e.outcome = Outcome::blocked;
  Step step = baseline();
  step.verdict.outcome = Outcome::blocked;
  step.verdict.reason =
      "no CUDA device is visible; run it on a machine with a GPU, or check "
      "`nvidia-smi`";
  step.verdict.measurement.reset();
  step.verdict.correctness.reset();
  Profile p;
  p.tier = ProfileTier::t0;
  p.kernels.push_back({.kernel = "row_softmax",
                       .time_share = 1,
                       .metrics = {{"warpmind__occupancy_theoretical", 62.5, "percent"},
                                   {"warpmind__registers", 32, "registers"}}});
  step.verdict.profile = p;
  e.steps = {step};
  return job_with(std::move(e));
}

Job cancelled() {
  Episode e;
  e.outcome = Outcome::inconclusive;
  e.steps = {baseline(), slower(1)};
  e.summary = "Stopped by request after one candidate.";
  Job job = job_with(std::move(e));
  job.state = JobState::cancelled;
  job.receipt = WriteBackReceipt{
      .sequence = 1050, .steps = 2, .kernels = 2, .measurements = 1, .lessons = {}};
  return job;
}

Job memory_started() {
  Job job = improved();
  Episode& e = *job.episode;
  Step remembered = kept(1, 2.31);
  remembered.candidate.proposer = "memory";
  remembered.candidate.technique = "coalesce_rows";
  remembered.candidate.rationale =
      "the best kernel of episode e-0000000007 for this task, 2.31x on NVIDIA H200.";
  e.steps = {baseline(), remembered, slower(2)};
  e.best_step = 1;
  e.provider = Provider::fixture;
  e.steps[0].verdict.measurement->sandboxed = false;
  e.summary = "The remembered kernel was confirmed again in one step.";
  job.id = JobId("j-0000000008");
  job.receipt->lessons = {
      "coalesce_rows at uncoalesced_access on NVIDIA H200: 2.31x, 2 measurements"};
  return job;
}

Job predicted() {
  Episode e;
  e.provider = Provider::sim;
  e.outcome = Outcome::improved;
  e.proposer = "builtin";
  Step given = baseline();
  given.verdict.measurement = simulated(221'400);
  given.verdict.profile = profile(221'400, 32, 12.5);
  given.verdict.profile->lines.push_back(
      {.kernel = "row_softmax",
       .line = 6,
       .metrics = {{"warpmind__line_cycles_pct", 50, "percent"},
                   {"warpmind__line_sectors_per_request", 32, "ratio"}}});
  given.verdict.stages = {{.stage = Stage::hidden_oracle, .passed = true, .detail = {}}};
  Step best = kept(1, 31.35);
  best.candidate.technique = "warp_per_output";
  best.edited = 0;
  best.before.kernel = "row_softmax";
  best.verdict.measurement = simulated(7'061);
  best.verdict.correctness = given.verdict.correctness;
  best.verdict.stages = given.verdict.stages;
  e.steps = {given, best, slower(2), slower(3)};
  e.best_step = 1;
  e.best_against_baseline = Comparison{
      .ratio = 31.35, .low = 19.8, .high = 49.7, .confidence = 0.9, .processes = 0, .quads = 0};
  Job job = job_with(std::move(e));
  Task& task = job.request.task;
  task.reference = "void reference();";
  task.directory = "/tasks/row_softmax_f16";
  task.kernel = given_kernel();
  task.workloads = {{.name = "large", .sizes = {{"rows", 8192}, {"columns", 2048}}, .timed = true}};
  job.spent.seconds = 21.4;
  return job;
}

Job dead_end() {
  Job job = predicted();
  Episode& e = *job.episode;
  e.outcome = Outcome::same;
  e.steps = {e.steps[0], slower(1), slower(2), failed(3, Outcome::wrong, "y[0]: got 1, want 2")};
  for (auto& step : e.steps) step.edited = step.index > 0 ? 0 : -1;
  e.steps[0].verdict.measurement = simulated(9'204'000);
  e.best_step = 0;
  e.best_against_baseline.reset();
  e.ended = "every edit that is known was tried";
  return job;
}

Job low_confidence() {
  Job job = predicted();
  job.episode->steps[0].verdict.measurement->confidence = "low";
  return job;
}

}  // namespace warpmind::clients::samples
