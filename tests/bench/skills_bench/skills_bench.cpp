/// \file
/// What the shipped skills reach on a GPU, beside the best library call and the limit, each timed
/// by the worker in this run:
///   skills_bench [--only TEXT,TEXT] [--kernels N]
/// A row is a task (tasks/NAME, or tasks/ of this folder) and the skill that is meant for it; the
/// best of the N variants that the skill expects to be fastest counts, once the lab judged it
/// right. Ends with 4 without a GPU.

#include "agents/builtin/skills/skill_library.h"
#include "agents/builtin/skills/skill_test.h"
#include "base/best_library.h"
#include "base/limit.h"
#include "base/text.h"
#include "config/device_table.h"
#include "config/settings_loader.h"
#include "config/task_file.h"
#include "profilers/worker_kernel_lab.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace warpmind::bench {
namespace {

namespace fs = std::filesystem;
using agents::builtin::SkillLibrary;
using agents::builtin::SkillTest;
using profilers::JudgeOrder;

/// What a row is held to.
enum class Against { limit, library };

struct Row {
  const char* task;
  const char* skill;
  Against against;
  double target;  ///< share of the limit, or library's time / ours
};

/// Targets: what the field's best kernels of the kind reach.
constexpr std::array kRows{
    Row{"gemm_bf16_1024", "gemm", Against::library, 0.9},
    Row{"gemm_bf16_4096", "gemm", Against::library, 0.95},
    Row{"gemm_bf16_8192", "gemm", Against::library, 0.95},
    Row{"batched_gemm_f16", "gemm", Against::library, 0.9},
    Row{"gemm_f32", "simt_gemm", Against::library, 0.9},
    Row{"gemv_f32", "row_reduction", Against::limit, 0.85},
    Row{"row_sum", "row_reduction", Against::limit, 0.93},
    Row{"column_sum", "column_reduction", Against::limit, 0.93},
    Row{"dot", "grid_reduction", Against::limit, 0.93},
    Row{"dot_f64", "grid_reduction", Against::limit, 0.93},
    Row{"exclusive_scan", "single_pass_scan", Against::library, 0.52},
    Row{"long_scan_f32", "single_pass_scan", Against::limit, 0.85},
    Row{"histogram", "private_histogram", Against::library, 1 / 1.3},
    Row{"radix_pass", "radix_sort_pass", Against::library, 1 / 1.5},
    Row{"top8_rows", "row_top_k", Against::limit, 0.2},
    Row{"stencil_5point", "plane_walk", Against::limit, 0.8},
    Row{"stencil_7point", "plane_walk", Against::limit, 0.8},
    Row{"max_pool2d_f16", "plane_walk", Against::limit, 0.8},
    Row{"spmv_csr", "segment_lanes", Against::limit, 0.7},
    Row{"spmv_ell", "segment_lanes", Against::limit, 0.7},
    Row{"ssas_span_decode", "decode_attention", Against::limit, 0.2},
    Row{"attention_f16", "flash_attention", Against::limit, 0.3},
    Row{"row_softmax_f16", "row_norm", Against::limit, 0.88},
    Row{"layernorm_f16", "row_norm", Against::limit, 0.88},
    Row{"rmsnorm_bf16", "row_norm", Against::limit, 0.88},
    Row{"rms_norm_channels_f16", "column_norm", Against::limit, 0.88},
    Row{"batch_norm_f32", "grid_norm", Against::limit, 0.55},
};

struct Options {
  std::string only;
  std::size_t kernels = 3;
};

bool is_wanted(const Row& row, const Options& options) {
  const auto parts = split_text(options.only, ',');
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) {
    return std::string_view(row.task).find(part) != std::string_view::npos;
  });
}

struct Outcomes {
  int met = 0;
  int missed = 0;
  int failed = 0;
  double log_share = 0;
  int shares = 0;
};

Result<Task> task_of_row(const Row& row) {
  fs::path folder = fs::path(WARPMIND_SKILLS_BENCH) / "tasks" / row.task;
  if (!fs::exists(folder)) folder = fs::path(WARPMIND_SOURCE_DIR) / "tasks" / row.task;
  WARPMIND_TRY(auto loaded, config::load_task(folder));
  return std::move(loaded.task);
}

struct Best {
  std::string parameters;
  Measurement measurement;
};

/// Errors: not_found with the reason of the last variant that was not right.
Result<Best> best_of(profilers::KernelLab& lab, const Task& task, double baseline_error,
                     const agents::builtin::SkillTestRun& run, std::size_t most) {
  std::optional<Best> best;
  std::string reason = "the skill does not apply: " + run.complaint;
  for (std::size_t i = 0; i < run.kernels.size() && i < most; ++i) {
    const auto& [parameters, kernel] = run.kernels[i];
    JudgeOrder order{task, kernel, nullptr, baseline_error};
    order.effort = Effort::quick;
    WARPMIND_TRY(const auto verdict, lab.judge(order, {}));
    if (!verdict.measurement || verdict.outcome != Outcome::same) {
      reason = parameters + ": " + verdict.reason;
      continue;
    }
    const auto& measured = *verdict.measurement;
    if (!best || measured.median_ns < best->measurement.median_ns) {
      best = Best{parameters, measured};
    }
  }
  if (!best) return fail(Errc::not_found, reason);
  return std::move(*best);
}

