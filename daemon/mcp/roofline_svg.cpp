#include "daemon/mcp/roofline_svg.h"

#include "base/codec/model_json.h"
#include "base/expression.h"
#include "base/text.h"
#include "config/device_table.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace warpmind::daemon::mcp {
namespace {

constexpr double kWidth = 640;
constexpr double kHeight = 400;
constexpr double kMargin = 60;

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '&': safe += "&amp;"; break;
      case '"': safe += "&quot;"; break;
      default: safe += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return safe;
}

/// Logarithmic axes.
struct Axes {
  double low_x = 0;  // powers of ten
  double high_x = 0;
  double low_y = 0;
  double high_y = 0;

  [[nodiscard]] double x(double value) const {
    return kMargin + (std::log10(value) - low_x) / (high_x - low_x) * (kWidth - 2 * kMargin);
  }
  [[nodiscard]] double y(double value) const {
    return kHeight - kMargin -
           (std::log10(value) - low_y) / (high_y - low_y) * (kHeight - 2 * kMargin);
  }
};

Axes axes_for(const RooflinePlot& plot) {
  const double ridge = plot.peak_gflops / plot.bandwidth_gb_s;
  double least_x = ridge / 10;
  double most_x = ridge * 10;
  double least_y = plot.peak_gflops / 100;
  for (const auto& point : plot.points) {
    least_x = std::min(least_x, point.intensity / 2);
    most_x = std::max(most_x, point.intensity * 2);
    least_y = std::min(least_y, point.gflops / 2);
  }
  return {std::floor(std::log10(least_x)), std::ceil(std::log10(most_x)),
          std::floor(std::log10(least_y)), std::ceil(std::log10(plot.peak_gflops * 1.5))};
}

std::string text_at(double x, double y, std::string_view text, std::string_view more = "") {
  return "<text x=\"" + fixed(x, 1) + "\" y=\"" + fixed(y, 1) + "\"" + std::string(more) + ">" +
         escaped(text) + "</text>\n";
}

std::string line_between(double x1, double y1, double x2, double y2, std::string_view style) {
  return "<line x1=\"" + fixed(x1, 1) + "\" y1=\"" + fixed(y1, 1) + "\" x2=\"" + fixed(x2, 1) +
         "\" y2=\"" + fixed(y2, 1) + "\" " + std::string(style) + "/>\n";
}

/// From `low` in steps of one, to `high` at most.
std::vector<double> whole_numbers(double low, double high) {
  const auto count = static_cast<std::size_t>(std::max(0.0, std::floor(high - low) + 1));
  std::vector<double> numbers(count);
  std::iota(numbers.begin(), numbers.end(), low);
  return numbers;
}

std::string grid_of(const Axes& axes) {
  constexpr std::string_view kGrid = R"(stroke="#ddd")";
  std::string svg;
  for (const double power : whole_numbers(axes.low_x, axes.high_x)) {
    const double x = axes.x(std::pow(10, power));
    svg += line_between(x, kMargin, x, kHeight - kMargin, kGrid);
    svg += text_at(x - 10, kHeight - kMargin + 16, significant(std::pow(10, power), 3));
  }
  for (const double power : whole_numbers(axes.low_y, axes.high_y)) {
    const double y = axes.y(std::pow(10, power));
    svg += line_between(kMargin, y, kWidth - kMargin, y, kGrid);
    svg += text_at(8, y + 4, significant(std::pow(10, power), 3));
  }
  return svg;
}

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
                           static_cast<double>(*flops) / measurement->median_ns, index});
  }
}

}  // namespace

std::string draw(const RooflinePlot& plot) {
  const Axes axes = axes_for(plot);
  const double ridge = plot.peak_gflops / plot.bandwidth_gb_s;
  const double left = std::pow(10, axes.low_x);
  const double floor_y = std::pow(10, axes.low_y);
  const double start = std::max(left, floor_y / plot.bandwidth_gb_s);
  constexpr std::string_view kRoof = R"(stroke="#333" stroke-width="2")";
  std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 400\" "
      "font-family=\"sans-serif\" font-size=\"11\">\n"
      "<rect width=\"640\" height=\"400\" fill=\"#fff\"/>\n";
  svg += grid_of(axes);
  svg += line_between(axes.x(start), axes.y(start * plot.bandwidth_gb_s), axes.x(ridge),
                      axes.y(plot.peak_gflops), kRoof);
  svg += line_between(axes.x(ridge), axes.y(plot.peak_gflops), kWidth - kMargin,
                      axes.y(plot.peak_gflops), kRoof);
  for (const auto& point : plot.points) {
    svg += "<circle cx=\"" + fixed(axes.x(point.intensity), 1) + "\" cy=\"" +
           fixed(axes.y(point.gflops), 1) + "\" r=\"5\" fill=\"#c33\"/>\n";
    svg += text_at(axes.x(point.intensity) + 8, axes.y(point.gflops) + 4,
                   point.name + ", " + significant(point.gflops, 3) + " Gflop/s");
  }
  svg += text_at(kMargin, 30, plot.title, " font-size=\"14\"");
  svg += text_at(kWidth / 2 - 40, kHeight - 12, "flop / byte");
  svg += text_at(8, kMargin - 12, "Gflop/s");
  return svg + "</svg>\n";
}

Result<RooflinePlot> roofline_plot(const Job& job, RooflineSteps wanted) {
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
  WARPMIND_TRY(const auto table, config::DeviceTable::load());
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
  WARPMIND_TRY(const auto plot, roofline_plot(job, RooflineSteps::given_and_best));
  return draw(plot);
}

}  // namespace warpmind::daemon::mcp
