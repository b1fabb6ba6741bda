#include "tests/bench/limit_bench/limit_cases.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>
#include <utility>

namespace warpmind::bench {
namespace {

using profilers::BufferSpec;
using profilers::CallArgument;
using profilers::LaunchCall;

constexpr double kMostApart = 0.05;
constexpr std::int64_t kMib = std::int64_t{1} << 20U;
constexpr std::uint32_t kBlock = 256;
constexpr std::int64_t kLoadBytes = 16;
constexpr std::int64_t kTranspose = 4096;
constexpr std::int64_t kL2Bytes = 24 * kMib;
constexpr std::int32_t kL2Passes = 32;
constexpr std::int32_t kRounds = 16'384;
constexpr double kChains = 8;
constexpr std::int64_t kBlocksPerSm = 8;

CallArgument buffer(const std::string& name) {
  CallArgument argument;
  argument.buffer = name;
  return argument;
}

CallArgument scalar(std::int32_t value) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  CallArgument argument;
  for (int byte = 0; byte < 4; ++byte, bits >>= 8U) {
    argument.scalar_hex += kDigits[(bits >> 4U) & 15U];
    argument.scalar_hex += kDigits[bits & 15U];
  }
  return argument;
}

/// A case of one launch over `buffers`; grid, block, scalars and what is known are the caller's.
LimitCase case_of(const std::string& name, const std::string& binary, double bytes, double flops,
                  std::vector<BufferSpec> buffers) {
  LimitCase one;
  one.name = name;
  one.task.name = name;
  one.task.reference = "// nobody asks: the cost model is known";
  one.task.workloads = {{"one", {}, true}};
  one.task.cost = {std::to_string(std::llround(bytes)), std::to_string(std::llround(flops))};
  one.task.arguments = {{"x", ArgumentKind::in, Dtype::f32, {"1"}, "", {}, 0, 0}};
  one.run_case.id = name;
  one.run_case.candidate.binary = binary;
  LaunchCall launch;
  launch.kernel = name;
  launch.block = {kBlock, 1, 1};
  for (const auto& spec : buffers) launch.arguments.push_back(buffer(spec.name));
  one.run_case.candidate.launches = {launch};
  one.run_case.buffers = std::move(buffers);
  return one;
}

LaunchCall& launch_of(LimitCase& one) { return one.run_case.candidate.launches.front(); }

/// Blocks that move `bytes` with so many 16-byte accesses a thread.
void set_grid(LimitCase& one, std::int64_t bytes, std::int64_t accesses) {
  launch_of(one).grid[0] = static_cast<std::uint32_t>(bytes / (kLoadBytes * kBlock * accesses));
}

void set_dtype(LimitCase& one, Dtype dtype) { one.task.arguments.front().dtype = dtype; }

LimitCase launch_case(const std::string& binary) {
  // The ring wants a buffer; the launch does not.
  LimitCase one = case_of("launch_only", binary, 1, 0, {{"unused", kLoadBytes, "", ""}});
  launch_of(one).arguments.clear();
  launch_of(one).block = {32, 1, 1};
  one.source = "an empty kernel is the floor; timed again in a process of its own";
  return one;
}

LimitCase sum_case(const std::string& name, const std::string& binary, std::int64_t bytes,
                   std::int64_t loads) {
  const std::int64_t warps = bytes / (kLoadBytes * loads * 32);
  LimitCase one = case_of(name, binary, static_cast<double>(bytes), static_cast<double>(bytes) / 4,
                          {{"x", bytes, "", ""}, {"partial", 4 * warps, "", ""}});
  launch_of(one).kernel = "sum_" + std::to_string(loads);
  set_grid(one, bytes, loads);
  one.source = "a cold read is the floor; of a size between or beyond those it was timed with";
  return one;
}

void add_streams(const std::string& binary, std::vector<LimitCase>& cases) {
  const auto bytes = static_cast<double>(kCopyBytes);
  LimitCase copy =
      case_of("copy", binary, 2 * bytes, 0, {{"x", kCopyBytes, "", ""}, {"y", kCopyBytes, "", ""}});
  set_grid(copy, kCopyBytes, 4);
  copy.known = KnownBy::library;
  copy.library = "copy";
  copy.source = "cudaMemcpyAsync, device to device, as many bytes";
  const std::int64_t half = kCopyBytes / 2;
  LimitCase triad = case_of("triad", binary, 1.5 * bytes, bytes / 4,
                            {{"a", half, "", ""}, {"b", half, "", ""}, {"c", half, "", ""}});
  set_grid(triad, half, 2);
  triad.known = KnownBy::library;
  triad.library = "copy";
  triad.library_share = 0.75;
  triad.source = "the rate of cudaMemcpyAsync, device to device";
  LimitCase fill = case_of("fill", binary, bytes, 0, {{"y", kCopyBytes, "", ""}});
  set_grid(fill, kCopyBytes, 4);
  fill.known = KnownBy::library;
  fill.library = "fill";
  fill.source = "cudaMemsetAsync, as many bytes";
  cases.insert(cases.end(), {std::move(copy), std::move(triad), std::move(fill)});
}

LimitCase transpose_case(const std::string& binary) {
  const std::int64_t bytes = kTranspose * kTranspose * 4;
  LimitCase one = case_of("transpose", binary, 2.0 * static_cast<double>(bytes), 0,
                          {{"x", bytes, "", ""}, {"y", bytes, "", ""}});
  launch_of(one).arguments.push_back(scalar(kTranspose));
  launch_of(one).grid = {kTranspose / 32, kTranspose / 32, 1};
  launch_of(one).block = {32, 8, 1};
  one.known = KnownBy::recorded;
  one.device = "h200";
  one.recorded_ns = 38'700;
  one.source =
      "docs/results/2026-11-22-six-tasks-h200.md: tasks/transpose with the same tiles, 38.7 us on "
      "an H200";
  return one;
}

LimitCase l2_case(const std::string& binary, const DeviceSpec& device) {
  const std::int64_t blocks = std::max(device.sm_count, 1) * kBlocksPerSm;
  LimitCase one = case_of("read_l2", binary, static_cast<double>(kL2Bytes) * kL2Passes, 0,
                          {{"x", kL2Bytes, "", ""}, {"partial", blocks * kBlock * 4, "", ""}});
  launch_of(one).grid[0] = static_cast<std::uint32_t>(blocks);
  launch_of(one).arguments.push_back(scalar(kL2Bytes / kLoadBytes));
  launch_of(one).arguments.push_back(scalar(kL2Passes));
  one.hot_bytes = static_cast<double>(kL2Bytes);
  one.known = KnownBy::device;
  one.device = "h200";
  one.source = "config/devices/h200.toml: l2_bytes, reads of 8 to 48 MiB";
  return one;
}

LimitCase fma_case(const std::string& name, const std::string& binary, const DeviceSpec& device,
                   Dtype dtype, double lanes) {
  const std::int64_t blocks = std::max(device.sm_count, 1) * kBlocksPerSm;
  const auto element = static_cast<std::int64_t>(size_in_bytes(dtype));
  const double flops = 2 * kChains * kRounds * static_cast<double>(blocks * kBlock);
  LimitCase one = case_of(name, binary, static_cast<double>(blocks * kBlock * element), flops,
                          {{"out", blocks * kBlock * element, "", ""}});
  set_dtype(one, dtype);
  launch_of(one).grid[0] = static_cast<std::uint32_t>(blocks);
  launch_of(one).arguments.push_back(scalar(kRounds));
  one.known = KnownBy::clock;
  one.lanes = lanes;
  one.source = "CUDA programming guide, arithmetic throughput, at the clock of the session";
  return one;
}

LimitCase gemm_case(const std::string& name, const std::string& library, Dtype dtype,
                    std::int64_t n) {
  const auto element = static_cast<std::int64_t>(size_in_bytes(dtype));
  const std::int64_t bytes = n * n * element;
  const double products = std::pow(static_cast<double>(n), 3);
  LimitCase one = case_of(name, library, 3.0 * static_cast<double>(bytes), 2 * products,
                          {{"a", bytes, "", ""}, {"b", bytes, "", ""}, {"c", bytes, "", ""}});
  set_dtype(one, dtype);
  one.task.contract.tolerance = ToleranceClass::contraction;
  one.run_case.candidate.tier = Tier::b;
  one.run_case.candidate.entry = name;
  launch_of(one).arguments.push_back(scalar(static_cast<std::int32_t>(n)));
  one.known = KnownBy::library;
  one.library = name;
  one.source = "cublasGemmEx by plain events in a process of its own";
  return one;
}

}  // namespace

