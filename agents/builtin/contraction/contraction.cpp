#include "agents/builtin/contraction/contraction.h"

#include "agents/builtin/contraction/named_axes.h"
#include "agents/builtin/contraction/term_points.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

constexpr int kPoints = 14;
/// Draws until that many points have terms: few have where most terms are left out.
constexpr int kMostDraws = 100 * kPoints;
constexpr std::int64_t kMostThreads = std::int64_t{1} << 31;

tl::unexpected<Error> no_contraction(std::string why) {
  return fail(Errc::not_found, std::move(why));
}

class ContractionFinder {
 public:
  ContractionFinder(const Scene& scene, std::size_t launch) : scene_(scene), tree_(scene.tree()) {
    found_.launch = launch;
    found_.launches = scene.launches_of(launch);
    found_.function = scene.function_of(launch);
  }

  Result<Contraction> find() {
    WARPMIND_CHECK(check_kernel());
    WARPMIND_TRY(found_.nest, find_loop_nest(scene_.source(), *found_.function));
    points_.emplace(scene_, found_);
    expressions_.emplace(scene_, *found_.function, found_.launches);
    WARPMIND_TRY(found_.outputs,
                 find_output_axes(points_->probers(), *expressions_, found_.nest.top));
    WARPMIND_CHECK(find_trips());
    WARPMIND_CHECK(find_dependences());
    WARPMIND_CHECK(assign_axes());
    WARPMIND_CHECK(assign_guards());
    WARPMIND_CHECK(check_operands());
    find_contiguity();
    WARPMIND_CHECK(plan_extents(scene_, *expressions_, found_));
    WARPMIND_CHECK(find_depth());
    return std::move(found_);
  }

 private:
  Result<void> check_kernel() {
    if (found_.function == nullptr)
      return no_contraction("the launched kernel is not defined once");
    if (const auto reason = reason_not_to_edit(scene_.source(), *found_.function);
        !reason.empty()) {
      return no_contraction(reason);
    }
    const auto& plan = scene_.plan();
    const auto& name = plan.launches[found_.launch].kernel;
    const auto uses = std::count_if(plan.launches.begin(), plan.launches.end(),
                                    [&](const Launch& one) { return one.kernel == name; });
    if (uses != 1) return no_contraction("'" + name + "' is launched more than once");
    if (found_.launches.empty()) return no_contraction("no workload launches it");
    for (const auto& one : found_.launches) {
      if (one.shape.block != found_.launches.front().shape.block) {
        return no_contraction("the block shape differs between workloads");
      }
      std::int64_t threads = 1;
      for (const auto extent : one.shape.grid) threads *= extent;
      for (const auto extent : one.shape.block) threads *= extent;
      if (threads >= kMostThreads) return no_contraction("it has 2^31 threads or more");
    }
    if (!tree_.uses(found_.function->body, "gridDim").empty()) {
      return no_contraction("its threads depend on the size of the grid");
    }
    return {};
  }

  [[nodiscard]] std::optional<Access> access(const TermPoint& point, std::size_t launch,
                                             std::size_t operand) const {
    return points_->access(found_.nest.operands.at(operand).access, point, launch);
  }

  /// The trips of a level as its header says, from closed expressions.
  std::optional<std::string> trips_as_written(const NestLevel& level) const {
    const auto bound = expressions_->closed_text(level.bound);
    const auto initial = expressions_->closed_text(level.initial);
    const auto step = level.step == kNoNode ? std::optional<std::string>("1")
                                            : expressions_->closed_text(level.step);
    if (!bound || !initial || !step) return std::nullopt;
    std::string distance = *initial == "0" ? *bound : "(" + *bound + " - " + *initial + ")";
    if (level.inclusive) distance = "(" + distance + " + 1)";
    if (*step == "1") return distance;
    return "((" + distance + " + " + *step + " - 1) / " + *step + ")";
  }

