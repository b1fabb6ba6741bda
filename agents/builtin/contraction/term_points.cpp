#include "agents/builtin/contraction/term_points.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

constexpr std::uint64_t kPointSeed = 11;

}  // namespace

TermPoints::TermPoints(const Scene& scene, const Contraction& contraction)
    : contraction_(&contraction), generator_(kPointSeed) {
  for (const auto& one : contraction.launches) {
    probers_.emplace_back(scene.source(), *contraction.function, one);
  }
}

std::int64_t TermPoints::draw(std::int64_t extent) {
  const auto where = generator_() % 4;
  if (near_ends_ && where == 0) return extent - 1;
  if (near_ends_ && where == 1) return 0;
  return static_cast<std::int64_t>(generator_() % static_cast<std::uint64_t>(extent));
}

TermPoint TermPoints::draw_point(std::size_t launch, bool last) {
  TermPoint point;
  near_ends_ = !near_ends_;
  for (const auto& axis : contraction_->outputs.axes) {
    const std::int64_t extent = axis.extents[launch];
    point.digits.push_back(last ? extent - 1 : draw(extent));
  }
  for (const auto& trips : contraction_->trip_counts) {
    const std::int64_t extent = std::max<std::int64_t>(trips[launch], 1);
    point.terms.push_back(last ? extent - 1 : draw(extent));
  }
  return point;
}

ThreadPosition TermPoints::thread_of(const TermPoint& point, std::size_t launch) const {
  return contraction_->outputs.mapping.position(
      contraction_->launches[launch], contraction_->outputs.coordinates(point.digits, launch));
}

Iterations TermPoints::iterations_of(const TermPoint& point) const {
  Iterations at;
  for (std::size_t i = 0; i < point.terms.size(); ++i) {
    at[contraction_->nest.levels[i].loop] = point.terms[i];
  }
  return at;
}

Probe TermPoints::probe(NodeId node, const TermPoint& point, std::size_t launch) const {
  return probers_[launch].probe(node, thread_of(point, launch), iterations_of(point));
}

std::optional<Access> TermPoints::access(NodeId node, const TermPoint& point,
                                         std::size_t launch) const {
  return probers_[launch].access(node, thread_of(point, launch), iterations_of(point));
}

}  // namespace warpmind::agents::builtin