std::vector<LimitCase> limit_cases(const std::string& kernels, const std::string& library,
                                   const DeviceSpec& device) {
  std::vector<LimitCase> cases = {launch_case(kernels), sum_case("read_2mib", kernels, 2 * kMib, 1),
                                  sum_case("read_48mib", kernels, 48 * kMib, 1),
                                  sum_case("reduction_512mib", kernels, 512 * kMib, 4)};
  add_streams(kernels, cases);
  cases.push_back(transpose_case(kernels));
  cases.push_back(l2_case(kernels, device));
  cases.push_back(fma_case("fma_f32", kernels, device, Dtype::f32, device.timing.fp32_lanes));
  cases.push_back(fma_case("fma_f64", kernels, device, Dtype::f64, device.timing.fp64_lanes));
  if (library.empty()) return cases;
  cases.push_back(gemm_case("gemm_f16", library, Dtype::f16, kGemmF16));
  cases.push_back(gemm_case("gemm_f32", library, Dtype::f32, kGemmF32));
  return cases;
}

std::map<std::string, double> library_times(const std::string& output) {
  std::map<std::string, double> times;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string name;
    double ns = 0;
    if (fields >> name >> ns && ns > 0) times[name] = ns;
  }
  return times;
}

std::optional<double> known_share(const LimitCase& one, const Limit& limit,
                                  const DeviceSpec& device, const SessionFacts& facts) {
  if (limit.ns <= 0) return std::nullopt;
  switch (one.known) {
    case KnownBy::floor: return limit.measured ? std::optional<double>(1) : std::nullopt;
    case KnownBy::library: {
      const auto time = facts.library_ns.find(one.library);
      if (time == facts.library_ns.end()) return std::nullopt;
      return limit.ns / (time->second * one.library_share);
    }
    case KnownBy::clock: {
      const double gflops = 2 * one.lanes * device.sm_count * facts.sm_clock_mhz * 1e-3;
      if (gflops <= 0 || limit.peak_gflops <= 0) return std::nullopt;
      return gflops / limit.peak_gflops;
    }
    case KnownBy::recorded:
      if (device.key != one.device) return std::nullopt;
      return limit.ns / one.recorded_ns;
    case KnownBy::device:
      if (device.key != one.device) return std::nullopt;
      return 1;
  }
  return std::nullopt;
}

bool agrees(double share, double known) { return std::abs(share - known) <= kMostApart; }

}  // namespace warpmind::bench
