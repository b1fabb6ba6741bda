#include "profilers/lab/device_floors.h"

#include "base/codec/json_guard.h"
#include "base/file.h"
#include "base/log.h"
#include "profilers/lab/session_validity.h"
#include "profilers/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace warpmind::profilers {
namespace {

using nlohmann::json;

constexpr const char* kSource = R"(
extern "C" __global__ void warpmind_empty() {}

template <int kLoads>
__device__ void read_all(const uint4* x, unsigned* out) {
  uint4 part[kLoads];
  const unsigned long long first =
      (unsigned long long)blockIdx.x * blockDim.x * kLoads + threadIdx.x;
#pragma unroll
  for (int i = 0; i < kLoads; ++i) part[i] = __ldcs(x + first + i * blockDim.x);
  unsigned all = 0;
#pragma unroll
  for (int i = 0; i < kLoads; ++i) all += part[i].x ^ part[i].y ^ part[i].z ^ part[i].w;
  if (all == 0x2545f491u) *out = all;  // so that the loads stay
}
extern "C" __global__ void warpmind_read_1(const uint4* x, unsigned* out) { read_all<1>(x, out); }
extern "C" __global__ void warpmind_read_4(const uint4* x, unsigned* out) { read_all<4>(x, out); }
)";

constexpr std::int64_t kLoadBytes = 16;
constexpr std::uint32_t kBlock = 256;
constexpr std::int64_t kKib = 1024;
constexpr std::int64_t kMib = kKib * kKib;
/// Multiples of what a block of four loads a thread reads. Close to each other where a read becomes
/// larger than the L2: there time does not grow in proportion.
constexpr std::array<std::int64_t, 11> kReads = {16 * kKib, 64 * kKib,  256 * kKib, kMib,
                                                 4 * kMib,  8 * kMib,   16 * kMib,  32 * kMib,
                                                 64 * kMib, 128 * kMib, 256 * kMib};
constexpr std::int64_t kQuads = 3;
constexpr double kMostMs = 40;
constexpr double kProbeSeconds = 30;
constexpr std::size_t kMostFileBytes = std::size_t{1} << 20U;

CallArgument buffer_argument(const std::string& name) {
  CallArgument argument;
  argument.buffer = name;
  return argument;
}

RunCase empty_case(const std::string& binary) {
  RunCase one;
  one.id = "launch";
  // The ring needs something to turn.
  one.buffers = {{"out", kLoadBytes, "", ""}};
  one.candidate.binary = binary;
  LaunchCall launch;
  launch.kernel = "warpmind_empty";
  launch.block = {32, 1, 1};
  one.candidate.launches = {launch};
  return one;
}

/// Nobody looks at what is read: both buffers are outputs to the worker, which poisons them.
RunCase read_case(const std::string& binary, std::int64_t bytes, std::int64_t loads) {
  RunCase one;
  one.id = "read" + std::to_string(loads) + "/" + std::to_string(bytes);
  one.buffers = {{"x", bytes, "", ""}, {"out", kLoadBytes, "", ""}};
  one.candidate.binary = binary;
  LaunchCall launch;
  launch.kernel = "warpmind_read_" + std::to_string(loads);
  launch.block = {kBlock, 1, 1};
  launch.grid = {static_cast<std::uint32_t>(bytes / (kLoadBytes * kBlock * loads)), 1, 1};
  launch.arguments = {buffer_argument("x"), buffer_argument("out")};
  one.candidate.launches = {launch};
  return one;
}

std::string key_of(const DeviceIdentity& device) {
  return (device.uuid.empty() ? device.name : device.uuid) + " " + device.driver;
}

Result<json> read_document(const std::filesystem::path& file) {
  WARPMIND_TRY(const std::string text, read_file(file, kMostFileBytes));
  WARPMIND_TRY(json document, codec::parse_json(text));
  if (!document.is_object()) return fail(Errc::corrupt_data, file.string() + " is no object");
  return document;
}

Result<double> time_probe(WorkerSession& runner, const FloorProbe& probe,
                          const std::stop_token& stop) {
  RunnerJob job;
  job.mode = JobMode::time;
  job.cases = {probe.run_case};
  job.quads = kQuads;
  job.most_ms = kMostMs;
  WARPMIND_TRY(const auto answer, runner.run_job(job, kProbeSeconds, stop));
  if (!answer.report) return fail(Errc::external_failure, answer.reason);
  if (!answer.report->ok) return fail(Errc::external_failure, answer.report->error);
  const auto blocks = candidate_blocks(answer.report->quads);
  if (blocks.empty()) return fail(Errc::external_failure, "the runner timed nothing");
  // A floor: what was reached once is possible.
  return *std::min_element(blocks.begin(), blocks.end());
}

}  // namespace

std::vector<FloorProbe> floor_probes(const std::string& binary) {
  std::vector<FloorProbe> probes = {{0, empty_case(binary)}};
  for (const std::int64_t bytes : kReads) {
    for (const std::int64_t loads : {1, 4}) {
      probes.push_back({static_cast<double>(bytes), read_case(binary, bytes, loads)});
    }
  }
  probes.push_back({0, empty_case(binary), true});  // again: at first the clocks may still be low
  return probes;
}

