#include "clients/cli/report/night_charts.h"

#include "base/drawing/roofline.h"
#include "base/drawing/svg.h"
#include "base/text.h"
#include "clients/cli/report/text.h"
#include "clients/cli/report/units.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace warpmind::clients {
namespace {

using daemon::protocol::QueueReportJob;
using daemon::protocol::QueueReportPrediction;
using Jobs = std::vector<QueueReportJob>;

/// Inside a page the name of the format is not needed, and nothing there should look like a link.
std::string inlined(std::string svg) {
  constexpr std::string_view kName = " xmlns=\"http://www.w3.org/2000/svg\"";
  if (const auto at = svg.find(kName); at != std::string::npos) svg.erase(at, kName.size());
  return svg;
}

bool is_ratio(double value) { return std::isfinite(value) && value > 0; }

std::string points_of(const std::vector<double>& curve, double best, double width, double height) {
  const double scale = std::log(std::max(best, 1.05));
  std::string points = "0," + fixed(height, 1);
  for (std::size_t i = 0; i < curve.size(); ++i) {
    const double x = width * static_cast<double>(i + 1) / static_cast<double>(curve.size());
    const double y = height * (1 - std::clamp(std::log(std::max(curve[i], 1.0)) / scale, 0.0, 1.0));
    points += ' ' + fixed(x, 1) + ',' + fixed(y, 1);
  }
  return points;
}

/// After each candidate of the night.
std::vector<double> mean_curve(const Jobs& jobs) {
  std::size_t compared = 0;
  for (const auto& job : jobs) compared += job.curve.empty() ? 0 : 1;
  std::vector<double> curve;
  double sum = 0;  // of the logarithms of what each job has so far
  for (const auto& job : jobs) {
    double own = 0;
    for (const double ratio : job.curve) {
      const double found = is_ratio(ratio) ? std::log(ratio) : 0;
      sum += found - own;
      own = found;
      curve.push_back(std::exp(sum / static_cast<double>(compared)));
    }
  }
  return curve;
}

std::vector<QueueReportPrediction> usable(const Jobs& jobs) {
  std::vector<QueueReportPrediction> all;
  for (const auto& job : jobs) {
    for (const auto& one : job.predictions) {
      if (is_ratio(one.predicted) && is_ratio(one.low) && is_ratio(one.high) && is_ratio(one.ratio))
        all.push_back(one);
    }
  }
  return all;
}

drawing::LogAxes calibration_axes(const std::vector<QueueReportPrediction>& all) {
  double least = 1;
  double most = 1;
  for (const auto& one : all) {
    least = std::min({least, one.ratio, one.low});
    most = std::max({most, one.ratio, one.high});
  }
  drawing::LogAxes axes;
  axes.low_x = axes.low_y = std::floor(std::log10(least));
  axes.high_x = axes.high_y = std::max(std::ceil(std::log10(most)), axes.low_x + 1);
  axes.width = axes.height = 400;
  axes.margin = 50;
  return axes;
}

/// What makes two jobs stand under the same roof.
using Roof = std::tuple<std::string, bool, double, double>;  // device, predicted, peak, bandwidth

drawing::RooflinePlot plot_under(const Roof& roof) {
  const auto& [device, predicted, peak, bandwidth] = roof;
  drawing::RooflinePlot plot;
  plot.title = device + ", " + significant(peak / 1000, 3) + " Tflop/s, " +
               significant(bandwidth / 1000, 3) + " TB/s" +
               (predicted ? ", predicted" : ", measured");
  plot.peak_gflops = peak;
  plot.bandwidth_gb_s = bandwidth;
  return plot;
}

}  // namespace

std::string curve_svg(const std::vector<double>& curve, double best) {
  if (curve.empty()) return {};
  return "<svg class=\"spark\" viewBox=\"0 0 160 36\" width=\"160\" height=\"36\" role=\"img\" "
         "aria-label=\"best ratio after each of " +
         std::to_string(curve.size()) + " candidates, " + format_ratio(curve.back()) +
         " at the end\"><polyline points=\"" + points_of(curve, best, 160, 36) + "\"/></svg>";
}

std::string night_curve_svg(const Jobs& jobs) {
  constexpr double kWidth = 640;
  constexpr double kHeight = 160;
  const auto curve = mean_curve(jobs);
  if (curve.empty() || curve.back() <= 1) return {};
  const double best = curve.back();
  return "<svg class=\"night\" viewBox=\"-60 -10 720 200\" role=\"img\" aria-label=\"geometric "
         "mean of the best ratios after each of " +
         std::to_string(curve.size()) + " candidates of the night, " + format_ratio(best) +
         " at the end\">\n" +
         drawing::line_between(0, kHeight, kWidth, kHeight, R"(class="grid" stroke="#ddd")") +
         drawing::line_between(0, 0, kWidth, 0, R"(class="grid" stroke="#ddd")") +
         drawing::text_at(-50, 4, format_ratio(best)) +
         drawing::text_at(-50, kHeight + 4, "1.00×") +
         drawing::text_at(kWidth - 130, kHeight + 20,
                          format_count(static_cast<std::int64_t>(curve.size())) + " candidates") +
         "<polyline points=\"" + points_of(curve, best, kWidth, kHeight) + "\"/></svg>\n";
}

std::string calibration_svg(const Jobs& jobs) {
  const auto all = usable(jobs);
  if (all.empty()) return {};
  const auto axes = calibration_axes(all);
  const double low = std::pow(10, axes.low_x);
  const double high = std::pow(10, axes.high_x);
  std::string svg = drawing::open_svg(axes.width, axes.height,
                                      "predicted against found ratios of " +
                                          std::to_string(all.size()) + " candidates") +
                    drawing::grid_of(axes) +
                    drawing::line_between(axes.x(low), axes.y(low), axes.x(high), axes.y(high),
                                          R"(class="roof" stroke="#333" stroke-width="1")");
  for (const auto& one : all) {
    const double y = axes.y(one.ratio);
    svg += drawing::line_between(axes.x(one.low), y, axes.x(one.high), y,
                                 R"(class="band" stroke="#c99" stroke-width="2")");
    svg += drawing::dot_at(axes.x(one.predicted), y, 3);
  }
  svg += drawing::text_at(axes.width / 2 - 70, axes.height - 12, "predicted ratio (80 % interval)");
  svg += drawing::text_at(8, axes.margin - 12, "found ratio");
  return inlined(svg.insert(4, " class=\"square\"") + "</svg>\n");  // behind "<svg"
}

std::vector<std::string> roofline_svgs(const Jobs& jobs) {
  std::map<Roof, drawing::RooflinePlot> plots;
  std::size_t number = 0;
  for (const auto& job : jobs) {
    ++number;
    const auto& place = job.roofline;
    const bool known = is_ratio(place.intensity) && is_ratio(place.given_gflops) &&
                       is_ratio(place.best_gflops) && is_ratio(place.peak_gflops) &&
                       is_ratio(place.bandwidth_gb_s);
    if (!known) continue;
    const Roof roof{clean_line(job.device), job.provider == "sim", place.peak_gflops,
                    place.bandwidth_gb_s};
    auto& plot = plots.try_emplace(roof, plot_under(roof)).first->second;
    plot.points.push_back(
        {{place.intensity, place.best_gflops}, std::to_string(number), place.given_gflops});
  }
  std::vector<std::string> pictures;
  pictures.reserve(plots.size());
  for (const auto& [roof, plot] : plots) pictures.push_back(inlined(drawing::draw(plot)));
  return pictures;
}

}  // namespace warpmind::clients
