// Holds predicted times and counts against what validation_measure found on an H200.
//
//   validation_bench [--binaries DIR] [--point ID] [--fit] [--json FILE] [--records FILE]
//                    [--set NAME=VALUE]…
//
// DIR is what build_cubins.sh made; without it, or where it is missing, the program ends with 77
// (skipped). --records keeps what was simulated, so that a second run only predicts. --fit searches
// constants of the model on the families of even place in the alphabet and reports the others.
// --set changes a constant or a number of the device's [timing].

#include "base/file.h"
#include "config/device_table.h"
#include "tests/bench/validation/comparison_report.h"
#include "tests/bench/validation/constants_fit.h"
#include "tests/bench/validation/record_file.h"

#include <cstdio>
#include <set>
#include <span>

namespace {

using namespace warpmind;
using namespace warpmind::validation;

constexpr int kSkipped = 77;
constexpr std::uint64_t kDeviceBytes = std::uint64_t{8} << 30U;
constexpr std::size_t kMostBytes = std::size_t{64} << 20U;

struct Options {
  std::filesystem::path binaries;
  std::string point;
  bool fit = false;
  std::filesystem::path json;
  std::filesystem::path records;
  std::vector<std::string> numbers;
};

Result<Options> read_options(std::span<char*> arguments) {
  Options out;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string name = arguments[i];
    if (name == "--fit") {
      out.fit = true;
      continue;
    }
    if (i + 1 == arguments.size()) return fail(Errc::invalid_argument, name + " needs a value");
    const std::string value = arguments[++i];
    if (name == "--binaries") {
      out.binaries = value;
    } else if (name == "--point") {
      out.point = value;
    } else if (name == "--json") {
      out.json = value;
    } else if (name == "--records") {
      out.records = value;
    } else if (name == "--set") {
      out.numbers.push_back(value);
    } else {
      return fail(Errc::invalid_argument, "unknown option " + name);
    }
  }
  return out;
}

Result<simulator::MachineCode> machine_of(const Point& point,
                                          const std::filesystem::path& binaries) {
  WARPMIND_TRY(const std::string code, read_file(binaries / (point.build + ".cubin"), kMostBytes));
  WARPMIND_TRY(const auto cubin, simulator::read_cubin(std::as_bytes(std::span(code))));
  return simulator::read_machine_code(cubin, point.kernel);
}

/// Simulates, or takes from the records, every point that was measured and is wanted.
Result<std::vector<ComparedPoint>> gather(const Options& options, const MeasuredTable& measured,
                                          const DeviceSpec& device) {
  WARPMIND_TRY(const auto points,
               read_points(std::filesystem::path(WARPMIND_BENCH_DIR) / "points.toml"));
  WARPMIND_TRY(RecordFile records, RecordFile::open(options.records));
  simulator::DeviceMemory memory(kDeviceBytes);
  std::optional<SimulatedBuffers> buffers;
  std::vector<ComparedPoint> out;
  double seconds = 0;
  for (const Point& point : points) {
    const auto found = measured.points.find(point.id);
    if (found == measured.points.end()) continue;
    if (point.id.find(options.point) == std::string::npos) continue;
    ComparedPoint one{point, {}, found->second, std::nullopt, {}};
    if (const SimulatedPoint* const known = records.find(point.id)) {
      one.simulated = *known;
    } else {
      if (!buffers || !buffers->fit(point)) {
        buffers.reset();
        WARPMIND_TRY(buffers, SimulatedBuffers::create(point, memory));
      }
      WARPMIND_TRY(one.simulated,
                   simulate(point, options.binaries, device, SimulationBudget(), *buffers, memory));
      records.add(point.id, one.simulated);
    }
    seconds += one.simulated.report.launch.seconds + one.simulated.report.wave->seconds;
    WARPMIND_TRY(one.machine, machine_of(point, options.binaries));
    out.push_back(std::move(one));
  }
  std::printf(
      "%zu points, %.0f s of CPU time in the simulator; waves of %.0f M warp instructions\n",
      out.size(), seconds, static_cast<double>(SimulationBudget().wave_instructions) * 1e-6);
  return out;
}

/// Points of the families whose place in the alphabet is even (0) or odd (1).
std::vector<ComparedPoint> half_of(const std::vector<ComparedPoint>& points, std::size_t parity) {
  std::set<std::string> families;
  for (const ComparedPoint& one : points) families.insert(one.point.family);
  std::vector<ComparedPoint> out;
  for (const ComparedPoint& one : points) {
    const auto place = std::distance(families.begin(), families.find(one.point.family));
    if (static_cast<std::size_t>(place) % 2 == parity) out.push_back(one);
  }
  return out;
}

Result<void> fit_half(std::vector<ComparedPoint>& points, const DeviceSpec& device,
                      const simulator::ModelConstants& start) {
  WARPMIND_TRY(const auto fitted, fit(half_of(points, 0), device, start));
  std::printf("fitted to the even families: %s\n", describe(fitted).c_str());
  WARPMIND_CHECK(predict_all(points, device, fitted));
  for (const std::size_t parity : {std::size_t{0}, std::size_t{1}}) {
    std::printf(parity == 0 ? "even families:\n  " : "odd families, not fitted to:\n  ");
    print_result(summarise(half_of(points, parity), {}));
  }
  return {};
}

Result<void> compare(const Options& options) {
  WARPMIND_TRY(const auto table, config::DeviceTable::load());
  auto device = table.find("h200");
  if (!device) return fail(Errc::not_found, "the device table has no row h200");
  WARPMIND_TRY(const auto measured, read_measured(WARPMIND_MEASURED));
  std::printf("measured on %s, %s\n", measured.device.c_str(), measured.date.c_str());
  WARPMIND_TRY(auto points, gather(options, measured, *device));
  if (points.empty()) return fail(Errc::not_found, "no measured point is called " + options.point);
  simulator::ModelConstants constants;
  for (const std::string& number : options.numbers) {
    WARPMIND_CHECK(set_number(number, constants, *device));
  }
  WARPMIND_CHECK(predict_all(points, *device, constants));
  if (options.fit) WARPMIND_CHECK(fit_half(points, *device, constants));
  const auto counters = check_counters(points, measured, *device);
  print_counters(counters);
  print_sums(points);
  print_dram(points, measured);
  print_times(points);
  if (!options.json.empty()) WARPMIND_CHECK(write_json(points, options.json));
  print_result(summarise(points, counters));
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = read_options({argv, static_cast<std::size_t>(argc)});
  if (!options) {
    std::fprintf(stderr, "validation_bench: %s\n", options.error().message.c_str());
    return 2;
  }
  if (!std::filesystem::exists(options->binaries / "flush.cubin")) {
    std::fprintf(stderr, "validation_bench: skipped, no binaries (build_cubins.sh makes them)\n");
    return kSkipped;
  }
  const auto done = compare(*options);
  if (done) return 0;
  std::fprintf(stderr, "validation_bench: %s\n", done.error().message.c_str());
  return 1;
}
