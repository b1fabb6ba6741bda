/// \file
/// The first launch of each kernel that a program made, counted: a line of JSON each.
///   flops_launches PROGRAM RECORD               walked, from the program's PTX
///   flops_launches --simulated REPORT           as the simulator executed them
/// RECORD is what CUDASIM_TRACE wrote, REPORT what CUDASIM_REPORT wrote; either may end early.

#include "base/file.h"
#include "profilers/flops/program_count.h"
#include "profilers/program/kernel_times.h"
#include "profilers/simulator/profile/launch_record_codec.h"

#include <cstdio>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace warpmind::bench {
namespace {

using profilers::LaunchCount;
using Json = nlohmann::json;

constexpr std::size_t kMostFileBytes = std::size_t{1} << 30U;
constexpr int kCapability = 90;

void print(const LaunchCount& count) {
  const auto& mix = count.hardware;
  const Json line = {{"kernel", profilers::plain_kernel_name(count.kernel)},
                     {"grid", count.grid},
                     {"block", count.block},
                     {"how", count.simulated ? "simulated" : (count.sampled ? "about" : "walked")},
                     {"undecided", count.undecided},
                     {"sp", mix.f32_flops()},
                     {"dp", mix.f64_flops()},
                     {"all", count.counts.all_flops()}};
  std::printf("%s\n", line.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
}

/// A program that was stopped has left half a line.
std::string whole_lines(std::string text) {
  text.resize(text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1);
  return text;
}

Result<void> print_walked(const char* program, const char* record_file) {
  WARPMIND_TRY(const std::string file, read_file(program, kMostFileBytes));
  WARPMIND_TRY(const auto modules,
               profilers::ptx_of_program(std::as_bytes(std::span<const char>(file)), kCapability));
  WARPMIND_TRY(std::string lines, read_file(record_file, kMostFileBytes));
  WARPMIND_TRY(const auto record, profilers::parse_program_record(whole_lines(std::move(lines))));
  std::set<std::string> seen;
  for (const auto& launch : record.launches) {
    if (seen.insert(launch.kernel).second) print(profilers::count_recorded(launch, modules));
  }
  return {};
}

Result<void> print_simulated(const char* report_file) {
  WARPMIND_TRY(std::string text, read_file(report_file, kMostFileBytes));
  std::istringstream lines(whole_lines(std::move(text)));
  std::set<std::string> seen;
  for (std::string line; std::getline(lines, line);) {
    WARPMIND_TRY(const auto report, simulator::decode_launch_report(line));
    if (!seen.insert(report.launch.kernel).second) continue;
    LaunchCount count;
    count.kernel = report.launch.kernel;
    count.shape() = {report.launch.grid, report.launch.block};
    count.simulated = true;
    count.sampled = report.launch.blocks_run < report.launch.blocks;
    count.counts = profilers::counts_of(report.launch);
    count.hardware = profilers::counter_mix_of(report.launch);
    if (!report.finished) count.undecided = "the simulator stopped the launch";
    print(count);
  }
  return {};
}

int run(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: flops_launches PROGRAM RECORD | --simulated REPORT\n", stderr);
    return 2;
  }
  const auto done = std::string_view(argv[1]) == "--simulated" ? print_simulated(argv[2])
                                                               : print_walked(argv[1], argv[2]);
  if (done) return 0;
  std::fprintf(stderr, "flops_launches: %s\n", done.error().message.c_str());
  return 1;
}

}  // namespace
}  // namespace warpmind::bench

int main(int argc, char** argv) { return warpmind::bench::run(argc, argv); }
