/// A program of a user, recorded, lifted and optimised by hand-picked techniques: what is written
/// back must build and print the same.
#include "agents/builtin/hosting/program_rewrite.h"

#include "agents/builtin/explain_moves.h"
#include "agents/builtin/hosting/host_edits.h"
#include "agents/builtin/technique.h"
#include "base/file.h"
#include "config/device_table.h"
#include "tests/integration/hosting/program_on_simulator.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::hosting {
namespace {

using syntax::CudaSource;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class ProgramRewrite : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_run_programs()) GTEST_SKIP() << "no nvcc, or no simulated runtime for programs";
    auto scratch = ScratchDirectory::create(std::filesystem::temp_directory_path(), "hosting");
    ASSERT_TRUE(scratch.has_value());
    scratch_.emplace(std::move(*scratch));
  }

  void load(const std::string& text) {
    auto source = CudaSource::read(text);
    ASSERT_TRUE(source.has_value());
    source_.emplace(std::move(*source));
    auto run = run_program(text, scratch_->path(), "given");
    ASSERT_TRUE(run.has_value()) << run.error().message;
    ASSERT_EQ(run->status, 0) << run->errors;
    given_ = *run;
    auto record = profilers::read_program_record(run->record);
    ASSERT_TRUE(record.has_value()) << record.error().message;
    record_ = *record;
    auto lifted = agents::builtin::lift_program("program", *source_, record_);
    ASSERT_TRUE(lifted.has_value()) << lifted.error().message;
    lifted_ = std::move(*lifted);
  }

  void load_file(const std::string& name) {
    auto text =
        read_file(WARPMIND_SOURCE_DIR "/tests/integration/hosting/programs/" + name, 1 << 20);
    ASSERT_TRUE(text.has_value());
    load(*text);
  }
  void load_three_kernels() { load_file("three_kernels.cu"); }

  [[nodiscard]] const ProgramPart& part(const std::string& name) const {
    const auto found = std::find_if(lifted_.parts.begin(), lifted_.parts.end(),
                                    [&](const ProgramPart& p) { return p.name == name; });
    EXPECT_NE(found, lifted_.parts.end()) << name;
    return *found;
  }

  /// The first move of the technique; nullopt when it does not apply.
  [[nodiscard]] std::optional<Kernel> moved(const ProgramPart& of,
                                            const std::string& technique) const {
    const auto devices = config::DeviceTable::load();
    const auto device = devices->find("h200");
    const agents::ProposalContext context{of.task, of.task.kernel, {}, {}, *device};
    auto known = agents::builtin::explain_moves(context, {technique, {}});
    if (!known || known->front().moves.empty()) return std::nullopt;
    return known->front().rewritten;
  }

  [[nodiscard]] RewrittenProgram rewritten(const std::vector<PartKernel>& kernels,
                                           bool assume_shapes = false) const {
    auto program =
        agents::builtin::rewrite_program(*source_, record_, lifted_, kernels, {assume_shapes});
    EXPECT_TRUE(program.has_value());
    return program ? std::move(*program) : RewrittenProgram{};
  }

  Result<ProgramRun> run(const std::string& text) {
    return run_program(text, scratch_->path(), "edited" + std::to_string(++runs_));
  }

  std::optional<ScratchDirectory> scratch_;
  std::optional<CudaSource> source_;
  ProgramRun given_;
  profilers::ProgramRecord record_;
  LiftedProgram lifted_;
  int runs_ = 0;
};

TEST_F(ProgramRewrite, CutsTheProgramIntoAChainAndAKernel) {
  load_three_kernels();
  ASSERT_THAT(lifted_.parts, SizeIs(2));
  EXPECT_THAT(lifted_.skipped, IsEmpty());
  const auto& chain = part("scale_shift");
  EXPECT_THAT(chain.kernels, ElementsAre("scale", "shift"));
  EXPECT_EQ(chain.times, 2);
  EXPECT_THAT(chain.notes, ElementsAre("1 other size of this launch keeps the given kernel"));
  EXPECT_THAT(chain.task.kernel.plan.scratch, SizeIs(1)) << "a local temporary";
  EXPECT_EQ(part("sum_rows").refusal, "");
  EXPECT_THAT(part("sum_rows").task.kernel.plan.scratch, IsEmpty());
}

