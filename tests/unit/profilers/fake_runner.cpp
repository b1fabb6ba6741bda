/// \file
/// A runner without a GPU. The name of its file says how it behaves: badly in one of many ways, or
/// well ("stand_in"), computing y = 2 x on the CPU and reporting planted times.

#include "profilers/job/job_codec.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

using warpmind::profilers::CaseReport;
using warpmind::profilers::CaseStatus;
using warpmind::profilers::JobMode;
using warpmind::profilers::QuadSample;
using warpmind::profilers::RunCase;
using warpmind::profilers::RunnerJob;
using warpmind::profilers::RunnerReport;

void put(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) std::_Exit(9);
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

void answer(const RunnerReport& report) { put(3, warpmind::profilers::encode(report) + "\n"); }

/// As the system does it: not as a sanitizer that this program may be built with.
void crash() {
  std::signal(SIGSEGV, SIG_DFL);
  std::raise(SIGSEGV);
}

void flood(int fd) {
  const std::string chunk(1 << 20, 'x');
  for (int i = 0; i < 1024; ++i) put(fd, chunk);
}

std::string read_text(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The candidate is its binary's text: "right", "wrong", "slow", "fast", "crash", …
std::string kind_of(const std::string& binary) {
  const std::string text = read_text(binary);
  for (const char* kind : {"kind_wrong", "kind_crash", "kind_hang", "kind_fast", "kind_slowing",
                           "kind_slow", "kind_light", "kind_stale", "kind_launch", "kind_throttled",
                           "kind_stepping", "kind_hiding", "kind_zero", "kind_negative"}) {
    if (text.find(kind) != std::string::npos) return kind;
  }
  return "kind_right";
}

void compute(const RunCase& one, const std::string& kind) {
  // The probes of a device's floors compute nothing that anybody looks at.
  if (one.buffers.size() < 2 || one.buffers[1].output_file.empty()) return;
  const std::string input = read_text(one.buffers.at(0).input_file);
  std::vector<float> values(input.size() / sizeof(float));
  std::memcpy(values.data(), input.data(), input.size());
  for (float& value : values) value *= 2;
  if (kind == "kind_wrong" && !values.empty()) values.back() += 1;
  const std::filesystem::path file = one.buffers.at(1).output_file;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(float)));
}

RunnerReport check(const RunnerJob& job) {
  RunnerReport report;
  report.ok = true;
  for (const auto& one : job.cases) {
    const std::string kind = kind_of(one.candidate.binary);
    if (kind == "kind_crash") crash();
    if (kind == "kind_hang") {
      std::ofstream("out/hanging") << "now";
      while (true) ::pause();
    }
    CaseReport& status = report.cases.emplace_back();
    status.id = one.id;
    if (kind == "kind_launch") {
      status.status = CaseStatus::launch_error;
      status.message = "cudaErrorInvalidValue at launch of twice";
      continue;
    }
    compute(one, kind);
    const std::string& file = one.buffers.at(1).output_file;
    for (const auto& run : job.perturbed) {  // its results are exact
      std::filesystem::copy_file(file, file + run.suffix,
                                 std::filesystem::copy_options::overwrite_existing);
    }
  }
  return report;
}