Result<void> run_row(profilers::KernelLab& lab, const DeviceSpec& device, const Row& row,
                     const Options& options, Outcomes& outcomes) {
  WARPMIND_TRY(const Task task, task_of_row(row));
  const auto* known = SkillLibrary::shipped().find(row.skill);
  if (known == nullptr) return fail(Errc::not_found, "there is no such skill");
  JudgeOrder given{task, task.kernel};
  given.effort = Effort::quick;
  given.library = profilers::LibraryTiming::wanted;
  WARPMIND_TRY(const auto verdict, lab.judge(given, {}));
  if (!verdict.measurement) return fail(Errc::external_failure, "given: " + verdict.reason);
  const double error = verdict.correctness ? verdict.correctness->baseline_error : 0;
  const SkillTest test{row.task, true, {}, task};
  const auto run = agents::builtin::try_skill(*known->skill, test, device);
  WARPMIND_TRY(const Best best, best_of(lab, task, error, run, options.kernels));
  const double ours = best.measurement.median_ns;
  const auto& library = verdict.measurement->best_library;
  const auto share = share_of_limit(best.measurement.limit, ours);
  const auto times = times_best_library(library, ours);
  const auto reached = row.against == Against::limit ? share : times;
  const bool is_met = reached && *reached >= row.target;
  ++(is_met ? outcomes.met : outcomes.missed);
  if (share) {
    outcomes.log_share += std::log(std::min(*share, 1.0));
    ++outcomes.shares;
  }
  std::printf("| %s | %s %s | %.2f | %.2f to %.2f | %.2f | %s | %.1f %% | %s %.2f | %s |\n",
              row.task, row.skill, best.parameters.c_str(), verdict.measurement->median_ns / 1e3,
              best.measurement.low_ns / 1e3, best.measurement.high_ns / 1e3, ours / 1e3,
              times ? (significant(library.ns / 1e3) + " " + library.call).c_str() : "none",
              share ? 100 * *share : 0, row.against == Against::limit ? "limit" : "library",
              row.target,
              is_met    ? "met"
              : reached ? ("missed by " + significant(row.target - *reached)).c_str()
                        : "not known");
  std::fflush(stdout);
  return {};
}

Result<int> run(const Options& options) {
  WARPMIND_TRY(const auto loaded,
               config::load_settings({std::nullopt, config::capture_environment(), {}, {}}));
  WARPMIND_TRY(const auto table, config::DeviceTable::load());
  WARPMIND_TRY(const auto lab, profilers::WorkerKernelLab::create(loaded.settings, table));
  WARPMIND_TRY(const auto identity, lab->device());
  const auto device = table.match(identity);
  if (!device) return fail(Errc::unavailable, "the device table has no row for " + identity.name);
  std::printf("%s, driver %s\n\n", identity.name.c_str(), identity.driver.c_str());
  std::printf(
      "| task | skill | given us | ours us (95 %%) | ours us | library us | of the limit | "
      "target | |\n|---|---|---:|---:|---:|---:|---:|---|---|\n");
  Outcomes outcomes;
  for (const Row& row : kRows) {
    if (!is_wanted(row, options)) continue;
    const auto ran = run_row(*lab, *device, row, options, outcomes);
    if (ran) continue;
    ++outcomes.failed;
    std::printf("| %s | %s | failed: %s |\n", row.task, row.skill, ran.error().message.c_str());
    std::fflush(stdout);
  }
  const double share = outcomes.shares == 0 ? 0 : std::exp(outcomes.log_share / outcomes.shares);
  std::printf(
      "\nRESULT skills_bench device=%s met=%d missed=%d failed=%d mean_share_of_limit=%.3f\n",
      device->key.c_str(), outcomes.met, outcomes.missed, outcomes.failed, share);
  return outcomes.failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace warpmind::bench

int main(int count, char** words) {
  warpmind::bench::Options options;
  for (int i = 1; i + 1 < count; i += 2) {
    if (std::strcmp(words[i], "--only") == 0) options.only = words[i + 1];
    if (std::strcmp(words[i], "--kernels") == 0) {
      options.kernels = warpmind::parse_number<std::size_t>(words[i + 1]).value_or(3);
    }
  }
  const auto ran = warpmind::bench::run(options);
  if (ran) return *ran;
  std::printf("skills_bench is skipped: %s\n", ran.error().message.c_str());
  return ran.error().code == warpmind::Errc::unavailable ? 4 : 1;
}
