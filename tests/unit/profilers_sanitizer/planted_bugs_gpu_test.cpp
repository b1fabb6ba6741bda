// The real tool on a real GPU: 12 kernels of tests/data/bugs with a planted defect, each of which
// its tool must find on a marked line, and 20 right ones, on which all four tools must be silent.
#include "../profilers/lab_places.h"
#include "profilers/lab/lab_parts.h"
#include "profilers/runner_pool.h"
#include "profilers/sanitizer/sanitizer_command.h"
#include "profilers/sanitizer/sanitizer_gate.h"
#include "profilers/toolchain/kernel_toolchain.h"
#include "tests/unit/simulator/bug_case.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

using simulator::BugCase;

struct Planted {
  const char* name;
  SanitizerTool tool;
};

using enum SanitizerTool;
constexpr std::array kPlanted = {Planted{"off_by_one_read", memcheck},
                                 Planted{"off_by_one_write", memcheck},
                                 Planted{"tail_not_guarded", memcheck},
                                 Planted{"negative_index", memcheck},
                                 Planted{"shared_past_end", memcheck},
                                 Planted{"misaligned_integer", memcheck},
                                 Planted{"barrier_missing_before_read", racecheck},
                                 Planted{"barrier_missing_after_read", racecheck},
                                 Planted{"reduction_one_barrier_short", racecheck},
                                 Planted{"transposed_tile_unsynchronised", racecheck},
                                 Planted{"global_never_written", initcheck},
                                 Planted{"barrier_in_branch", synccheck}};

constexpr const char* kCopy =
    "extern \"C\" __global__ void kernel(const float* in, float* out) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < 1024) out[i] = in[i];\n"
    "}\n";
constexpr const char* kScale =
    "extern \"C\" __global__ void kernel(const float* in, float* out) {\n"
    "  for (int i = threadIdx.x; i < 1024; i += blockDim.x) out[i] = 2.0f * in[i];\n"
    "}\n";

std::string hex_of(std::uint32_t value) {
  std::ostringstream text;
  for (int i = 0; i < 4; ++i) {
    constexpr const char* kDigits = "0123456789abcdef";
    const std::uint32_t byte = value >> (8 * i) & 0xffU;
    text << kDigits[byte >> 4U] << kDigits[byte & 15U];
  }
  return text.str();
}

void write_fill(const std::filesystem::path& file, std::uint64_t bytes, const std::string& fill) {
  std::vector<char> content(bytes, 0);
  for (std::uint64_t i = 0; i < bytes / 4; ++i) {
    const auto number = static_cast<float>(i);
    const auto count = static_cast<std::uint32_t>(i);
    if (fill == "ramp") std::memcpy(content.data() + 4 * i, &number, 4);
    if (fill == "count") std::memcpy(content.data() + 4 * i, &count, 4);
  }
  std::ofstream(file, std::ios::binary)
      .write(content.data(), static_cast<std::streamsize>(content.size()));
}

class SanitizerOnGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    settings_ = places_.settings();
    use_own_programs(settings_);
    const auto devices = config::DeviceTable::load();
    ASSERT_TRUE(devices) << devices.error().message;
    auto sandbox = make_sandbox(settings_);
    if (!sandbox) GTEST_SKIP() << sandbox.error().message;
    sandbox_ = std::move(*sandbox);
    auto parts = make_lab_parts(settings_, *devices, *devices->find("h200"), *sandbox_);
    if (!parts) GTEST_SKIP() << parts.error().message;
    parts_ = std::move(*parts);
    auto program = find_sanitizer({}, parts_->toolchain.root());
    if (!program) GTEST_SKIP() << program.error().message;
    program_ = *program;
    auto device = parts_->pool.device({});
    if (!device) GTEST_SKIP() << device.error().message;
    architecture_ =
        "sm_" + std::to_string(device->compute_major) + std::to_string(device->compute_minor);
  }

  /// The case's launch and buffers in the job directory of `runner`.
  static RunnerJob job_of(const BugCase& bug, const WorkerSession& runner) {
    RunnerJob job;
    job.mode = JobMode::check;
    job.repeat_bitwise = false;
    job.bare = true;
    RunCase& one = job.cases.emplace_back();
    one.id = bug.name;
    one.candidate.binary = "bin/candidate";
    LaunchCall& call = one.candidate.launches.emplace_back();
    call.kernel = "kernel";
    read_launch(bug.launch, call);
    for (const auto& text : bug.arguments) add_argument(text, runner, one, call);
    return job;
  }

  static void read_launch(const std::string& text, LaunchCall& call) {
    std::istringstream in(text);
    for (std::string key, value; in >> key >> value;) {
      std::array<std::uint32_t, 3> extents{1, 1, 1};
      std::istringstream parts(value);
      std::string part;
      for (std::size_t i = 0; i < 3 && std::getline(parts, part, ','); ++i) {
        extents[i] = static_cast<std::uint32_t>(std::stoul(part));
      }
      if (key == "grid") call.grid = extents;
      if (key == "block") call.block = extents;
      if (key == "shared") call.shared_bytes = extents[0];
    }
  }

  static void add_argument(const std::string& text, const WorkerSession& runner, RunCase& one,
                           LaunchCall& call) {
    std::istringstream in(text);
    std::string kind;
    in >> kind;
    CallArgument& argument = call.arguments.emplace_back();
    if (kind == "int") {
      std::uint32_t value = 0;
      in >> value;
      argument.scalar_hex = hex_of(value);
      return;
    }
    std::uint64_t bytes = 0;
    std::string fill;
    in >> bytes >> fill;
    argument.buffer = "b" + std::to_string(one.buffers.size());
    BufferSpec& buffer = one.buffers.emplace_back();
    buffer.name = argument.buffer;
    buffer.bytes = static_cast<std::int64_t>(bytes);
    if (fill == "unset") return;
    buffer.input_file = "in/" + buffer.name;
    buffer.output_file = "out/" + buffer.name;  // an inout: the kernel may write it
    write_fill(runner.directory() / buffer.input_file, bytes, fill);
  }

  SanitizerReport run(const BugCase& bug, const std::string& source, SanitizerTool tool) {
    Kernel kernel;
    kernel.source = source;
    auto built = parts_->toolchain.build_kernel(kernel, architecture_, {});
    EXPECT_TRUE(built && built->report.succeeded) << bug.name;
    if (!built || !built->report.succeeded) return {};
    auto runner =
        WorkerSession::start(*sandbox_, sanitized_place(parts_->pool.place(), program_, tool));
    EXPECT_TRUE(runner) << runner.error().message;
    if (!runner) return {};
    EXPECT_TRUE(runner->add_binary(built->binary, "candidate"));
    const auto answer = runner->run_job(job_of(bug, *runner), 120, {});
    EXPECT_TRUE(answer) << answer.error().message;
    runner->finish(std::chrono::seconds(30));
    const auto log = read_file(runner->directory() / sanitizer_log(tool), std::size_t{16} << 20U);
    EXPECT_TRUE(log) << bug.name << ": no log";
    return log ? as_it_counts(tool, source, parse_sanitizer_log(*log), false) : SanitizerReport{};
  }

  static std::string source_of(const std::string& name) {
    const auto text =
        read_file(std::filesystem::path(WARPMIND_TEST_DATA) / "bugs" / (name + ".cu"), 1U << 20U);
    EXPECT_TRUE(text) << name;
    return text.value_or("");
  }

  /// At one of the marked lines; of the two accesses of a race the tool may name either first.
  static bool is_at_a_mark(const SanitizerFinding& finding, const BugCase& bug) {
    return finding.defect && std::any_of(bug.lines.begin(), bug.lines.end(), [&](auto line) {
             return finding.place.line == line ||
                    finding.where.ends_with("at kernel.cu:" + std::to_string(line));
           });
  }

  LabPlaces places_;
  config::Settings settings_;
  std::unique_ptr<Sandbox> sandbox_;
  std::unique_ptr<LabParts> parts_;
  std::filesystem::path program_;
  std::string architecture_;
};

TEST_F(SanitizerOnGpu, FindsEveryPlantedDefectOnItsLine) {
  const auto all = simulator::read_bug_cases(std::filesystem::path(WARPMIND_TEST_DATA) / "bugs");
  for (const auto& planted : kPlanted) {
    const auto bug = std::find_if(all.begin(), all.end(),
                                  [&](const BugCase& one) { return one.name == planted.name; });
    ASSERT_NE(bug, all.end()) << planted.name;
    const auto report = run(*bug, source_of(bug->name), planted.tool);
    bool found = false;
    std::string seen;
    for (const auto& finding : report.findings) {
      found = found || is_at_a_mark(finding, *bug);
      seen += finding.kind + " line " + std::to_string(finding.place.line) + ", " + finding.where;
    }
    EXPECT_TRUE(found) << planted.name << " below " << name_of(planted.tool) << ": " << seen
                       << report.trouble;
  }
}

TEST_F(SanitizerOnGpu, IsSilentOnRightKernels) {
  std::vector<std::pair<BugCase, std::string>> right;
  for (auto& bug : simulator::read_bug_cases(std::filesystem::path(WARPMIND_TEST_DATA) / "bugs")) {
    if (!bug.name.starts_with("clean_") && bug.expected != "same-value stores") continue;
    std::string source = source_of(bug.name);
    right.emplace_back(std::move(bug), std::move(source));
  }
  for (const char* source : {kCopy, kScale}) {
    BugCase bug;
    bug.name = "simple";
    bug.launch = "grid 4 block 256";
    bug.arguments = {"buffer 4096 ramp", "buffer 4096 zero"};
    right.emplace_back(bug, source);
  }
  EXPECT_EQ(right.size(), 20U);
  for (const auto& [bug, source] : right) {
    for (const SanitizerTool tool : sanitizer_tools(Effort::strict)) {
      if (!unfit_for(tool, source).empty()) continue;
      const auto report = run(bug, source, tool);
      EXPECT_TRUE(report.finished) << bug.name << ": " << report.trouble;
      for (const auto& finding : report.findings) {
        EXPECT_FALSE(finding.defect) << bug.name << ": " << name_of(tool) << " says "
                                     << finding.kind << ", " << finding.where;
      }
    }
  }
}

}  // namespace
}  // namespace warpmind::profilers
