#include "tests/bench/flops_counters/counted_case.h"

#include "base/file.h"
#include "profilers/flops/code_count.h"
#include "profilers/flops/simulated_count.h"
#include "profilers/job/job_codec.h"
#include "profilers/simulator/ptx/parser.h"

#include <cstdio>

#include <nlohmann/json.hpp>

namespace warpmind::bench {
namespace {

namespace fs = std::filesystem;
using profilers::LaunchCount;
using Json = nlohmann::json;

std::string line_of(const LaunchCount& count) {
  const auto& mix = count.hardware;
  const Json line = {{"kernel", count.kernel},
                     {"grid", count.grid},
                     {"block", count.block},
                     {"how", count.simulated ? "simulated" : (count.sampled ? "about" : "walked")},
                     {"undecided", count.undecided},
                     {"fadd", mix.fadd},
                     {"fmul", mix.fmul},
                     {"ffma", mix.ffma},
                     {"dadd", mix.dadd},
                     {"dmul", mix.dmul},
                     {"dfma", mix.dfma}};
  return line.dump() + "\n";
}

bool any_undecided(const std::vector<LaunchCount>& counts) {
  for (const auto& one : counts) {
    if (!one.undecided.empty()) return true;
  }
  return false;
}

/// Puts what the simulator counted in the place of what a walk could not say.
void decide(profilers::PreparedCount& prepared, std::vector<LaunchCount>& counts) {
  const auto simulated = profilers::run_count(prepared, {});
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i].undecided.empty()) continue;
    if (!simulated) {
      counts[i].undecided += "; not simulated: " + simulated.error().message;
    } else if (i < simulated->size()) {
      counts[i] = (*simulated)[i];
      counts[i].simulated = true;
    }
  }
}

Result<void> copy_folder(const fs::path& from, const fs::path& to) {
  std::error_code ec;
  fs::create_directories(to, ec);
  if (!ec) fs::copy(from, to, fs::copy_options::recursive, ec);
  if (ec) {
    return fail(Errc::external_failure,
                "cannot copy " + from.string() + " to " + to.string() + ": " + ec.message());
  }
  return {};
}

}  // namespace

Result<std::vector<LaunchCount>> write_counted_case(const fs::path& folder, const Task& task,
                                                    const Workload& workload,
                                                    const DeviceSpec& device,
                                                    const config::Settings& settings) {
  WARPMIND_TRY(const auto code, profilers::count_kernel(task.kernel, device, settings, {}));
  WARPMIND_TRY(const auto module, simulator::ptx::parse_ptx(code.ptx));
  WARPMIND_TRY(auto counts, profilers::count_plan(task, task.kernel, workload, module));
  WARPMIND_TRY(const auto threads, profilers::threads_of(task, workload));
  WARPMIND_TRY(auto prepared, profilers::prepare_count(task, workload, device, settings, {}));
  const fs::path from = prepared.runner.directory();
  std::error_code ec;
  fs::remove_all(folder, ec);
  WARPMIND_CHECK(copy_folder(from / "bin", folder / "bin"));
  WARPMIND_CHECK(copy_folder(from / "in", folder / "in"));
  if (any_undecided(counts) && threads <= profilers::kMostCountedThreads) {
    decide(prepared, counts);
  }
  profilers::RunnerJob job = prepared.job;
  job.mode = profilers::JobMode::check;
  job.repeat_bitwise = false;
  job.bare = true;
  std::string lines;
  for (const auto& one : counts) lines += line_of(one);
  WARPMIND_CHECK(write_file_atomic(folder / "job.json", encode(job) + "\n"));
  WARPMIND_CHECK(write_file_atomic(folder / "counts.json", lines));
  return counts;
}

std::string describe(const LaunchCount& count) {
  if (!count.undecided.empty()) return "undecided: " + count.undecided;
  std::string text(160, '\0');
  const int length =
      std::snprintf(text.data(), text.size(), "f32 %.0f flops, f64 %.0f flops, %s",
                    count.hardware.f32_flops(), count.hardware.f64_flops(),
                    count.simulated ? "simulated" : (count.sampled ? "about" : "walked"));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

}  // namespace warpmind::bench
