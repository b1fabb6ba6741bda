#include "agents/benchmark/curves_svg.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace warpmind::agents::benchmark {
namespace {

constexpr double kWidth = 900;
constexpr double kHeight = 520;
constexpr double kLeft = 70;
constexpr double kRight = 200;  ///< room for the labels
constexpr double kTop = 56;
constexpr double kBottom = 60;
constexpr double kLabelHeight = 15;

struct Stroke {
  const char* colour;
  const char* dashes;  ///< empty = solid
};
/// Colours that stay apart for most eyes, and dashes for all.
constexpr std::array<Stroke, 11> kStrokes{{
    {"#000000", ""},
    {"#7f7f7f", "2 3"},
    {"#e69f00", "8 4"},
    {"#0072b2", "12 3 2 3"},
    {"#d55e00", ""},
    {"#999933", "2 6"},
    {"#009e73", "6 2"},
    {"#cc79a7", "10 6"},
    {"#56b4e9", "4 4"},
    {"#661100", "1 2"},
    {"#332288", "14 4"},
}};

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '"': safe += "&quot;"; break;
      default: safe += c;
    }
  }
  return safe;
}

/// Evaluations and gains to points of the picture.
struct Scale {
  double evaluations = 1;
  double low = 1;  ///< gain, as a factor
  double high = 1.1;

  [[nodiscard]] double x(double evaluation) const {
    return kLeft + evaluation / evaluations * (kWidth - kLeft - kRight);
  }
  [[nodiscard]] double y(double gain) const {
    return kHeight - kBottom - (gain - low) / (high - low) * (kHeight - kTop - kBottom);
  }
};

/// 1, 2 or 5 times a power of ten, about a fifth of the range.
double step_of(double range) {
  const double raw = range / 5;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw) return factor * power;
  }
  return 10 * power;
}

Scale scale_of(const Summary& summary) {
  Scale scale;
  scale.evaluations = static_cast<double>(std::max<std::int64_t>(summary.evaluations, 1));
  for (const auto& arm : summary.arms) {
    for (const double log_gain : arm.curve) {
      scale.high = std::max(scale.high, std::exp(log_gain));
      scale.low = std::min(scale.low, std::exp(log_gain));
    }
  }
  const double step = step_of(scale.high - scale.low);
  scale.high = std::ceil(scale.high / step) * step;
  scale.low = std::floor(scale.low / step + 1e-9) * step;
  return scale;
}

std::string text_at(double x, double y, const char* anchor, std::string_view text,
                    std::string_view more = "") {
  return "<text x=\"" + fixed(x, 1) + "\" y=\"" + fixed(y, 1) + "\" text-anchor=\"" + anchor +
         "\"" + std::string(more) + ">" + escaped(text) + "</text>\n";
}

std::string line_between(double x1, double y1, double x2, double y2, const char* colour) {
  return "<line x1=\"" + fixed(x1, 1) + "\" y1=\"" + fixed(y1, 1) + "\" x2=\"" + fixed(x2, 1) +
         "\" y2=\"" + fixed(y2, 1) + "\" stroke=\"" + colour + "\"/>\n";
}

std::string axes(const Scale& scale) {
  std::string svg;
  const double gain_step = step_of(scale.high - scale.low);
  const int digits = gain_step < 0.1 ? 2 : 1;
  const auto gains = std::llround((scale.high - scale.low) / gain_step);
  for (std::int64_t i = 0; i <= gains; ++i) {
    const double gain = scale.low + static_cast<double>(i) * gain_step;
    svg += line_between(kLeft, scale.y(gain), kWidth - kRight, scale.y(gain), "#dddddd");
    svg += text_at(kLeft - 8, scale.y(gain) + 4, "end", fixed(gain, digits));
  }
  const auto step = std::max<std::int64_t>(1, std::llround(std::ceil(step_of(scale.evaluations))));
  const auto last = std::llround(scale.evaluations);
  for (std::int64_t i = 0; i <= last; i += step) {
    const auto at = static_cast<double>(i);
    svg +=
        line_between(scale.x(at), kHeight - kBottom, scale.x(at), kHeight - kBottom + 5, "#000000");
    svg += text_at(scale.x(at), kHeight - kBottom + 19, "middle", fixed(at, 0));
  }
  svg += line_between(kLeft, kHeight - kBottom, kWidth - kRight, kHeight - kBottom, "#000000");
  svg += line_between(kLeft, kTop, kLeft, kHeight - kBottom, "#000000");
  svg += text_at((kLeft + kWidth - kRight) / 2, kHeight - 18, "middle",
                 "candidates judged (evaluations)");
  const double middle = (kTop + kHeight - kBottom) / 2;
  svg += text_at(18, middle, "middle", "gain over the given kernel (factor of time)",
                 " transform=\"rotate(-90 18 " + fixed(middle, 1) + ")\"");
  return svg;
}

