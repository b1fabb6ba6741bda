// Measures the points of the validation table on this machine's GPU.
//   validation_measure POINTS.toml CUBINS OUTPUT.json [COUNTER_SECONDS]
// CUBINS is what build_cubins.sh made. First every point is timed, then CUPTI counts as many points
// as COUNTER_SECONDS (300 where none is given) allow. Needs a GPU; says so where there is none.

#include "base/file.h"
#include "profilers/worker/nvml.h"
#include "profilers/worker/range_counters.h"
#include "tests/bench/validation/gpu_buffers.h"
#include "tests/bench/validation/gpu_kernel.h"
#include "tests/bench/validation/gpu_timer.h"
#include "tests/bench/validation/point_counters.h"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <optional>

#include <nlohmann/json.hpp>

namespace {

using namespace warpmind;
using namespace warpmind::validation;
using Json = nlohmann::ordered_json;
using profilers::cuda_check;

constexpr double kCounterSeconds = 300;

struct Options {
  std::filesystem::path table;
  std::filesystem::path cubins;
  std::filesystem::path output;
  double counter_seconds = kCounterSeconds;
};

struct Gpu {
  cudaDeviceProp properties{};
  profilers::UniqueStream stream;
  std::unique_ptr<profilers::Nvml> nvml;
};

/// A whole number as such, anything else with six digits: the file stays small.
Json compact(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (value == std::floor(value) && std::abs(value) < 1e15) return static_cast<std::int64_t>(value);
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return std::strtod(text.data(), nullptr);
}

Result<Options> read_options(int argc, char** argv) {
  if (argc < 4 || argc > 5) {
    return fail(Errc::invalid_argument,
                "usage: validation_measure POINTS.toml CUBINS OUTPUT.json [COUNTER_SECONDS]");
  }
  Options out{argv[1], argv[2], argv[3]};
  if (argc == 5) {
    char* end = nullptr;
    out.counter_seconds = std::strtod(argv[4], &end);
    if (*end != '\0' || !(out.counter_seconds >= 0)) {
      return fail(Errc::invalid_argument,
                  "COUNTER_SECONDS must be a number, not '" + std::string(argv[4]) + "'");
    }
  }
  return out;
}

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    std::array<char, 4> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x",
                  static_cast<unsigned>(static_cast<unsigned char>(uuid.bytes[i])));
    text += digits.data();
  }
  return text;
}

Result<Gpu> open_gpu() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
    return fail(Errc::unavailable,
                "no CUDA GPU on this machine; run this where the times are wanted");
  }
  Gpu out;
  WARPMIND_CHECK(cuda_check(cudaGetDeviceProperties(&out.properties, 0), "reading the device"));
  WARPMIND_TRY(out.stream, profilers::make_stream());
  out.nvml = profilers::Nvml::open(uuid_text(out.properties.uuid));
  return out;
}

Json describe(const Gpu& gpu, const std::string& command) {
  std::array<char, 32> date{};
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  (void)std::strftime(date.data(), date.size(), "%Y-%m-%d %H:%M UTC", &utc);
  int runtime = 0;
  (void)cudaRuntimeGetVersion(&runtime);
  return {{"device", gpu.properties.name},
          {"sms", gpu.properties.multiProcessorCount},
          {"l2_bytes", gpu.properties.l2CacheSize},
          {"driver", gpu.nvml ? gpu.nvml->driver_version() : ""},
          {"cuda_runtime", runtime},
          {"date", date.data()},
          {"command", command},
          {"times", "microseconds; each single launch after the L2 cache was flushed by reads"},
          {"counters_note", "CUPTI range profiler, kernel replay, no flush between passes"}};
}

Json facts_of(const Point& point, const KernelFacts& facts) {
  return {{"id", point.id},
          {"build", point.build},
          {"grid", point.launch.grid},
          {"block", point.launch.block},
          {"shared", point.launch.shared_bytes},
          {"static_shared", facts.static_shared_bytes},
          {"registers", facts.registers},
          {"local", facts.local_bytes},
          {"blocks_per_sm", facts.blocks_per_sm}};
}

/// Calls `work` for every point with its buffers on the GPU and its kernel loaded. A point that
/// fails is noted in `failures`; errors only when the context is lost with it.
using Work = std::function<Result<void>(const Point&, const GpuBuffers&, const GpuKernel&)>;
Result<void> for_each_point(const std::vector<Point>& points, const std::filesystem::path& cubins,
                            const Work& work, Json& failures) {
  std::optional<GpuBuffers> buffers;
  for (const Point& point : points) {
    if (!buffers || !buffers->fit(point)) {
      buffers.reset();
      WARPMIND_TRY(buffers, GpuBuffers::create(point));
    }
    const auto done = [&]() -> Result<void> {
      WARPMIND_TRY(const GpuKernel kernel, GpuKernel::load(cubins, point, buffers->addresses()));
      return work(point, *buffers, kernel);
    }();
    if (done) continue;
    std::fprintf(stderr, "%s: %s\n", point.id.c_str(), done.error().message.c_str());
    failures.push_back(point.id + ": " + done.error().message);
    if (profilers::context_is_lost()) return fail(Error(done.error()).while_doing(point.id));
  }
  return {};
}

