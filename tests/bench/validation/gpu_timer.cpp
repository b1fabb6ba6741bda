#include "tests/bench/validation/gpu_timer.h"

#include "base/file.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

namespace warpmind::validation {
namespace {

using profilers::cuda_check;

constexpr std::size_t kCubinLimitBytes = std::size_t{1} << 20U;
constexpr int kMostRuns = 30;
constexpr int kLeastRuns = 7;
constexpr double kBudgetUs = 600'000;  ///< of the timed runs of one point
constexpr double kWarmUpUs = 15'000;   ///< brings the clock up
constexpr double kBatchUs = 2'000;
constexpr int kMostInBatch = 100;
constexpr int kBatches = 3;
constexpr unsigned kFlushBlocks = 1056;
constexpr unsigned kFlushThreads = 256;

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(std::lround(q * static_cast<double>(values.size() - 1)))];
}

}  // namespace

Result<GpuTimer> GpuTimer::create(const std::filesystem::path& cubins, int l2_bytes,
                                  cudaStream_t stream) {
  GpuTimer out;
  out.stream_ = stream;
  const auto file = cubins / "flush.cubin";
  WARPMIND_TRY(const std::string image, read_file(file, kCubinLimitBytes));
  cudaLibrary_t library = nullptr;
  WARPMIND_CHECK(cuda_check(
      cudaLibraryLoadData(&library, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
      "loading " + file.string()));
  out.library_ = UniqueLibrary(library);
  cudaKernel_t kernel = nullptr;
  WARPMIND_CHECK(cuda_check(cudaLibraryGetKernel(&kernel, library, "flush"), "finding flush"));
  out.flush_kernel_ = static_cast<const void*>(kernel);
  const std::size_t bytes = std::size_t{4} * static_cast<std::size_t>(l2_bytes);
  WARPMIND_TRY(out.buffer_, profilers::allocate_device(bytes + 16, "the flush buffer"));
  WARPMIND_CHECK(cuda_check(cudaMemset(out.buffer_.get(), 1, bytes + 16), "filling the buffer"));
  out.words_ = static_cast<int>(bytes / 16);
  for (int i = 0; i < kMostRuns; ++i) {
    WARPMIND_TRY(auto start, profilers::make_event());
    WARPMIND_TRY(auto stop, profilers::make_event());
    out.starts_.push_back(std::move(start));
    out.stops_.push_back(std::move(stop));
  }
  WARPMIND_TRY(const auto empty, out.cold_runs(kMostRuns, [] { return Result<void>(); }));
  out.empty_us_ = quantile(empty, 0.5);
  return out;
}

Result<void> GpuTimer::flush() const {
  void* buffer = buffer_.get();
  void* never = buffer_.get() + std::size_t{16} * static_cast<std::size_t>(words_);
  int words = words_;
  std::array<void*, 3> arguments{&buffer, &never, &words};
  return cuda_check(cudaLaunchKernel(flush_kernel_, dim3{kFlushBlocks}, dim3{kFlushThreads},
                                     arguments.data(), 0, stream_),
                    "flushing the L2 cache");
}

Result<std::vector<double>> GpuTimer::cold_runs(int runs, const Launch& launch) {
  // Everything is enqueued before the first flush ends, so that no launch waits for the host.
  for (std::size_t i = 0; i < static_cast<std::size_t>(runs); ++i) {
    WARPMIND_CHECK(flush());
    WARPMIND_CHECK(cuda_check(cudaEventRecord(starts_[i].get(), stream_), "recording"));
    WARPMIND_CHECK(launch());
    WARPMIND_CHECK(cuda_check(cudaEventRecord(stops_[i].get(), stream_), "recording"));
  }
  WARPMIND_CHECK(cuda_check(cudaStreamSynchronize(stream_), "running the timed launches"));
  std::vector<double> times;
  for (std::size_t i = 0; i < static_cast<std::size_t>(runs); ++i) {
    float milliseconds = 0;
    WARPMIND_CHECK(
        cuda_check(cudaEventElapsedTime(&milliseconds, starts_[i].get(), stops_[i].get()),
                   "reading the events"));
    times.push_back(double{milliseconds} * 1e3);
  }
  return times;
}

Result<double> GpuTimer::run_of(int launches, const Launch& launch) {
  // A flush first: the host enqueues the launches while it runs.
  WARPMIND_CHECK(flush());
  WARPMIND_CHECK(launch());
  WARPMIND_CHECK(cuda_check(cudaEventRecord(starts_[0].get(), stream_), "recording"));
  for (int i = 0; i < launches; ++i) WARPMIND_CHECK(launch());
  WARPMIND_CHECK(cuda_check(cudaEventRecord(stops_[0].get(), stream_), "recording"));
  WARPMIND_CHECK(cuda_check(cudaStreamSynchronize(stream_), "running a batch"));
  float milliseconds = 0;
  WARPMIND_CHECK(cuda_check(cudaEventElapsedTime(&milliseconds, starts_[0].get(), stops_[0].get()),
                            "reading"));
  return double{milliseconds} * 1e3 / launches;
}

Result<Timing> GpuTimer::time(const Launch& launch) {
  double warm_us = 0;
  double once_us = 0;
  while (warm_us < kWarmUpUs) {
    const auto begun = std::chrono::steady_clock::now();
    WARPMIND_TRY(const auto first, cold_runs(kLeastRuns, launch));
    once_us = quantile(first, 0.5);
    const std::chrono::duration<double, std::micro> wall = std::chrono::steady_clock::now() - begun;
    warm_us += wall.count();
  }
  Timing out;
  out.runs = std::clamp(static_cast<int>(kBudgetUs / once_us), kLeastRuns, kMostRuns);
  WARPMIND_TRY(const auto times, cold_runs(out.runs, launch));
  out.median_us = quantile(times, 0.5);
  out.p10_us = quantile(times, 0.1);
  out.p90_us = quantile(times, 0.9);
  out.back_to_back_runs = std::clamp(static_cast<int>(kBatchUs / once_us), 2, kMostInBatch);
  std::vector<double> batches;
  for (int i = 0; i < kBatches; ++i) {
    WARPMIND_TRY(const double mean, run_of(out.back_to_back_runs, launch));
    batches.push_back(mean);
  }
  out.back_to_back_us = quantile(batches, 0.5);
  return out;
}

}  // namespace warpmind::validation
