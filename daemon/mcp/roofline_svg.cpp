#include "daemon/mcp/roofline_svg.h"

#include "base/arithmetic_peak.h"
#include "base/codec/model_json.h"
#include "base/expression.h"
#include "base/text.h"

#include <algorithm>
#include <cstddef>

namespace warpmind::daemon::mcp {
namespace {

const Measurement* first_measured(const std::vector<Step>& steps) {
  for (const auto& step : steps) {
    if (step.verdict.measurement && step.verdict.measurement->median_ns > 0) {
      return &*step.verdict.measurement;
    }
  }
  return nullptr;
}

/// By the task's cost model; an expression that it lacks counts nothing.
double cost(const std::string& expression, const Workload& workload) {
  const auto value = evaluate(expression, workload.sizes);
  return value ? std::max(0.0, static_cast<double>(*value)) : 0;
}

/// The step's time on the workload that it was timed on.
void add_point(const Job& job, std::size_t index, RooflinePlot& plot) {
  const Task& task = job.request.task;
  const auto& measurement = job.episode->steps[index].verdict.measurement;
  if (!measurement || measurement->median_ns <= 0) return;
  for (const auto& workload : task.workloads) {
    if (workload.name != measurement->workload) continue;
    const double bytes = cost(task.cost.bytes, workload);
    const double flops = cost(task.cost.flops, workload);
    const double least_ns = std::max(bytes / plot.bandwidth_gb_s, flops / plot.peak_gflops);
    if (bytes <= 0 || least_ns <= 0) return;
    plot.points.push_back({index == 0 ? "given" : "best", flops / bytes,
                           flops / measurement->median_ns, 0, index,
                           least_ns / measurement->median_ns});
  }
}

}  // namespace

Result<RooflinePlot> roofline_plot(const Job& job, RooflineSteps wanted,
                                   const config::DeviceTable& table) {
  const std::string& id = job.id.str();
  const Measurement* measured = job.episode ? first_measured(job.episode->steps) : nullptr;
  if (measured == nullptr) return fail(Errc::not_found, id + " has no kernel that was timed");
  const auto device = table.match(measured->device);
  if (!device) return fail(Errc::not_found, "the device table has no row for that device");
  const Task& task = job.request.task;
  const ArithmeticPeak peak = arithmetic_peak(task, *device);
  RooflinePlot plot;
  plot.peak_gflops = 1000 * peak.tflops;
  plot.peak = peak.name;
  plot.bandwidth_gb_s = device->memory_bandwidth_gb_s;
  if (plot.peak_gflops <= 0 || plot.bandwidth_gb_s <= 0) {
    return fail(Errc::not_found, "the device table does not know that device's peaks");
  }
  const auto best = static_cast<std::size_t>(std::max<std::int64_t>(job.episode->best_step, 0));
  for (std::size_t i = 0; i < job.episode->steps.size(); ++i) {
    const bool is_drawn = wanted == RooflineSteps::all || i == 0 || i == best;
    if (is_drawn) add_point(job, i, plot);
  }
  if (plot.points.empty()) {
    return fail(Errc::not_found, "the task of " + id +
                                     " has no cost model: `[cost]` in its task.toml says what it "
                                     "must move and compute");
  }
  plot.device = device->name;
  plot.title = task.name + " on " + device->name + ", " + measured->workload +
               (measured->provider == Provider::gpu ? ", measured" : ", predicted");
  return plot;
}

Result<std::string> roofline_of(const nlohmann::json& stored) {
  WARPMIND_TRY(const auto job, codec::from_json<Job>(stored, "job"));
  WARPMIND_TRY(const auto table, config::DeviceTable::load());
  WARPMIND_TRY(const auto plot, roofline_plot(job, RooflineSteps::given_and_best, table));
  if (plot.points.front().intensity > 0) return draw(plot);
  // Nothing can be drawn over flop a byte; what the picture would show is a sentence.
  std::string reached;
  for (const auto& point : plot.points) {
    reached += (reached.empty() ? "" : ", ") + point.name + " " +
               significant(100 * point.share, 3) + " % of the limit";
  }
  return fail(Errc::not_found, "the cost model of " + job.id.str() +
                                   " counts no arithmetic, so memory alone limits it: " + reached);
}

}  // namespace warpmind::daemon::mcp
