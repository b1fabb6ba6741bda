#include "daemon/mcp/roofline_svg.h"

#include "base/codec/model_json.h"
#include "base/limit.h"
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

/// The step's time on the workload that it was timed on, under the limit of its verdict.
void add_point(const Job& job, std::size_t index, const DeviceSpec& device, RooflinePlot& plot,
               Limit& last) {
  const auto& measurement = job.episode->steps[index].verdict.measurement;
  if (!measurement || measurement->median_ns <= 0) return;
  last = limit_at(*measurement, job.request.task, device);
  if (last.ns <= 0 || last.bytes <= 0) return;
  plot.peak_gflops = last.peak_gflops;
  plot.peak = last.peak;
  plot.bandwidth_gb_s = last.bandwidth_gb_s;
  plot.limit_ns = last.ns;
  plot.limited_by = limited_by(last);
  plot.points.push_back({{last.flops / last.bytes, last.flops / measurement->median_ns, index,
                          share_of_limit(last, measurement->median_ns).value_or(0)},
                         index == 0 ? "given" : "best"});
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
  RooflinePlot plot;
  Limit limit;
  const auto best = static_cast<std::size_t>(std::max<std::int64_t>(job.episode->best_step, 0));
  for (std::size_t i = 0; i < job.episode->steps.size(); ++i) {
    const bool is_drawn = wanted == RooflineSteps::all || i == 0 || i == best;
    if (is_drawn) add_point(job, i, *device, plot, limit);
  }
  if (plot.points.empty()) {
    return fail(Errc::not_found, "the limit of " + id + " is not known: " + limit.unknown);
  }
  plot.device = device->name;
  plot.title = task.name + " on " + device->name + ", " + measured->workload +
               (measured->provider == Provider::gpu ? ", measured" : ", predicted");
  return plot;
}

Result<std::string> roofline_of(const nlohmann::json& stored) {
  WARPMIND_TRY(const auto job, codec::from_json<Job>(stored, "job"));
  const auto& table = config::device_table();
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
