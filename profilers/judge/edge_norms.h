#pragma once
/// \file
/// Errors along the edges of an output: a kernel that treats a border a little wrong shows here,
/// where a run of 128 elements would thin it out.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::profilers {

/// Norms over the first and last row and column of each plane (the two fastest extents). Elements
/// come in the order of memory, each once.
class EdgeNorms {
 public:
  /// What `share` of the tolerances the errors of an edge reach together.
  struct Edge {
    double share = 0;
    std::string where;  ///< "the last column of plane 3"
  };

  explicit EdgeNorms(const std::vector<std::int64_t>& extents);

  /// False for outputs without planes: add() and worst() are not needed then.
  [[nodiscard]] bool has_edges() const { return columns_ > 0; }
  void add(double error, double tolerance);
  /// The worst edge with at least `least_elements`, after all elements; nullopt without errors.
  [[nodiscard]] std::optional<Edge> worst(std::size_t least_elements);

 private:
  struct Sums {
    double errors = 0;
    double tolerances = 0;
  };
  void close_plane();

  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::size_t plane_ = 0;
  std::size_t row_ = 0;
  std::size_t column_ = 0;
  std::array<Sums, 4> sums_{};  ///< first row, last row, first column, last column
  std::array<double, 4> worst_share_{};
  std::array<std::size_t, 4> worst_plane_{};
};

}  // namespace warpmind::profilers
