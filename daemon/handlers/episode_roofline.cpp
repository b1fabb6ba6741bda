#include "daemon/handlers/handlers.h"
#include "daemon/handlers/stored_episodes.h"
#include "daemon/mcp/roofline_svg.h"

#include <utility>

namespace warpmind::daemon {
namespace {

using protocol::EpisodeRooflineParams;
using protocol::EpisodeRooflineResult;

Result<EpisodeRooflineResult> roofline(const knowledge_base::KnowledgeStore& store,
                                       const EpisodeRooflineParams& params) {
  WARPMIND_TRY(const Job job, job_with_episode(store, params.id));
  const auto& table = config::device_table();
  WARPMIND_TRY(auto plot, mcp::roofline_plot(job, mcp::RooflineSteps::all, table));
  const auto& steps = job.episode->steps;
  const auto time_of = [&steps](const mcp::RooflinePoint& point) -> const Measurement& {
    return *steps[point.step].verdict.measurement;
  };
  const auto& measured = time_of(plot.points.front());
  EpisodeRooflineResult result;
  result.task = job.request.task.name;
  result.device = std::move(plot.device);
  result.workload = measured.workload;
  result.provider = measured.provider;
  result.peak = std::move(plot.peak);
  result.peak_gflops = plot.peak_gflops;
  result.bandwidth_gb_s = plot.bandwidth_gb_s;
  for (const auto& point : plot.points) {
    result.steps.push_back({static_cast<std::int64_t>(point.step), steps[point.step].accepted,
                            point.intensity, point.gflops, time_of(point).median_ns, point.share});
  }
  return result;
}

}  // namespace

Handler<EpisodeRooflineParams, EpisodeRooflineResult> episode_roofline(
    const knowledge_base::KnowledgeStore& store) {
  return [&store](const EpisodeRooflineParams& params, RequestContext& /*context*/) {
    return roofline(store, params);
  };
}

}  // namespace warpmind::daemon
