#include "base/file.h"
#include "base/hash.h"
#include "config/device_table.h"
#include "config/task_validator.h"
#include "daemon/handlers/analysis_handlers.h"
#include "daemon/handlers/job_request.h"
#include "daemon/handlers/kb_arguments.h"
#include "daemon/protocol/analysis_messages.h"

#include <chrono>
#include <utility>

namespace warpmind::daemon {
namespace {

using protocol::AnalyzedKernel;
using protocol::KernelAnalyzeParams;
using protocol::KernelAnalyzeResult;

constexpr std::size_t kFileBytes = std::size_t{4} * 1024 * 1024;
constexpr std::int64_t kDefaultInsights = 3;
constexpr std::int64_t kMostInsightsAKernel = 10;

/// The task of a folder, with the text at hand as its kernel; or one that knows the text alone.
Result<Task> task_at_hand(const KernelAnalyzeParams& params) {
  if (params.directory.empty() && params.path.empty() && params.source.empty()) {
    return fail(Errc::invalid_argument,
                "one of 'directory', 'path' and 'source' must be given: what is to be looked at?");
  }
  Task task;
  if (!params.directory.empty()) {
    WARPMIND_TRY(auto loaded, load_named_task(params.directory));
    task = std::move(loaded.task);
  }
  if (!params.source.empty()) {
    task.kernel.source = params.source;
  } else if (!params.path.empty()) {
    WARPMIND_TRY(const auto file, readable_path("path", params.path));
    WARPMIND_TRY(task.kernel.source, read_file(file, kFileBytes));
  }
  if (params.plan) {
    if (params.directory.empty()) {
      return fail(Errc::invalid_argument,
                  "'plan' needs 'directory': a task says what its launches work on");
    }
    task.kernel.plan = *params.plan;
    WARPMIND_CHECK(config::validate_kernel(task.kernel, task));
  }
  return task;
}

Result<DeviceSpec> device_for(const std::string& wanted, const config::Settings& settings) {
  const std::string& key = wanted.empty() ? settings.lab.target : wanted;
  return config::device_table().need(key);
}

AnalyzedKernel analyzed(agents::FunctionAnalysis function) {
  AnalyzedKernel wire;
  wire.name = std::move(function.name);
  wire.line = function.place.line;
  wire.end_line = function.place.end_line;
  wire.built = function.built;
  wire.registers = function.resources.registers;
  wire.static_shared_bytes = function.resources.static_shared_bytes;
  wire.dynamic_shared_bytes = function.dynamic_shared_bytes;
  wire.stack_bytes = function.resources.stack_bytes;
  wire.spill_store_bytes = function.resources.spill_store_bytes;
  wire.spill_load_bytes = function.resources.spill_load_bytes;
  wire.block_threads = function.place.block_threads;
  wire.block_origin = agents::name_of(function.place.block_origin);
  wire.occupancy_percent = function.fit.occupancy_percent;
  wire.occupancy_limiter = std::move(function.fit.limiter);
  wire.bottleneck = std::move(function.bottleneck);
  wire.advice = std::move(function.advice);
  wire.predicted_ns = function.predicted_ns;
  wire.insights = std::move(function.insights);
  wire.note = std::move(function.note);
  return wire;
}

KernelAnalyzeResult reply_with(agents::KernelAnalysis analysis) {
  KernelAnalyzeResult result;
  result.architecture = analysis.build.architecture;
  result.built = analysis.build.succeeded;
  result.diagnostics = std::move(analysis.build.diagnostics);
  for (auto& function : analysis.functions) {
    result.kernels.push_back(analyzed(std::move(function)));
  }
  result.bottleneck = std::move(analysis.bottleneck);
  result.advice = std::move(analysis.advice);
  result.launches = std::move(analysis.launches);
  if (analysis.simulated) {
    result.predicted = std::move(analysis.simulated->measurement);
    result.findings = std::move(analysis.simulated->findings);
    if (analysis.simulated->profile) result.lines = std::move(analysis.simulated->profile->lines);
  }
  result.insights_note = std::move(analysis.insights_note);
  result.note = std::move(analysis.note);
  return result;
}

}  // namespace

void add_analysis_methods(Dispatcher& dispatcher, const AnalysisAccess& access) {
  dispatcher.add(protocol::kKernelAnalyze, Execution::guest,
                 [access](const KernelAnalyzeParams& params,
                          RequestContext& context) -> Result<KernelAnalyzeResult> {
                   using Clock = std::chrono::steady_clock;
                   const auto started = Clock::now();
                   if (access.analyst == nullptr) {
                     return fail(Errc::unavailable, "this daemon does not look at source");
                   }
                   WARPMIND_TRY(const auto insights,
                                within("insights", params.insights.value_or(kDefaultInsights), 0,
                                       kMostInsightsAKernel));
                   WARPMIND_TRY(const Task task, task_at_hand(params));
                   WARPMIND_TRY(const DeviceSpec device,
                                device_for(params.device, access.settings));
                   const agents::AnalysisOrder order{task, device, params.predict, insights};
                   WARPMIND_TRY(auto analysis, access.analyst->analyze(order, context.stop));
                   auto result = reply_with(std::move(analysis));
                   result.task = task.name;
                   result.device = device.name;
                   result.source_hash = to_hex(sha256(task.kernel.source));
                   result.seconds = std::chrono::duration<double>(Clock::now() - started).count();
                   return result;
                 });
  using protocol::LibraryBaselineParams;
  using protocol::LibraryBaselineResult;
  dispatcher.add(protocol::kLibraryBaseline, Execution::guest,
                 [access](const LibraryBaselineParams& params,
                          RequestContext& context) -> Result<LibraryBaselineResult> {
                   if (access.analyst == nullptr) {
                     return fail(Errc::unavailable, "this daemon does not measure");
                   }
                   WARPMIND_TRY(const auto loaded, load_named_task(params.directory));
                   WARPMIND_TRY(auto verdict, access.analyst->time_library(
                                                  loaded.task, params.again, context.stop));
                   return LibraryBaselineResult{loaded.task.name, std::move(verdict)};
                 });
  dispatcher.add(protocol::kEpisodeProfile, Execution::guest, episode_profile(access));
}

}  // namespace warpmind::daemon