/// What sensors saw during the blocks: nothing, or one thing that spoils the session.
void sense(RunnerReport& report, const std::string& kind) {
  report.max_sm_clock_mhz = 1980;
  report.block_clocks_mhz.assign(44, 1980);
  report.incumbent_alone_ns = 100'000;
  if (kind == "kind_throttled") report.throttle = "hw_thermal";
  if (kind == "kind_stepping") report.block_clocks_mhz.back() = 1650;
  if (kind == "kind_slowing") {
    for (QuadSample& quad : report.quads) quad.incumbent_ns.assign(2, 106'000);
  }
  if (kind == "kind_hiding") {
    report.candidate_clocks_disagree = "the events miss 40 % (900 us) of a block";
  }
}

RunnerReport time(const RunnerJob& job) {
  RunnerReport report;
  report.ok = true;
  const RunCase& one = job.cases.at(0);
  const std::string kind = kind_of(one.candidate.binary);
  const double run_ns = kind == "kind_fast"       ? 80'000
                        : kind == "kind_slow"     ? 130'000
                        : kind == "kind_light"    ? 1
                        : kind == "kind_zero"     ? 0
                        : kind == "kind_negative" ? -80'000
                                                  : 100'000;
  for (std::int64_t i = 0; i < job.quads; ++i) {
    // Some noise that differs from quad to quad and from process to process.
    const double wobble = 1 + 0.0005 * static_cast<double>((job.order_seed >> (i % 32)) % 5);
    QuadSample& quad = report.quads.emplace_back();
    const bool alone = one.incumbent.binary.empty();
    quad.candidate_ns.assign(alone ? 4 : 2, run_ns * wobble);
    if (!alone) quad.incumbent_ns.assign(2, 100'000);
  }
  report.launches_per_block = 20;
  report.sm_clock_mhz = 1980;
  sense(report, kind);
  report.cases.push_back({one.id, CaseStatus::ok, "", run_ns});
  compute(one, kind == "kind_stale" ? "kind_wrong" : "kind_right");
  return report;
}

void behave_well(const RunnerJob& job) {
  RunnerReport report;
  if (job.mode == JobMode::check) report = check(job);
  if (job.mode == JobMode::time) report = time(job);
  if (job.mode == JobMode::profile) {
    report.counters_refused = true;
    report.counters_note = "counters are for root only on this machine";
  }
  report.ok = true;
  report.device.name = "NVIDIA H200";
  report.device.compute_major = 9;
  report.device.sm_count = 132;
  report.device.driver = "580.0";
  answer(report);
}

void misbehave(const std::string& behaviour) {
  RunnerReport good;
  good.ok = true;
  good.device.name = behaviour;
  if (behaviour == "garbage") put(3, "{\"ok\": maybe}\n");
  if (behaviour == "half_line") {
    put(3, R"({"ok": true, "err)");
    std::_Exit(0);
  }
  if (behaviour == "endless_line") flood(3);
  if (behaviour == "gigabyte_of_text") {
    flood(1);
    answer(good);
  }
  if (behaviour == "hang") ::pause();
  if (behaviour == "abort") std::abort();
  if (behaviour == "segfault") crash();
  if (behaviour == "exit3") std::_Exit(3);
  if (behaviour == "complains") {
    put(2, "cannot find the moon\n");
    std::_Exit(4);
  }
  if (behaviour == "fork") {
    const pid_t pid = ::fork();
    if (pid == 0) {
      while (true) ::pause();
    }
    good.device.driver = pid < 0 ? "refused" : "forked";
    answer(good);
  }
  if (behaviour == "no_device") {
    good.ok = false;
    good.no_device = true;
    good.error = "no CUDA device: cudaErrorNoDevice; install the driver";
    answer(good);
  }
  if (behaviour == "looks_around") {
    good.device.driver = std::filesystem::current_path().string();
    for (const auto& item : std::filesystem::recursive_directory_iterator(".")) {
      good.device.uuid += item.path().string() + ";";
    }
    std::ofstream("out/written") << "x";
    good.device.runtime = std::ofstream("in/written") ? "in writable" : "in read-only";
    answer(good);
  }
}

}  // namespace

int main(int, char** argv) {
  const std::string behaviour = std::filesystem::path(argv[0]).filename().string();
  std::string line;
  bool identified = false;
  while (std::getline(std::cin, line)) {
    const auto job = warpmind::profilers::decode_runner_job(line);
    if (!job) return 5;
    if (behaviour == "stand_in") {
      behave_well(*job);
    } else if (behaviour == "dies_later" && !identified) {
      behave_well(*job);
      return 0;
    } else {
      misbehave(behaviour);
    }
    identified = true;
  }
  return 0;
}