std::string curve_of(const ArmOutcome& arm, const Scale& scale, const Stroke& stroke) {
  std::string points;
  for (std::size_t k = 0; k < arm.curve.size(); ++k) {
    points += (points.empty() ? "" : " ") + fixed(scale.x(static_cast<double>(k)), 1) + "," +
              fixed(scale.y(std::exp(arm.curve[k])), 1);
  }
  const std::string dashes =
      *stroke.dashes == '\0' ? "" : " stroke-dasharray=\"" + std::string(stroke.dashes) + "\"";
  return "<polyline fill=\"none\" stroke=\"" + std::string(stroke.colour) +
         "\" stroke-width=\"2\"" + dashes + " points=\"" + points + "\"/>\n";
}

struct Label {
  std::size_t arm = 0;
  double end = 0;  ///< height of the line's end
  double y = 0;    ///< of the label, moved off the others
};

/// From top to bottom, no two nearer than a line of text, none outside the picture.
std::vector<Label> labels_of(const Summary& summary, const Scale& scale) {
  std::vector<Label> labels;
  for (std::size_t i = 0; i < summary.arms.size(); ++i) {
    if (summary.arms[i].curve.empty()) continue;
    const double end = scale.y(std::exp(summary.arms[i].curve.back()));
    labels.push_back({i, end, end});
  }
  std::stable_sort(labels.begin(), labels.end(),
                   [](const Label& a, const Label& b) { return a.end < b.end; });
  for (std::size_t i = 1; i < labels.size(); ++i) {
    labels[i].y = std::max(labels[i].y, labels[i - 1].y + kLabelHeight);
  }
  double floor = kHeight - kBottom + kLabelHeight;
  for (auto label = labels.rbegin(); label != labels.rend(); ++label) {
    label->y = std::min(label->y, floor);
    floor = label->y - kLabelHeight;
  }
  return labels;
}

}  // namespace

std::string curves_svg(const Summary& summary, std::string_view title) {
  const Scale scale = scale_of(summary);
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + fixed(kWidth, 0) +
                    " " + fixed(kHeight, 0) +
                    "\" font-family=\"sans-serif\" font-size=\"12\">\n<title>" + escaped(title) +
                    "</title>\n<rect width=\"" + fixed(kWidth, 0) + "\" height=\"" +
                    fixed(kHeight, 0) + "\" fill=\"#ffffff\"/>\n";
  svg += text_at(kLeft, 24, "start", "Gain after each evaluation, mean over tasks",
                 " font-size=\"15\"");
  svg += text_at(kLeft, 42, "start", title, " font-size=\"11\" fill=\"#555555\"");
  svg += axes(scale);
  for (std::size_t i = 0; i < summary.arms.size(); ++i) {
    svg += curve_of(summary.arms[i], scale, kStrokes[i % kStrokes.size()]);
  }
  for (const auto& label : labels_of(summary, scale)) {
    const Stroke& stroke = kStrokes[label.arm % kStrokes.size()];
    const double from = kWidth - kRight + 2;
    svg += line_between(from, label.end, from + 14, label.y, stroke.colour);
    svg += text_at(from + 18, label.y + 4, "start", summary.arms[label.arm].name,
                   " fill=\"" + std::string(stroke.colour) + "\"");
  }
  return svg + "</svg>\n";
}

}  // namespace warpmind::agents::benchmark