Result<DeviceFloors> floors_from(const std::vector<FloorProbe>& probes,
                                 const std::vector<double>& times_ns) {
  DeviceFloors floors;
  for (std::size_t i = 0; i < probes.size(); ++i) {
    const double ns = times_ns.at(i);
    if (!std::isfinite(ns) || ns <= 0) {
      return fail(Errc::external_failure, probes[i].run_case.id + " took no positive time");
    }
    if (probes[i].bytes <= 0) {
      floors.launch_ns = floors.launch_ns > 0 ? std::min(floors.launch_ns, ns) : ns;
    } else if (!floors.cold_reads.empty() && floors.cold_reads.back().bytes == probes[i].bytes) {
      floors.cold_reads.back().ns = std::min(floors.cold_reads.back().ns, ns);
    } else {
      floors.cold_reads.push_back({probes[i].bytes, ns});
    }
  }
  // From the end: a larger read that took less says that the smaller one can.
  double least = floors.cold_reads.empty() ? floors.launch_ns : floors.cold_reads.back().ns;
  for (auto read = floors.cold_reads.rbegin(); read != floors.cold_reads.rend(); ++read) {
    least = std::min(least, read->ns);
    read->ns = least;
  }
  floors.launch_ns = std::min(floors.launch_ns, least);
  return floors;
}

Result<DeviceFloors> read_floors(const std::filesystem::path& file, const DeviceIdentity& device) {
  WARPMIND_TRY(const json document, read_document(file));
  const auto entry = document.find(key_of(device));
  if (entry == document.end()) return fail(Errc::not_found, "no floors of " + device.name);
  try {
    DeviceFloors floors;
    floors.launch_ns = entry->at("launch_ns").get<double>();
    for (const auto& read : entry->at("cold_reads")) {
      floors.cold_reads.push_back({read.at(0).get<double>(), read.at(1).get<double>()});
    }
    return floors;
  } catch (const json::exception& error) {
    return fail(Errc::corrupt_data, file.string() + ": " + error.what());
  }
}

Result<void> keep_floors(const std::filesystem::path& file, const DeviceIdentity& device,
                         const DeviceFloors& floors) {
  json document = read_document(file).value_or(json::object());
  json reads = json::array();
  for (const auto& read : floors.cold_reads) reads.push_back({read.bytes, read.ns});
  document[key_of(device)] = {
      {"name", device.name}, {"launch_ns", floors.launch_ns}, {"cold_reads", std::move(reads)}};
  return write_file_atomic(file, codec::dump_json(document));
}

Result<DeviceFloors> measure_floors(LabParts& parts, const DeviceIdentity& device,
                                    const std::stop_token& stop) {
  Kernel kernel;
  kernel.source = kSource;
  const auto architecture = architecture_of(device.compute_major, device.compute_minor);
  WARPMIND_TRY(const auto built, parts.toolchain.build_kernel(kernel, architecture, stop));
  if (!built.report.succeeded) return fail(Errc::external_failure, built.report.diagnostics);
  WARPMIND_TRY(auto runner, parts.pool.take(stop));
  WARPMIND_TRY(const std::string binary, runner.add_binary(built.binary, "floors"));
  const auto probes = floor_probes(binary);
  std::vector<double> times_ns;
  for (const FloorProbe& probe : probes) {
    if (probe.in_fresh_process) {
      runner.finish();
      WARPMIND_TRY(runner, parts.pool.take(stop));
      WARPMIND_CHECK(runner.add_binary(built.binary, "floors"));
    }
    WARPMIND_TRY(const double ns, time_probe(runner, probe, stop));
    times_ns.push_back(ns);
  }
  runner.finish();
  return floors_from(probes, times_ns);
}

Result<void> know_floors(LabParts& parts, const DeviceIdentity& device, bool may_measure,
                         const std::stop_token& stop) {
  FloorRecord& known = parts.floors;
  const std::string key = key_of(device);
  if (known.device == key && (known.floors || known.tried || !may_measure)) return {};
  known = {key, std::nullopt, may_measure};
  const auto& state = parts.settings.daemon.state_directory;
  const auto file = state / "device_floors.json";
  if (!state.empty()) {
    if (auto kept = read_floors(file, device)) known.floors = std::move(*kept);
  }
  if (known.floors || !may_measure) return {};
  auto measured = measure_floors(parts, device, stop);
  if (!measured) {
    if (measured.error().code == Errc::cancelled) return fail(measured.error());
    log::warn("profilers", "limits are the device table's: the device could not be measured",
              {{"device", device.name}, {"why", measured.error().message}});
    return {};
  }
  known.floors = std::move(*measured);
  if (state.empty()) return {};
  if (const auto written = keep_floors(file, device, *known.floors); !written) {
    log::warn("profilers", "the floors of a device are not kept",
              {{"why", written.error().message}});
  }
  return {};
}

}  // namespace warpmind::profilers
