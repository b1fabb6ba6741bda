// Predicts from files: a report of the drop-in runtime (CUDASIM_PROFILE=on CUDASIM_REPORT=…), the
// cubin of the same kernels, a device of the table. One line of tab-separated values a launch, so
// that a fit can run over many files without simulating again.
//
//   predict_launches REPORT.jsonl CUBIN|- DEVICE [constant=value …]
//
// Constants are the members of ModelConstants: exponent clock dram_efficiency l2_bytes lsu_cycles
// branch_cycles atomic_cycles launch.
#include "base/file.h"
#include "config/device_table.h"
#include "profilers/simulator/prediction/model.h"
#include "profilers/simulator/profile/launch_record_codec.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <span>
#include <sstream>
#include <string>

namespace warpmind::simulator {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30U;

Result<void> set_constant(const std::string& text, ModelConstants& constants) {
  const std::map<std::string, double ModelConstants::*> members = {
      {"exponent", &ModelConstants::exponent},
      {"clock", &ModelConstants::clock},
      {"dram_efficiency", &ModelConstants::dram_efficiency},
      {"l2_bytes", &ModelConstants::l2_bytes},
      {"lsu_cycles", &ModelConstants::lsu_cycles},
      {"branch_cycles", &ModelConstants::branch_cycles},
      {"atomic_cycles", &ModelConstants::atomic_cycles},
      {"launch", &ModelConstants::launch}};
  const std::size_t equals = text.find('=');
  const auto member = members.find(text.substr(0, equals));
  if (equals == std::string::npos || member == members.end()) {
    return fail(Errc::invalid_argument, "no constant of the model: " + text);
  }
  char* end = nullptr;
  const double value = std::strtod(text.c_str() + equals + 1, &end);
  if (*end != '\0' || !(value > 0)) {
    return fail(Errc::invalid_argument, "not a positive number: " + text);
  }
  constants.*(member->second) = value;
  return {};
}

void print_header() {
  std::printf("kernel\ttime_us\tbound\tconfidence\tmix\tblocks_per_sm\twaves\tl1_hit\tdram_bytes");
  for (std::size_t i = 0; i < kResources; ++i) {
    std::printf("\t%s", std::string(name_of(static_cast<Resource>(i))).c_str());
  }
  std::printf("\tnotes\n");
}

void print(const LaunchRecord& launch, const Prediction& prediction) {
  std::printf("%s\t%.3f\t%s\t%s\t%s\t%d\t%.3f\t%.3f\t%.0f", launch.kernel.c_str(),
              prediction.time_us, std::string(name_of(prediction.bound)).c_str(),
              std::string(name_of(prediction.confidence)).c_str(),
              std::string(name_of(prediction.mix.origin)).c_str(),
              prediction.occupancy.blocks_per_sm, prediction.waves, prediction.memory.l1_hit_rate(),
              prediction.memory.dram_sectors() * 32 * prediction.scale);
  for (std::size_t i = 0; i < kResources; ++i) {
    std::printf("\t%.0f", prediction.cycles[static_cast<Resource>(i)]);
  }
  std::string notes;
  for (const auto& note : prediction.notes) notes += (notes.empty() ? "" : "; ") + note;
  std::printf("\t%s\n", notes.c_str());
}

Result<std::optional<Cubin>> read_machine(const std::string& file) {
  if (file == "-") return std::optional<Cubin>();
  WARPMIND_TRY(const std::string bytes, read_file(file, kMostBytes));
  WARPMIND_TRY(auto cubin, read_cubin(std::as_bytes(std::span(bytes))));
  return std::optional<Cubin>(std::move(cubin));
}

Result<void> predict_line(const std::string& line, const std::optional<Cubin>& cubin,
                          const DeviceSpec& device, const ModelConstants& constants) {
  WARPMIND_TRY(const auto report, decode_launch_report(line));
  std::optional<MachineCode> machine;
  if (cubin) {
    WARPMIND_TRY(machine, read_machine_code(*cubin, report.launch.kernel));
  }
  WARPMIND_TRY(const auto prediction, predict({report.launch, report.wave ? &*report.wave : nullptr,
                                               machine ? &*machine : nullptr},
                                              device, constants));
  print(report.launch, prediction);
  return {};
}

Result<void> run(std::span<char*> arguments) {
  if (arguments.size() < 4) {
    return fail(Errc::invalid_argument,
                "usage: predict_launches REPORT.jsonl CUBIN|- DEVICE [constant=value …]");
  }
  ModelConstants constants;
  for (char* const argument : arguments.subspan(4)) {
    WARPMIND_CHECK(set_constant(argument, constants));
  }
  WARPMIND_TRY(const auto table, config::DeviceTable::load());
  const auto device = table.find(arguments[3]);
  if (!device) return fail(Errc::not_found, std::string("no device ") + arguments[3]);
  WARPMIND_TRY(const auto cubin, read_machine(arguments[2]));
  WARPMIND_TRY(const std::string report, read_file(arguments[1], kMostBytes));
  print_header();
  std::istringstream lines(report);
  for (std::string line; std::getline(lines, line);) {
    WARPMIND_CHECK(predict_line(line, cubin, *device, constants));
  }
  return {};
}

}  // namespace
}  // namespace warpmind::simulator

int main(int count, char** arguments) {
  const auto done = warpmind::simulator::run(std::span(arguments, static_cast<std::size_t>(count)));
  if (done) return 0;
  std::fprintf(stderr, "%s\n", done.error().message.c_str());
  return 1;
}