Json* entry_of(Json& list, const std::string& id) {
  for (Json& entry : list) {
    if (entry["id"] == id) return &entry;
  }
  return nullptr;
}

Result<Json> time_points(const Gpu& gpu, const Options& options, const std::vector<Point>& points,
                         Json& report) {
  cudaStream_t const stream = gpu.stream.get();
  WARPMIND_TRY(auto timer, GpuTimer::create(options.cubins, gpu.properties.l2CacheSize, stream));
  report["empty_events_us"] = compact(timer.empty_us());
  Json list = Json::array();
  const auto work = [&](const Point& point, const GpuBuffers& buffers,
                        const GpuKernel& kernel) -> Result<void> {
    WARPMIND_CHECK(buffers.clear_outputs(stream));
    WARPMIND_CHECK(kernel.launch(stream));
    WARPMIND_CHECK(cuda_check(cudaStreamSynchronize(stream), "running once"));
    WARPMIND_TRY(const Checksum sums, buffers.checksum());
    WARPMIND_TRY(const Timing timing, timer.time([&] { return kernel.launch(stream); }));
    Json entry = facts_of(point, kernel.facts());
    entry["us"] = {compact(timing.median_us), compact(timing.p10_us), compact(timing.p90_us)};
    entry["runs"] = timing.runs;
    entry["back_to_back_us"] = compact(timing.back_to_back_us);
    entry["sum"] = {sums.sum, sums.weighted, compact(sums.magnitude)};
    if (gpu.nvml) entry["sm_mhz"] = compact(gpu.nvml->sm_clock_mhz().value_or(0));
    std::printf("%s %.2f us (%.2f to %.2f), back to back %.2f\n", point.id.c_str(),
                timing.median_us, timing.p10_us, timing.p90_us, timing.back_to_back_us);
    list.push_back(std::move(entry));
    return {};
  };
  WARPMIND_CHECK(for_each_point(points, options.cubins, work, report["failures"]));
  return list;
}

/// Adds "counters", in the order of report["counter_names"], to the entries of report["points"].
Result<void> count_points(const Gpu& gpu, const Options& options, const std::vector<Point>& points,
                          Json& report) {
  cudaStream_t const stream = gpu.stream.get();
  WARPMIND_TRY(const auto cupti, profilers::load_cupti());
  bool refused = false;
  WARPMIND_TRY(const auto counters,
               profilers::RangeCounters::configure(cupti, 0, counter_names(), refused));
  report["counter_names"] = counters->accepted();
  report["counters_refused"] = counters->refused();
  const auto begun = std::chrono::steady_clock::now();
  std::size_t counted = 0;
  const auto work = [&](const Point& point, const GpuBuffers& buffers,
                        const GpuKernel& kernel) -> Result<void> {
    Json* const entry = entry_of(report["points"], point.id);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begun;
    if (spent.count() > options.counter_seconds || entry == nullptr) return {};
    WARPMIND_CHECK(buffers.clear_outputs(stream));
    const auto launch = [&]() -> Result<void> {
      WARPMIND_CHECK(kernel.launch(stream));
      return cuda_check(cudaStreamSynchronize(stream), "running under the counters");
    };
    WARPMIND_TRY(const auto ranges, counters->collect(1, launch, refused));
    if (ranges.empty()) return {};
    Json values = Json::array();
    for (const double value : ranges.front()) values.push_back(compact(value));
    (*entry)["counters"] = std::move(values);
    ++counted;
    return {};
  };
  auto done = for_each_point(points, options.cubins, work, report["failures"]);
  std::printf("counters read for %zu of %zu points\n", counted, points.size());
  return done;
}

Result<void> save(const Json& report, const std::filesystem::path& file) {
  // One point a line: differences between two runs stay readable.
  Json head = report;
  head.erase("points");
  std::string text = head.dump();
  text.pop_back();
  text += ",\n\"points\":[\n";
  for (const Json& point : report["points"]) {
    if (text.back() == '}') text += ",\n";
    text += point.dump();
  }
  return write_file_atomic(file, text + "\n]}\n");
}

Result<void> run(int argc, char** argv) {
  WARPMIND_TRY(const Options options, read_options(argc, argv));
  WARPMIND_TRY(const auto points, read_points(options.table));
  WARPMIND_TRY(const Gpu gpu, open_gpu());
  std::string command = "validation_measure";
  for (int i = 1; i < argc; ++i) command += std::string(" ") + argv[i];
  Json report = describe(gpu, command);
  report["failures"] = Json::array();
  WARPMIND_TRY(report["points"], time_points(gpu, options, points, report));
  WARPMIND_CHECK(save(report, options.output));  // the times survive a failure of the counters
  const auto counted = count_points(gpu, options, points, report);
  if (!counted) report["counters_error"] = counted.error().message;
  WARPMIND_CHECK(save(report, options.output));
  return counted;
}

}  // namespace

int main(int argc, char** argv) {
  const auto done = run(argc, argv);
  if (!done) {
    std::fprintf(stderr, "validation_measure: %s\n", done.error().message.c_str());
    return 1;
  }
  return 0;
}