  Result<void> find_trips() {
    for (std::size_t l = 0; l < found_.nest.levels.size(); ++l) {
      const NestLevel& level = found_.nest.levels[l];
      std::vector<std::int64_t> counts;
      for (std::size_t launch = 0; launch < found_.launches.size(); ++launch) {
        std::optional<std::int64_t> same;
        for (int i = 0; i < kPoints || (!same && i < kMostDraws); ++i) {
          const TermPoint point = points_->draw_point(launch, i == 0);
          const auto trips = points_->probers()[launch].trips(
              level.loop, points_->thread_of(point, launch), points_->iterations_of(point));
          // Behind a guard of an outer level nothing can be said, unless nothing can be said at
          // all.
          if (!trips) continue;
          if (same && *same != *trips) {
            return no_contraction("the length of the loop over '" + level.variable +
                                  "' varies with the thread");
          }
          same = trips;
        }
        if (!same) {
          return no_contraction("the length of the loop over '" + level.variable +
                                "' is not known");
        }
        counts.push_back(*same);
      }
      auto text = trips_as_written(level);
      if (text && expressions_->values(*text) != counts) text.reset();
      if (!text) text = expressions_->matching(counts, {});
      if (!text) {
        return no_contraction("no expression of the kernel is the length of the loop over '" +
                              level.variable + "'");
      }
      found_.trips.push_back(*text);
      found_.trip_counts.push_back(std::move(counts));
    }
    return {};
  }

  std::vector<NestItem> all_guards() const {
    std::vector<NestItem> guards;
    for (const auto& level : found_.nest.levels) {
      for (const auto& item : level.items) {
        if (item.is_guard) guards.push_back(item);
      }
    }
    return guards;
  }

  /// Which axes each address depends on, by probes; each guard, by the names in it as well, since
  /// it may change at few places.
  Result<void> find_dependences() {
    const auto guards = all_guards();
    for (const auto& guard : guards) {
      guard_depends_[guard.node] =
          named_axes(tree_, *found_.function, found_.outputs, found_.nest.top, guard.node);
    }
    for (std::size_t launch = 0; launch < found_.launches.size(); ++launch) {
      int seen = 0;
      for (int i = 0; i < kPoints || (seen < kPoints && i < kMostDraws); ++i) {
        const TermPoint point = points_->draw_point(launch, i == 0);
        for (const auto& guard : guards) {
          if (guard_value(guard, point, launch).state == ProbeState::unknown) {
            return no_contraction("'" + tree_.plain_text(guard.node) + "' depends on data");
          }
        }
        if (compare_neighbours(point, launch)) ++seen;
      }
    }
    return {};
  }

  /// Moves `point` along each axis and notes which addresses change; false where both are unknown.
  bool compare_neighbours(const TermPoint& point, std::size_t launch) {
    const std::array<std::optional<Access>, 2> before{access(point, launch, 0),
                                                      access(point, launch, 1)};
    if (!before[0] && !before[1]) return false;
    for (std::size_t axis = 0; axis < found_.outputs.axes.size(); ++axis) {
      const std::int64_t extent = found_.outputs.axes[axis].extents[launch];
      for (const std::int64_t digit :
           {std::int64_t{0}, extent - 1, points_->draw(extent), points_->draw(extent),
            points_->draw(extent), points_->draw(extent)}) {
        if (digit == point.digits[axis]) continue;
        TermPoint other = point;
        other.digits[axis] = digit;
        for (std::size_t o = 0; o < 2; ++o) {
          if (!before.at(o) || depends_.at(o).contains(axis)) continue;
          const auto after = access(other, launch, o);
          if (after && *before.at(o) != *after) depends_.at(o).insert(axis);
        }
      }
    }
    return true;
  }

  [[nodiscard]] Probe guard_value(const NestItem& guard, const TermPoint& point,
                                  std::size_t launch) const {
    return points_->probe(guard.node, point, launch);
  }

  /// How many outputs along `axis` from the first on use the same elements of operand `o`.
  std::int64_t alike_along(std::size_t axis, std::size_t launch, std::size_t o) {
    const std::int64_t extent = found_.outputs.axes[axis].extents[launch];
    std::int64_t alike = extent;
    for (int i = 0; i < kPoints; ++i) {
      TermPoint point = points_->draw_point(launch);
      point.digits[axis] = 0;
      const auto first = access(point, launch, o);
      if (!first) continue;
      for (std::int64_t digit = 1; digit < alike; ++digit) {
        point.digits[axis] = digit;
        if (access(point, launch, o) != first) alike = digit;
      }
    }
    return alike;
  }