TEST_F(ProgramRewrite, RewritesEveryPartAndPrintsTheSame) {
  load_three_kernels();
  const auto fused = moved(part("scale_shift"), "fuse_pointwise");
  ASSERT_TRUE(fused.has_value());
  const auto warps = moved(part("sum_rows"), "warp_per_output");
  ASSERT_TRUE(warps.has_value());
  const auto program = rewritten({{"scale_shift", *fused}, {"sum_rows", *warps}});
  EXPECT_THAT(program.refused, IsEmpty());
  EXPECT_THAT(program.written, SizeIs(2));
  const auto edited = run(program.text);
  ASSERT_TRUE(edited.has_value()) << edited.error().message << program.text;
  EXPECT_EQ(edited->status, 0) << edited->errors;
  EXPECT_EQ(edited->output, given_.output) << program.text;
  const auto record = profilers::read_program_record(edited->record);
  ASSERT_TRUE(record.has_value());
  std::map<std::string, int> launches;
  for (const auto& launch : record->launches) ++launches[launch.kernel];
  const auto count = [&](const std::string& part_of_name) {
    int all = 0;
    for (const auto& [name, times] : launches) {
      if (name.find(part_of_name) != std::string::npos) all += times;
    }
    return all;
  };
  EXPECT_EQ(count("wm_sum_rows"), 2) << "the recorded size";
  EXPECT_EQ(count("wm_scale_shift"), 2);
  EXPECT_EQ(record->launches.size(), 2U * 2 + 3) << "the other size runs what was given";
}

/// The fault that the guard is there for.
TEST_F(ProgramRewrite, WithoutTheGuardAnotherSizeIsWrong) {
  load_three_kernels();
  const auto fused = moved(part("scale_shift"), "fuse_pointwise");
  ASSERT_TRUE(fused.has_value());
  const auto program = rewritten({{"scale_shift", *fused}}, true);
  ASSERT_THAT(program.written, SizeIs(1));
  const auto edited = run(program.text);
  ASSERT_TRUE(edited.has_value()) << edited.error().message;
  EXPECT_NE(edited->output, given_.output);
}

TEST_F(ProgramRewrite, WhatEveryTechniqueWritesCanBeWrittenBack) {
  load_three_kernels();
  std::set<std::string> tried;
  for (const auto& technique : agents::builtin::techniques()) {
    std::vector<PartKernel> kernels;
    for (const auto& of : lifted_.parts) {
      const auto kernel = moved(of, std::string(technique.name));
      if (kernel && kernel->build_flags.empty()) kernels.push_back({of.name, *kernel});
    }
    if (kernels.empty()) continue;
    tried.emplace(technique.name);
    const auto program = rewritten(kernels);
    EXPECT_THAT(program.refused, IsEmpty()) << technique.name;
    const auto edited = run(program.text);
    ASSERT_TRUE(edited.has_value()) << technique.name << edited.error().message << program.text;
    EXPECT_EQ(edited->status, 0) << technique.name << edited->errors;
    EXPECT_EQ(edited->output, given_.output) << technique.name << program.text;
  }
  EXPECT_GE(tried.size(), 8U);
}

TEST_F(ProgramRewrite, AnErrorOfThePlanReachesTheCaller) {
  load_three_kernels();
  Kernel kernel = part("sum_rows").task.kernel;
  kernel.plan.scratch.push_back({"wm_far_too_large", Dtype::f32, "1099511627776", false});
  const auto program = rewritten({{"sum_rows", kernel}});
  ASSERT_THAT(program.written, SizeIs(1));
  std::string text = program.text;
  const std::string launch = "wm_launch_sum_rows(dim3(";
  const auto at = text.find(';', text.find(launch, text.find("static void report")));
  ASSERT_NE(at, std::string::npos);
  text.insert(at + 1, "\n  CHECK(cudaGetLastError());");
  const auto edited = run(text);
  ASSERT_TRUE(edited.has_value()) << edited.error().message;
  EXPECT_NE(edited->status, 0);
  EXPECT_THAT(edited->errors, HasSubstr("out of memory"));
}

TEST_F(ProgramRewrite, HostEditsKeepLaunchesAndOutput) {
  load_file("host_calls.cu");
  std::string text = source_->tree.source();
  for (const std::string name : {"direct_output", "drop_redundant_sync", "stream_ordered_alloc"}) {
    const auto source = CudaSource::read(text);
    ASSERT_TRUE(source.has_value());
    const auto edit = agents::builtin::host_edit(name, *source);
    ASSERT_TRUE(edit.has_value());
    ASSERT_EQ(edit->refusal, "") << name << text;
    text = edit->text;
    const auto edited = run(text);
    ASSERT_TRUE(edited.has_value()) << name << edited.error().message;
    EXPECT_EQ(edited->output, given_.output) << name;
    const auto record = profilers::read_program_record(edited->record);
    ASSERT_TRUE(record.has_value());
    EXPECT_EQ(agents::builtin::launch_digest(*record), agents::builtin::launch_digest(record_));
    EXPECT_LT(record->allocations.size() + record->transfers.size() + record->waits.size(),
              name == "stream_ordered_alloc"
                  ? std::size_t{1000}
                  : record_.allocations.size() + record_.transfers.size() + record_.waits.size())
        << name;
  }
  EXPECT_THAT(text, HasSubstr("cudaMallocAsync(&middle"));
  EXPECT_THAT(text, Not(HasSubstr("&result")));
}

}  // namespace
}  // namespace warpmind::hosting
