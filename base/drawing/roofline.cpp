#include "base/drawing/roofline.h"

#include "base/drawing/svg.h"
#include "base/text.h"

#include <algorithm>
#include <cmath>

namespace warpmind::drawing {
namespace {

LogAxes axes_for(const RooflinePlot& plot) {
  const double ridge = plot.peak_gflops / plot.bandwidth_gb_s;
  double least_x = ridge / 10;
  double most_x = ridge * 10;
  double least_y = plot.peak_gflops / 100;
  for (const auto& point : plot.points) {
    if (point.intensity <= 0) continue;
    least_x = std::min(least_x, point.intensity / 2);
    most_x = std::max(most_x, point.intensity * 2);
    least_y = std::min(least_y, point.gflops / 2);
    if (point.given_gflops > 0) least_y = std::min(least_y, point.given_gflops / 2);
  }
  return {std::floor(std::log10(least_x)), std::ceil(std::log10(most_x)),
          std::floor(std::log10(least_y)), std::ceil(std::log10(plot.peak_gflops * 1.5))};
}

std::string roof_of(const RooflinePlot& plot, const LogAxes& axes) {
  constexpr std::string_view kRoof = R"(class="roof" stroke="#333" stroke-width="2")";
  const double ridge = plot.peak_gflops / plot.bandwidth_gb_s;
  const double start =
      std::max(std::pow(10, axes.low_x), std::pow(10, axes.low_y) / plot.bandwidth_gb_s);
  return line_between(axes.x(start), axes.y(start * plot.bandwidth_gb_s), axes.x(ridge),
                      axes.y(plot.peak_gflops), kRoof) +
         line_between(axes.x(ridge), axes.y(plot.peak_gflops), axes.width - axes.margin,
                      axes.y(plot.peak_gflops), kRoof);
}

std::string point_of(const RooflinePoint& point, const LogAxes& axes) {
  constexpr std::string_view kLine = R"(class="line" stroke="#c33")";
  const double x = axes.x(point.intensity);
  const double y = axes.y(point.gflops);
  std::string svg;
  std::string label = point.name;
  if (point.given_gflops > 0) {
    svg += hollow_at(x, axes.y(point.given_gflops), 3);
    svg += line_between(x, axes.y(point.given_gflops), x, y, kLine);
    svg += dot_at(x, y, 3);
  } else {
    svg += dot_at(x, y, 5);
    label += ", " + significant(point.gflops, 3) + " Gflop/s";
    if (point.share > 0) label += ", " + significant(100 * point.share, 3) + " % of the limit";
  }
  return svg + text_at(x + 8, y + 4, label);
}

}  // namespace

std::string draw(const RooflinePlot& plot) {
  const LogAxes axes = axes_for(plot);
  std::string svg = open_svg(axes.width, axes.height, plot.title) + grid_of(axes);
  svg += roof_of(plot, axes);
  for (const auto& point : plot.points) {
    if (point.intensity > 0) svg += point_of(point, axes);
  }
  if (!plot.peak.empty()) {
    svg += text_at(axes.x(plot.peak_gflops / plot.bandwidth_gb_s) + 8, axes.y(plot.peak_gflops) - 6,
                   plot.peak + ", " + significant(plot.peak_gflops / 1000, 3) + " Tflop/s");
  }
  svg += text_at(axes.margin, 30, plot.title, " font-size=\"14\"");
  svg += text_at(axes.width / 2 - 40, axes.height - 12, "flop / byte");
  svg += text_at(8, axes.margin - 12, "Gflop/s");
  return svg + "</svg>\n";
}

}  // namespace warpmind::drawing
