#include "base/drawing/svg.h"

#include "base/text.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace warpmind::drawing {
namespace {

/// From `low` in steps of one, to `high` at most.
std::vector<double> whole_numbers(double low, double high) {
  const auto count = static_cast<std::size_t>(std::max(0.0, std::floor(high - low) + 1));
  std::vector<double> numbers(count);
  std::iota(numbers.begin(), numbers.end(), low);
  return numbers;
}

std::string circle(double x, double y, double radius, std::string_view style) {
  return "<circle cx=\"" + fixed(x, 1) + "\" cy=\"" + fixed(y, 1) + "\" r=\"" + fixed(radius, 1) +
         "\" " + std::string(style) + "/>\n";
}

}  // namespace

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

std::string open_svg(double width, double height, std::string_view title) {
  const std::string size = fixed(width, 0) + " " + fixed(height, 0);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + size +
         "\" font-family=\"sans-serif\" font-size=\"11\" role=\"img\">\n<title>" + escaped(title) +
         "</title>\n<rect class=\"paper\" width=\"" + fixed(width, 0) + "\" height=\"" +
         fixed(height, 0) + "\" fill=\"#fff\"/>\n";
}

std::string text_at(double x, double y, std::string_view text, std::string_view more) {
  return "<text x=\"" + fixed(x, 1) + "\" y=\"" + fixed(y, 1) + "\"" + std::string(more) + ">" +
         escaped(text) + "</text>\n";
}

std::string line_between(double x1, double y1, double x2, double y2, std::string_view style) {
  return "<line x1=\"" + fixed(x1, 1) + "\" y1=\"" + fixed(y1, 1) + "\" x2=\"" + fixed(x2, 1) +
         "\" y2=\"" + fixed(y2, 1) + "\" " + std::string(style) + "/>\n";
}

std::string dot_at(double x, double y, double radius) {
  return circle(x, y, radius, R"(class="dot" fill="#c33")");
}

std::string hollow_at(double x, double y, double radius) {
  return circle(x, y, radius, R"(class="hollow" fill="none" stroke="#c33" stroke-width="1.5")");
}

double LogAxes::x(double value) const {
  return margin + (std::log10(value) - low_x) / (high_x - low_x) * (width - 2 * margin);
}

double LogAxes::y(double value) const {
  return height - margin - (std::log10(value) - low_y) / (high_y - low_y) * (height - 2 * margin);
}

std::string grid_of(const LogAxes& axes) {
  constexpr std::string_view kGrid = R"(class="grid" stroke="#ddd")";
  std::string svg;
  for (const double power : whole_numbers(axes.low_x, axes.high_x)) {
    const double x = axes.x(std::pow(10, power));
    svg += line_between(x, axes.margin, x, axes.height - axes.margin, kGrid);
    svg += text_at(x - 10, axes.height - axes.margin + 16, significant(std::pow(10, power), 3));
  }
  for (const double power : whole_numbers(axes.low_y, axes.high_y)) {
    const double y = axes.y(std::pow(10, power));
    svg += line_between(axes.margin, y, axes.width - axes.margin, y, kGrid);
    svg += text_at(8, y + 4, significant(std::pow(10, power), 3));
  }
  return svg;
}

}  // namespace warpmind::drawing
