#include "agents/builtin/contraction/contraction.h"

#include "agents/builtin/contraction/named_axes.h"

#include <algorithm>
#include <random>

namespace warpmind::agents::builtin {
namespace {

constexpr std::uint64_t kPointSeed = 11;
constexpr int kPoints = 14;
constexpr std::int64_t kMostThreads = std::int64_t{1} << 31;

tl::unexpected<Error> no_contraction(std::string why) {
  return fail(Errc::not_found, std::move(why));
}

/// An output and a term of it.
struct Point {
  std::vector<std::int64_t> digits;
  std::vector<std::int64_t> terms;  ///< iteration of each level
};

class ContractionFinder {
 public:
  ContractionFinder(const Scene& scene, std::size_t launch)
      : scene_(scene), tree_(scene.tree()), generator_(kPointSeed) {
    found_.launch = launch;
    found_.launches = scene.launches_of(launch);
    found_.function = scene.function_of(launch);
  }

  Result<Contraction> find() {
    WARPMIND_CHECK(check_kernel());
    WARPMIND_TRY(found_.nest, find_loop_nest(scene_.source(), *found_.function));
    for (const auto& one : found_.launches) {
      probers_.emplace_back(scene_.source(), *found_.function, one);
    }
    expressions_.emplace(scene_, *found_.function, found_.launches);
    WARPMIND_TRY(found_.outputs, find_output_axes(probers_, *expressions_, found_.nest.top));
    WARPMIND_CHECK(find_trips());
    WARPMIND_CHECK(find_dependences());
    WARPMIND_CHECK(assign_axes());
    WARPMIND_CHECK(assign_guards());
    WARPMIND_CHECK(check_operands());
    find_contiguity();
    WARPMIND_CHECK(find_extents());
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

  Point random_point(std::size_t launch, bool last) {
    Point point;
    // Borders are where guards change.
    const auto draw = [&](std::int64_t extent) {
      const auto where = generator_() % 4;
      if (last || where == 0) return extent - 1;
      if (where == 1) return std::int64_t{0};
      return static_cast<std::int64_t>(generator_() % static_cast<std::uint64_t>(extent));
    };
    for (const auto& axis : found_.outputs.axes) point.digits.push_back(draw(axis.extents[launch]));
    for (const auto& trips : trip_counts_) {
      point.terms.push_back(draw(std::max<std::int64_t>(trips[launch], 1)));
    }
    return point;
  }

  [[nodiscard]] ThreadPosition thread_of(const Point& point, std::size_t launch) const {
    return found_.outputs.mapping.position(found_.launches[launch],
                                           found_.outputs.coordinates(point.digits, launch));
  }
  [[nodiscard]] Iterations iterations_of(const Point& point) const {
    Iterations at;
    for (std::size_t i = 0; i < point.terms.size(); ++i) {
      at[found_.nest.levels[i].loop] = point.terms[i];
    }
    return at;
  }
  [[nodiscard]] std::optional<Access> access(const Point& point, std::size_t launch,
                                             std::size_t operand) const {
    return probers_[launch].access(found_.nest.operands.at(operand).access,
                                   thread_of(point, launch), iterations_of(point));
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
      for (std::size_t launch = 0; launch < probers_.size(); ++launch) {
        std::optional<std::int64_t> same;
        for (int i = 0; i < kPoints; ++i) {
          const Point point = random_point(launch, i == 0);
          const auto trips =
              probers_[launch].trips(level.loop, thread_of(point, launch), iterations_of(point));
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
      trip_counts_.push_back(std::move(counts));
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
    for (std::size_t launch = 0; launch < probers_.size(); ++launch) {
      for (int i = 0; i < kPoints; ++i) {
        const Point point = random_point(launch, i == 0);
        for (const auto& guard : guards) {
          if (guard_value(guard, point, launch).state == ProbeState::unknown) {
            return no_contraction("'" + tree_.plain_text(guard.node) + "' depends on data");
          }
        }
        compare_neighbours(point, launch);
      }
    }
    return {};
  }

  /// Moves `point` along each axis and notes which addresses change.
  void compare_neighbours(const Point& point, std::size_t launch) {
    const std::array<std::optional<Access>, 2> before{access(point, launch, 0),
                                                      access(point, launch, 1)};
    for (std::size_t axis = 0; axis < found_.outputs.axes.size(); ++axis) {
      const std::int64_t extent = found_.outputs.axes[axis].extents[launch];
      for (const std::int64_t digit :
           {std::int64_t{0}, extent - 1,
            static_cast<std::int64_t>(generator_() % static_cast<std::uint64_t>(extent))}) {
        if (digit == point.digits[axis]) continue;
        Point other = point;
        other.digits[axis] = digit;
        for (std::size_t o = 0; o < 2; ++o) {
          if (!before.at(o) || depends_.at(o).contains(axis)) continue;
          const auto after = access(other, launch, o);
          if (after && *before.at(o) != *after) depends_.at(o).insert(axis);
        }
      }
    }
  }

  [[nodiscard]] Probe guard_value(const NestItem& guard, const Point& point,
                                  std::size_t launch) const {
    return probers_[launch].probe(guard.node, thread_of(point, launch), iterations_of(point));
  }

  Result<void> assign_axes() {
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
      for (std::size_t launch = 0; launch < probers_.size(); ++launch) {
        int seen = 0;
        for (int i = 0; i < 2 * kPoints; ++i) {
          const auto touched = access(random_point(launch, i == 0), launch, side_operand_.at(side));
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
  [[nodiscard]] bool next_term(Point& point, std::size_t launch) const {
    for (std::size_t i = point.terms.size(); i-- > 0;) {
      if (++point.terms[i] < trip_counts_[i][launch]) return true;
      point.terms[i] = 0;
    }
    return false;
  }
  [[nodiscard]] bool next_output(Point& point, std::size_t launch,
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
    for (std::size_t launch = 0; launch < probers_.size(); ++launch) {
      for (int i = 0; i < 2 * kPoints; ++i) {
        Point point = random_point(launch, false);
        Point other = point;
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
          side, [&](Point& point, std::size_t launch) { return next_term(point, launch); });
      const Steps outputs = steps_of(side, [&](Point& point, std::size_t launch) {
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
      const Point point = random_point(launch, false);
      Point other = point;
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
          distance(side, launch, [&](Point& point) { return move_digit(point, digit); });
      if (!step || (expected && *step != *expected)) return false;
      expected = *step * extents[digit];
    }
    return true;
  }

  bool is_even(std::size_t side) {
    const auto& axes = found_.sides.at(side).axes;
    for (std::size_t launch = 0; launch < probers_.size(); ++launch) {
      std::vector<std::int64_t> extents;
      extents.reserve(axes.size());
      for (const std::size_t axis : axes) {
        extents.push_back(found_.outputs.axes[axis].extents[launch]);
      }
      const auto next_row = [&](Point& point, std::size_t digit) {
        return ++point.digits[axes[digit]] < extents[digit];
      };
      std::vector<std::int64_t> trips;
      for (std::size_t l = trip_counts_.size(); l-- > 0;) trips.push_back(trip_counts_[l][launch]);
      const auto next_iteration = [&](Point& point, std::size_t digit) {
        return ++point.terms[point.terms.size() - 1 - digit] < trips[digit];
      };
      if (!is_even_along(side, launch, extents, next_row) ||
          !is_even_along(side, launch, trips, next_iteration)) {
        return false;
      }
    }
    return true;
  }

  Result<void> find_extents() {
    const auto product = [&](const std::vector<std::size_t>& axes, std::string& plan,
                             std::vector<std::int64_t>& numbers) -> Result<void> {
      numbers.assign(found_.launches.size(), 1);
      for (const std::size_t axis : axes) {
        const auto text =
            plan_extent(scene_, found_.launch, *expressions_, found_.outputs.axes[axis]);
        if (!text) {
          return no_contraction("the extent of '" + found_.outputs.axes[axis].variable +
                                "' cannot be said in the launch plan");
        }
        plan += (plan.empty() ? "" : " * ") + *text;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
          numbers[i] *= found_.outputs.axes[axis].extents[i];
        }
      }
      if (plan.empty()) plan = "1";
      return {};
    };
    WARPMIND_CHECK(product(found_.sides[0].axes, found_.plan_rows, found_.rows));
    WARPMIND_CHECK(product(found_.sides[1].axes, found_.plan_columns, found_.columns));
    WARPMIND_CHECK(product(found_.batch, found_.plan_batches, found_.batches));
    found_.depth.assign(found_.launches.size(), 1);
    for (const auto& trips : trip_counts_) {
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
  std::mt19937_64 generator_;
  Contraction found_;
  std::vector<KernelProber> probers_;
  std::optional<UniformExpressions> expressions_;
  std::vector<std::vector<std::int64_t>> trip_counts_;  ///< of each level at each launch
  std::array<std::set<std::size_t>, 2> depends_;
  std::map<NodeId, std::set<std::size_t>> guard_depends_;
  std::array<std::size_t, 2> side_operand_{0, 1};
};

}  // namespace

Result<Contraction> find_contraction(const Scene& scene, std::size_t launch) {
  return scene.remembered<Result<Contraction>>(
      launch, [&] { return ContractionFinder(scene, launch).find(); });
}

}  // namespace warpmind::agents::builtin
