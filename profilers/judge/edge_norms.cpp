#include "profilers/judge/edge_norms.h"

#include <cmath>

namespace warpmind::profilers {
namespace {

constexpr std::array<const char*, 4> kEdgeNames{"the first row", "the last row", "the first column",
                                                "the last column"};

}  // namespace

EdgeNorms::EdgeNorms(const std::vector<std::int64_t>& extents) {
  if (extents.size() < 2 || extents.back() <= 0 || extents[extents.size() - 2] <= 0) return;
  rows_ = static_cast<std::size_t>(extents[extents.size() - 2]);
  columns_ = static_cast<std::size_t>(extents.back());
}

void EdgeNorms::add(double error, double tolerance) {
  const std::array<bool, 4> on{row_ == 0, row_ + 1 == rows_, column_ == 0, column_ + 1 == columns_};
  if (on[0] || on[1] || on[2] || on[3]) {
    const double error_square = error * error;
    const double tolerance_square = tolerance * tolerance;
    for (std::size_t edge = 0; edge < on.size(); ++edge) {
      if (!on[edge]) continue;
      sums_[edge].errors += error_square;
      sums_[edge].tolerances += tolerance_square;
    }
  }
  if (++column_ < columns_) return;
  column_ = 0;
  if (++row_ < rows_) return;
  row_ = 0;
  close_plane();
}

void EdgeNorms::close_plane() {
  for (std::size_t edge = 0; edge < sums_.size(); ++edge) {
    if (sums_[edge].tolerances > 0) {
      const double share = std::sqrt(sums_[edge].errors / sums_[edge].tolerances);
      if (share > worst_share_[edge]) {
        worst_share_[edge] = share;
        worst_plane_[edge] = plane_;
      }
    }
    sums_[edge] = {};
  }
  ++plane_;
}

std::optional<EdgeNorms::Edge> EdgeNorms::worst(std::size_t least_elements) {
  std::optional<Edge> found;
  for (std::size_t edge = 0; edge < worst_share_.size(); ++edge) {
    const std::size_t length = edge < 2 ? columns_ : rows_;
    if (length < least_elements || worst_share_[edge] <= (found ? found->share : 0)) continue;
    found = Edge{worst_share_[edge], kEdgeNames[edge]};
    if (plane_ > 1) found->where += " of plane " + std::to_string(worst_plane_[edge]);
  }
  return found;
}

}  // namespace warpmind::profilers
