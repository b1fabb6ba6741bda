#include "daemon/mcp/roofline_svg.h"

#include "base/codec/model_json.h"
#include "base/expression.h"

#include <algorithm>
#include <cstddef>

namespace warpmind::daemon::mcp {
namespace {

/// The step's time on the workload that it was timed on.
void add_point(const Job& job, std::size_t index, const std::string& name, RooflinePlot& plot) {
  const Task& task = job.request.task;
  const Step& step = job.episode->steps[index];
  const auto& measurement = step.verdict.measurement;
  if (!measurement || measurement->median_ns <= 0) return;
  for (const auto& workload : task.workloads) {
    if (workload.name != measurement->workload) continue;
    const auto bytes = evaluate(task.cost.bytes, workload.sizes);
    const auto flops = evaluate(task.cost.flops, workload.sizes);
    if (!bytes || !flops || *bytes <= 0 || *flops <= 0) return;
    plot.points.push_back({name, static_cast<double>(*flops) / static_cast<double>(*bytes),
                           static_cast<double>(*flops) / measurement->median_ns, 0, index});
  }
}

}  // namespace

Result<RooflinePlot> roofline_plot(const Job& job, RooflineSteps wanted,
                                   const config::DeviceTable& table) {
  if (!job.episode || job.episode->steps.empty()) {
    return fail(Errc::not_found, job.id.str() + " has no kernel that was timed yet");
  }
  const Task& task = job.request.task;
  const auto& steps = job.episode->steps;
  RooflinePlot plot;
  const auto best = static_cast<std::size_t>(std::max<std::int64_t>(job.episode->best_step, 0));
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool is_drawn = wanted == RooflineSteps::all || i == 0 || i == best;
    if (is_drawn) add_point(job, i, i == 0 ? "given" : "best", plot);
  }
  if (plot.points.empty()) {
    return fail(Errc::not_found,
                "no step of " + job.id.str() + " was timed, or its task has no cost model");
  }
  const auto& measured = *steps[plot.points.front().step].verdict.measurement;
  const auto device = table.match(measured.device);
  if (!device) return fail(Errc::not_found, "the device table has no row for that device");
  const bool contraction = task.contract.tolerance == ToleranceClass::contraction;
  plot.peak_gflops = 1000 * (contraction ? device->fp16_tensor_tflops : device->fp32_tflops);
  plot.bandwidth_gb_s = device->memory_bandwidth_gb_s;
  if (plot.peak_gflops <= 0 || plot.bandwidth_gb_s <= 0) {
    return fail(Errc::not_found, "the device table does not know that device's peaks");
  }
  plot.device = device->name;
  plot.title = task.name + " on " + device->name + ", " + measured.workload +
               (measured.provider == Provider::gpu ? ", measured" : ", predicted");
  return plot;
}

Result<std::string> roofline_of(const nlohmann::json& stored) {
  WARPMIND_TRY(const auto job, codec::from_json<Job>(stored, "job"));
  WARPMIND_TRY(const auto table, config::DeviceTable::load());
  WARPMIND_TRY(const auto plot, roofline_plot(job, RooflineSteps::given_and_best, table));
  return draw(plot);
}

}  // namespace warpmind::daemon::mcp
