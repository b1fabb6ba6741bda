#include "profilers/health/sanity_probe.h"

#include "base/model/device.h"
#include "base/sequence.h"
#include "profilers/statistics.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <optional>
#include <vector>

namespace warpmind::profilers {
namespace fs = std::filesystem;
namespace {

constexpr const char* kSource =
    "extern \"C\" __global__ void warpmind_sanity(const float* x, float* y, unsigned n) {\n"
    "  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) y[i] = 2.0f * x[i];\n"
    "}\n";
constexpr std::uint32_t kBlock = 256;
constexpr std::int64_t kChunk = std::int64_t{1} << 20;  // elements
constexpr const char* kInput = "in/pattern";
constexpr const char* kOutput = "out/doubled";

/// Whole numbers below 2^24: doubling them is exact.
float pattern(std::uint64_t i) {
  return static_cast<float>((i * 2654435761U + (i >> 7U)) & 0xFFFFFFU);
}

Result<void> write_pattern(const fs::path& file, std::int64_t count) {
  std::ofstream stream(file, std::ios::binary);
  std::vector<float> chunk;
  for (std::int64_t done = 0; done < count; done += kChunk) {
    chunk.clear();
    const std::int64_t end = std::min(count, done + kChunk);
    for (std::int64_t i = done; i < end; ++i) {
      chunk.push_back(pattern(static_cast<std::uint64_t>(i)));
    }
    stream.write(reinterpret_cast<const char*>(chunk.data()),
                 static_cast<std::streamsize>(chunk.size() * sizeof(float)));
  }
  if (!stream.flush()) {
    return fail(Errc::external_failure, "cannot write the probe's pattern to " + file.string());
  }
  return {};
}

/// What is wrong with the output; empty = nothing.
std::string compare(const fs::path& file, std::int64_t count) {
  std::ifstream stream(file, std::ios::binary);
  std::vector<float> chunk(static_cast<std::size_t>(std::min(count, kChunk)));
  for (std::int64_t done = 0; done < count; done += kChunk) {
    const std::int64_t wanted = std::min(kChunk, count - done);
    stream.read(reinterpret_cast<char*>(chunk.data()),
                static_cast<std::streamsize>(static_cast<std::size_t>(wanted) * sizeof(float)));
    if (!stream) return "its output is too short";
    for (std::int64_t i = 0; i < wanted; ++i) {
      const auto index = static_cast<std::uint64_t>(done + i);
      if (chunk[static_cast<std::size_t>(i)] != 2 * pattern(index)) {
        return "element " + std::to_string(index) + " of a known answer is wrong";
      }
    }
  }
  return {};
}

std::string hex_of(std::uint32_t value) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string hex;
  for (int byte = 0; byte < 4; ++byte, value >>= 8U) {
    hex += kDigits[(value >> 4U) & 15U];
    hex += kDigits[value & 15U];
  }
  return hex;
}

RunCase make_case(std::int64_t count, std::string binary) {
  const auto bytes = count * static_cast<std::int64_t>(sizeof(float));
  RunCase one;
  one.id = "sanity";
  one.buffers = {{"x", bytes, kInput, ""}, {"y", bytes, "", kOutput}};
  one.candidate.binary = std::move(binary);
  LaunchCall launch;
  launch.kernel = "warpmind_sanity";
  launch.block = {kBlock, 1, 1};
  launch.grid = {static_cast<std::uint32_t>((count + kBlock - 1) / kBlock), 1, 1};
  CallArgument x;
  x.buffer = "x";
  CallArgument y;
  y.buffer = "y";
  CallArgument n;
  n.scalar_hex = hex_of(static_cast<std::uint32_t>(count));
  launch.arguments = {x, y, n};
  one.candidate.launches = {launch};
  return one;
}

/// Elements of the pattern: less where the scratch space is small.
std::int64_t elements_in(const fs::path& directory, std::int64_t bytes) {
  std::error_code ec;
  const auto space = fs::space(directory, ec);
  const auto share = ec ? bytes : static_cast<std::int64_t>(space.available / 8);
  return std::max<std::int64_t>(kBlock, std::min(bytes, share) / 4);
}

std::string trouble_of(const RunnerAnswer& answer) {
  if (!answer.report) return answer.reason;
  for (const auto& one : answer.report->cases) {
    if (one.status != CaseStatus::ok) return one.message;
  }
  return answer.report->ok ? "" : answer.report->error;
}

double time_of(const RunnerReport& report) {
  std::vector<double> blocks;
  for (const auto& quad : report.quads) {
    blocks.insert(blocks.end(), quad.candidate_ns.begin(), quad.candidate_ns.end());
  }
  return blocks.empty() ? 0 : median_of(std::move(blocks));
}

}  // namespace

SanityProbe::SanityProbe(const Sandbox& sandbox, RunnerPlace place, ProbeBuilder build,
                         ProbeSettings settings)
    : sandbox_(&sandbox), place_(std::move(place)), build_(std::move(build)), settings_(settings) {
  place_.on_bad_end = {};  // the ladder hears of the probe from the probe
}

Result<ProbeReport> SanityProbe::probe_device(const std::stop_token& stop) const {
  WARPMIND_TRY(auto session, WorkerSession::start(*sandbox_, place_));
  ProbeReport report;
  // False = the report says why not.
  const auto ask = [&](const RunnerJob& job,
                       double seconds) -> Result<std::optional<RunnerReport>> {
    WARPMIND_TRY(auto answer, session.run_job(job, seconds, stop));
    report.trouble = trouble_of(answer);
    report.stuck = session.stuck();
    if (!report.trouble.empty()) return std::optional<RunnerReport>();
    return std::move(answer.report);
  };
  RunnerJob identify;
  WARPMIND_TRY(const auto known, ask(identify, settings_.start_s));
  if (!known) return report;
  const auto architecture =
      architecture_of(known->device.compute_major, known->device.compute_minor);
  WARPMIND_TRY(const auto binary, build_(kSource, architecture, stop));
  WARPMIND_TRY(auto name, session.add_binary(binary, "sanity"));
  const auto count = elements_in(session.directory(), settings_.bytes);
  WARPMIND_CHECK(write_pattern(session.directory() / kInput, count));
  RunnerJob job;
  job.mode = JobMode::check;
  job.cases = {make_case(count, std::move(name))};
  WARPMIND_TRY(const auto checked, ask(job, settings_.run_s));
  if (!checked) return report;
  report.trouble = compare(session.directory() / kOutput, count);
  if (!report.trouble.empty() || !settings_.timed) return report;
  job.mode = JobMode::time;
  job.quads = 4;
  WARPMIND_TRY(const auto timed, ask(job, settings_.run_s));
  if (timed) report.time_ns = time_of(*timed);
  session.finish();
  if (!report.stuck) report.stuck = session.stuck();
  return report;
}

}  // namespace warpmind::profilers