  /// Groups: outputs along `axis` use the same elements of one operand as long as they are of one
  /// group. The axis becomes two, the place in the group and the group.
  bool split_into_groups(std::size_t axis) {
    constexpr std::int64_t kMostChannels = 4096;
    if (found_.outputs.axes[axis].grid_dimension) return false;
    for (std::size_t o = 0; o < 2; ++o) {
      std::vector<std::int64_t> sizes;
      for (std::size_t launch = 0; launch < found_.launches.size(); ++launch) {
        const std::int64_t extent = found_.outputs.axes[axis].extents[launch];
        if (extent > kMostChannels) return false;
        sizes.push_back(alike_along(axis, launch, o));
        if (extent % sizes.back() != 0) sizes.back() = 1;
      }
      if (std::all_of(sizes.begin(), sizes.end(), [](auto size) { return size == 1; })) continue;
      const auto text = expressions_->matching(sizes, found_.outputs.axes[axis].variable);
      if (!text || !is_same_in_groups(axis, o, sizes)) continue;
      found_.outputs.split(axis, *text, sizes);
      for (std::size_t other = 0; other < 2; ++other) {
        depends_.at(other) = shifted(depends_.at(other), axis);
      }
      depends_.at(o).erase(axis);
      for (auto& [node, axes] : guard_depends_) axes = shifted(axes, axis);
      return true;
    }
    return false;
  }

  /// Numbers of axes after `axis` became two; what depended on it depends on both.
  static std::set<std::size_t> shifted(const std::set<std::size_t>& axes, std::size_t axis) {
    std::set<std::size_t> moved;
    for (const std::size_t one : axes) moved.insert(one > axis ? one + 1 : one);
    if (axes.contains(axis)) moved.insert(axis + 1);
    return moved;
  }

  bool is_same_in_groups(std::size_t axis, std::size_t o, const std::vector<std::int64_t>& sizes) {
    for (std::size_t launch = 0; launch < found_.launches.size(); ++launch) {
      for (int i = 0; i < 2 * kPoints; ++i) {
        TermPoint point = points_->draw_point(launch);
        const auto before = access(point, launch, o);
        const std::int64_t first = point.digits[axis] / sizes[launch] * sizes[launch];
        point.digits[axis] = first + points_->draw(sizes[launch]);
        if (before && access(point, launch, o) != before) return false;
      }
    }
    return true;
  }

  Result<void> assign_axes() {
    for (std::size_t axis = 0; axis < found_.outputs.axes.size(); ++axis) {
      if (depends_[0].contains(axis) && depends_[1].contains(axis)) split_into_groups(axis);
    }
    std::array<std::vector<std::size_t>, 2> own;
    for (std::size_t axis = 0; axis < found_.outputs.axes.size(); ++axis) {
      const bool first = depends_[0].contains(axis);
      const bool second = depends_[1].contains(axis);
      if (first == second) {
        found_.batch.push_back(axis);
      } else {
        own.at(first ? 0 : 1).push_back(axis);
      }
    }
    if (own[0].empty() || own[1].empty()) {
      return no_contraction(
          "each element of '" +
          tree_.plain_text(found_.nest.operands.at(own[0].empty() ? 0 : 1).access) +
          "' is used for all outputs alike: there is nothing to reuse in a tile");
    }
    // Neighbouring threads become columns, so that the results are written side by side.
    const std::size_t columns = own[0].front() < own[1].front() ? 0 : 1;
    for (std::size_t side = 0; side < 2; ++side) {
      const std::size_t operand = side == 1 ? columns : 1 - columns;
      found_.sides.at(side).axes = own.at(operand);
      found_.sides.at(side).operand = found_.nest.operands.at(operand);
      side_operand_.at(side) = operand;
    }
    return {};
  }

  Result<void> assign_guards() {
    for (const auto& guard : all_guards()) {
      const auto& axes = guard_depends_[guard.node];
      const auto touches = [&](std::size_t side) {
        const auto& own = found_.sides.at(side).axes;
        return std::any_of(own.begin(), own.end(), [&](auto axis) { return axes.contains(axis); });
      };
      if (touches(0) && touches(1)) {
        return no_contraction("'" + tree_.plain_text(guard.node) +
                              "' depends on both operands' outputs");
      }
      // A guard of neither side may keep both operands inside of their buffers.
      if (!touches(1)) found_.sides[0].guards.insert(guard.node);
      if (!touches(0)) found_.sides[1].guards.insert(guard.node);
    }
    return {};
  }

  Result<void> check_operands() {
    for (std::size_t side = 0; side < 2; ++side) {
      auto& one = found_.sides.at(side);
      one.element = element_type_of(scene_.source(), *found_.function, one.operand.access);
      for (std::size_t launch = 0; launch < found_.launches.size(); ++launch) {
        int seen = 0;
        for (int i = 0; i < 2 * kPoints || (seen == 0 && i < kMostDraws); ++i) {
          const auto touched =
              access(points_->draw_point(launch, i == 0), launch, side_operand_.at(side));
          if (!touched) continue;
          ++seen;
          const auto extent = found_.launches[launch].extents.find(touched->buffer);
          if (extent == found_.launches[launch].extents.end() || touched->element < 0 ||
              touched->element >= extent->second) {
            return no_contraction("'" + tree_.plain_text(one.operand.access) +
                                  "' is not seen to stay inside of its buffer");
          }
          WARPMIND_CHECK(check_read_only(touched->buffer, launch));
        }
        if (seen == 0) {
          return no_contraction("'" + tree_.plain_text(one.operand.access) +
                                "' has an index that is not known");
        }
      }
    }
    return {};
  }

