#pragma once
/// \file
/// Pieces of SVG 1.1 pictures: no scripts, no links, text escaped. Colours are attributes, which
/// the style of a page overrides by class: `paper`, `grid`, `roof`, `dot`, `hollow`, `line`,
/// `band`.

#include <string>
#include <string_view>
#include <vector>

namespace warpmind::drawing {

/// `text` as the content of an element or attribute; control bytes become blanks.
[[nodiscard]] std::string escaped(std::string_view text);

/// Opens a picture with a title for those who cannot see it, and its paper.
[[nodiscard]] std::string open_svg(double width, double height, std::string_view title);
[[nodiscard]] std::string text_at(double x, double y, std::string_view text,
                                  std::string_view more = "");
[[nodiscard]] std::string line_between(double x1, double y1, double x2, double y2,
                                       std::string_view style);
[[nodiscard]] std::string dot_at(double x, double y, double radius);
[[nodiscard]] std::string hollow_at(double x, double y, double radius);

/// Logarithmic in both directions; the corners are powers of ten.
struct LogAxes {
  double low_x = 0;  ///< exponents
  double high_x = 1;
  double low_y = 0;
  double high_y = 1;
  double width = 640;
  double height = 400;
  double margin = 60;

  [[nodiscard]] double x(double value) const;
  [[nodiscard]] double y(double value) const;
};

/// A line and a number at each power of ten.
[[nodiscard]] std::string grid_of(const LogAxes& axes);

}  // namespace warpmind::drawing