  /// No pointer that may be written is bound to the operand's buffer.
  Result<void> check_read_only(const std::string& parameter, std::size_t launch) const {
    const auto& buffers = found_.launches[launch].buffers;
    const auto operand = buffers.find(parameter);
    for (const auto& other : found_.function->parameters) {
      if (!other.is_pointer || other.is_const) continue;
      const auto bound = buffers.find(other.name);
      const bool same =
          operand != buffers.end() && bound != buffers.end() && bound->second == operand->second;
      if (same && (other.name != parameter || writes(other.name))) {
        return no_contraction("'" + parameter + "' is written by the same launch");
      }
    }
    return {};
  }

  [[nodiscard]] bool writes(std::string_view pointer) const {
    for (const NodeId node : tree_.descendants(found_.function->body, "assignment_expression")) {
      const NodeId left = tree_.bare(tree_.field(node, "left"));
      if (!tree_.is(left, "identifier") && !tree_.uses(left, pointer).empty()) return true;
    }
    return false;
  }

  /// The term after `point`'s in the order of the loops; false at the last.
  [[nodiscard]] bool next_term(TermPoint& point, std::size_t launch) const {
    for (std::size_t i = point.terms.size(); i-- > 0;) {
      if (++point.terms[i] < found_.trip_counts[i][launch]) return true;
      point.terms[i] = 0;
    }
    return false;
  }
  [[nodiscard]] bool next_output(TermPoint& point, std::size_t launch,
                                 const std::vector<std::size_t>& axes) const {
    for (const std::size_t axis : axes) {
      if (++point.digits[axis] < found_.outputs.axes[axis].extents[launch]) return true;
      point.digits[axis] = 0;
    }
    return false;
  }

  struct Steps {
    int single = 0;  ///< neighbours one element apart
    int all = 0;
    /// Of the first launch, the largest that is timed.
    int first_single = 0;
    int first_all = 0;
  };

  template <class Next>
  Steps steps_of(std::size_t side, Next next) {
    Steps steps;
    for (std::size_t launch = 0; launch < found_.launches.size(); ++launch) {
      for (int i = 0; i < 2 * kPoints; ++i) {
        TermPoint point = points_->draw_point(launch);
        TermPoint other = point;
        if (!next(other, launch)) continue;
        const auto before = access(point, launch, side_operand_.at(side));
        const auto after = access(other, launch, side_operand_.at(side));
        if (!before || !after) continue;
        ++steps.all;
        if (after->element == before->element + 1) ++steps.single;
        if (launch != 0) continue;
        ++steps.first_all;
        if (after->element == before->element + 1) ++steps.first_single;
      }
    }
    return steps;
  }

  void find_contiguity() {
    for (std::size_t side = 0; side < 2; ++side) {
      auto& one = found_.sides.at(side);
      const Steps terms = steps_of(
          side, [&](TermPoint& point, std::size_t launch) { return next_term(point, launch); });
      const Steps outputs = steps_of(side, [&](TermPoint& point, std::size_t launch) {
        return next_output(point, launch, one.axes);
      });
      one.along_depth = terms.first_single * std::max(outputs.first_all, 1) >
                        outputs.first_single * std::max(terms.first_all, 1);
      const Steps& chosen = one.along_depth ? terms : outputs;
      // A wrap at the end of a digit is rare among random points: more than one digit needs more
      // than probes can show, unless the loops are flat.
      const bool plain = one.along_depth ? found_.nest.levels.size() == 1 : one.axes.size() == 1;
      one.is_contiguous = plain && chosen.all > 0 && chosen.single == chosen.all &&
                          one.guards.empty() && one.operand.guards.empty();
      one.is_even = one.guards.empty() && one.operand.guards.empty() && is_even(side);
    }
  }

  /// The distance in elements from a point to the one that `move` makes of it, if it is the same
  /// everywhere.
  template <class Move>
  std::optional<std::int64_t> distance(std::size_t side, std::size_t launch, Move move) {
    std::optional<std::int64_t> same;
    for (int i = 0; i < kPoints; ++i) {
      const TermPoint point = points_->draw_point(launch);
      TermPoint other = point;
      if (!move(other)) continue;
      const auto before = access(point, launch, side_operand_.at(side));
      const auto after = access(other, launch, side_operand_.at(side));
      if (!before || !after || before->buffer != after->buffer) return std::nullopt;
      const std::int64_t step = after->element - before->element;
      if (same && *same != step) return std::nullopt;
      same = step;
    }
    return same;
  }

  /// Whether numbers with digits of `extents`, the fastest first, are evenly spaced in memory.
  template <class MoveDigit>
  bool is_even_along(std::size_t side, std::size_t launch, const std::vector<std::int64_t>& extents,
                     MoveDigit move_digit) {
    std::optional<std::int64_t> expected;
    for (std::size_t digit = 0; digit < extents.size(); ++digit) {
      if (extents[digit] <= 1) continue;
      const auto step =
          distance(side, launch, [&](TermPoint& point) { return move_digit(point, digit); });
      if (!step || (expected && *step != *expected)) return false;
      expected = *step * extents[digit];
    }
    return true;
  }

  bool is_even(std::size_t side) {
    const auto& axes = found_.sides.at(side).axes;
    for (std::size_t launch = 0; launch < found_.launches.size(); ++launch) {
      std::vector<std::int64_t> extents;
      extents.reserve(axes.size());
      for (const std::size_t axis : axes) {
        extents.push_back(found_.outputs.axes[axis].extents[launch]);
      }
      const auto next_row = [&](TermPoint& point, std::size_t digit) {
        return ++point.digits[axes[digit]] < extents[digit];
      };
      std::vector<std::int64_t> trips;
      for (std::size_t l = found_.trip_counts.size(); l-- > 0;)
        trips.push_back(found_.trip_counts[l][launch]);
      const auto next_iteration = [&](TermPoint& point, std::size_t digit) {
        return ++point.terms[point.terms.size() - 1 - digit] < trips[digit];
      };
      if (!is_even_along(side, launch, extents, next_row) ||
          !is_even_along(side, launch, trips, next_iteration)) {
        return false;
      }
    }
    return true;
  }

  Result<void> find_depth() {
    found_.depth.assign(found_.launches.size(), 1);
    for (const auto& trips : found_.trip_counts) {
      for (std::size_t i = 0; i < trips.size(); ++i) {
        // The tile counts terms in 31 bits.
        if (trips[i] > 0 && found_.depth[i] >= kMostThreads / trips[i]) {
          return no_contraction("a sum has 2^31 terms or more");
        }
        found_.depth[i] *= trips[i];
      }
    }
    return {};
  }

  const Scene& scene_;
  const SyntaxTree& tree_;
  Contraction found_;
  std::optional<TermPoints> points_;
  std::optional<UniformExpressions> expressions_;
  std::array<std::set<std::size_t>, 2> depends_;
  std::map<NodeId, std::set<std::size_t>> guard_depends_;
  std::array<std::size_t, 2> side_operand_{0, 1};
};

}  // namespace

Result<void> plan_extents(const Scene& scene, const UniformExpressions& expressions,
                          Contraction& found) {
  const auto product = [&](const std::vector<std::size_t>& axes, std::string& plan,
                           std::vector<std::int64_t>& numbers) -> Result<void> {
    numbers.assign(found.launches.size(), 1);
    plan.clear();
    for (const std::size_t axis : axes) {
      const auto text = plan_extent(scene, found.launch, expressions, found.outputs.axes[axis]);
      if (!text) {
        return no_contraction("the extent of '" + found.outputs.axes[axis].variable +
                              "' cannot be said in the launch plan");
      }
      plan += (plan.empty() ? "" : " * ") + *text;
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        numbers[i] *= found.outputs.axes[axis].extents[i];
      }
    }
    if (plan.empty()) plan = "1";
    return {};
  };
  WARPMIND_CHECK(product(found.sides[0].axes, found.plan_rows, found.rows));
  WARPMIND_CHECK(product(found.sides[1].axes, found.plan_columns, found.columns));
  found.plan_column_extents.clear();
  for (const std::size_t axis : found.sides[1].axes) {
    found.plan_column_extents.push_back(
        *plan_extent(scene, found.launch, expressions, found.outputs.axes[axis]));
  }
  return product(found.batch, found.plan_batches, found.batches);
}

Result<Contraction> find_contraction(const Scene& scene, std::size_t launch) {
  return scene.remembered<Result<Contraction>>(
      launch, [&] { return ContractionFinder(scene, launch).find(); });
}

}  // namespace warpmind::agents::builtin
