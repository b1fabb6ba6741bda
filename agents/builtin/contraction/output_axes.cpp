#include "agents/builtin/contraction/output_axes.h"

#include <algorithm>
#include <random>

namespace warpmind::agents::builtin {
namespace {

using Integers = std::map<std::string, std::int64_t, std::less<>>;

constexpr std::uint64_t kAxisSeed = 7;
constexpr int kChecks = 12;

struct Digit {
  std::string variable;
  std::int64_t stride = 1;
  std::int64_t extent = 1;
};

/// One launch, seen along one coordinate at a time.
class GridLine {
 public:
  GridLine(const KernelProber& prober, NodeId place, const GridMapping& mapping,
           std::size_t dimension)
      : prober_(&prober),
        place_(place),
        mapping_(mapping),
        dimension_(dimension),
        grid_extent_(mapping.extent(prober.launch(), dimension)) {}

  /// Integers of the thread at `coordinate`, the other coordinates 0; nullopt: it is guarded out.
  const std::optional<Integers>& at(std::int64_t coordinate) {
    const auto known = seen_.find(coordinate);
    if (known != seen_.end()) return known->second;
    Coordinates coordinates{};
    coordinates.at(dimension_) = coordinate;
    const auto thread = mapping_.position(prober_->launch(), coordinates);
    return seen_.emplace(coordinate, prober_->integers_at(place_, thread)).first->second;
  }

  std::optional<std::int64_t> value(std::int64_t coordinate, const std::string& variable) {
    const auto& integers = at(coordinate);
    if (!integers) return std::nullopt;
    const auto found = integers->find(variable);
    if (found == integers->end()) return std::nullopt;
    return found->second;
  }

  /// Threads from 0 that get there; the guard is taken to be one bound.
  std::int64_t active() {
    if (active_ > 0) return active_;
    std::int64_t low = 0;
    std::int64_t high = grid_extent_;
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (at(middle) ? low : high) = middle;
    }
    active_ = low + 1;
    return active_;
  }

  /// The variable as a digit of the coordinate; extent 1 where it stays 0, nullopt when it is none.
  std::optional<Digit> digit(const std::string& variable) {
    if (value(0, variable) != 0) return std::nullopt;
    Digit digit{variable, 1, 1};
    std::int64_t high = 1;
    while (high < active() && value(high, variable) == 0) high *= 2;
    high = std::min(high, active() - 1);
    if (high <= 0 || value(high, variable) == 0) return digit;
    std::int64_t low = high / 2;
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (value(middle, variable) == 0 ? low : high) = middle;
    }
    digit.stride = high;
    std::int64_t most = (active() - 1) / digit.stride;
    std::int64_t good = 1;
    if (value(digit.stride, variable) != 1) return std::nullopt;
    for (std::int64_t bad = most + 1; bad - good > 1;) {
      const std::int64_t middle = good + (bad - good) / 2;
      (value(middle * digit.stride, variable) == middle ? good : bad) = middle;
    }
    digit.extent = good + 1;
    std::mt19937_64 generator(kAxisSeed);
    for (int i = 0; i < kChecks; ++i) {
      const auto where =
          static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(active()));
      if (value(where, variable) != where / digit.stride % digit.extent) return std::nullopt;
    }
    return digit;
  }

 private:
  const KernelProber* prober_;
  NodeId place_;
  GridMapping mapping_;
  std::size_t dimension_;
  std::int64_t grid_extent_;
  std::int64_t active_ = 0;
  std::map<std::int64_t, std::optional<Integers>> seen_;
};

/// The finest chain of digits that covers `active`, from `stride` on; false when there is none.
bool chain(const std::vector<Digit>& digits, std::int64_t stride, std::int64_t active,
           std::vector<Digit>& found) {
  if (stride == active) return true;
  for (const auto& digit : digits) {  // in order of extents
    if (digit.stride != stride || digit.extent < 2 || active % (stride * digit.extent) != 0)
      continue;
    found.push_back(digit);
    if (chain(digits, stride * digit.extent, active, found)) return true;
    found.pop_back();
  }
  return false;
}

std::optional<std::vector<Digit>> digits_along(GridLine& line) {
  std::vector<Digit> digits;
  for (const auto& [name, value] : *line.at(0)) {
    if (value != 0) continue;
    if (auto digit = line.digit(name)) digits.push_back(std::move(*digit));
  }
  std::stable_sort(digits.begin(), digits.end(),
                   [](const Digit& a, const Digit& b) { return a.extent < b.extent; });
  std::vector<Digit> found;
  if (!chain(digits, 1, line.active(), found)) return std::nullopt;
  return found;
}

tl::unexpected<Error> cannot_tell(std::string why) { return fail(Errc::not_found, std::move(why)); }

bool is_whole_grid(const std::vector<std::int64_t>& extents,
                   const std::vector<KernelProber>& probers, const GridMapping& mapping,
                   std::size_t dimension) {
  for (std::size_t i = 0; i < probers.size(); ++i) {
    const SceneLaunch& launch = probers[i].launch();
    if (launch.shape.block.at(dimension) != 1 || mapping.extent(launch, dimension) != extents[i]) {
      return false;
    }
  }
  return true;
}

/// Axes of one dimension: those of the launch that shows most of them, proven at all.
Result<std::vector<OutputAxis>> axes_along(const std::vector<KernelProber>& probers,
                                           const UniformExpressions& expressions, NodeId place,
                                           const GridMapping& mapping, std::size_t dimension) {
  std::vector<GridLine> lines;
  lines.reserve(probers.size());
  for (const auto& prober : probers) lines.emplace_back(prober, place, mapping, dimension);
  std::vector<Digit> best;
  for (auto& line : lines) {
    if (!line.at(0)) return cannot_tell("the first thread does not get to the sum");
    const auto digits = digits_along(line);
    if (!digits) return cannot_tell("no variables number the outputs along one axis of the grid");
    if (digits->size() > best.size()) best = *digits;
  }
  std::vector<OutputAxis> axes;
  for (const auto& digit : best) {
    OutputAxis axis;
    axis.dimension = dimension;
    axis.variable = digit.variable;
    for (auto& line : lines) {
      const auto seen = line.digit(digit.variable);
      if (!seen)
        return cannot_tell("'" + digit.variable + "' is not an output's number at every size");
      axis.extents.push_back(seen->extent);
    }
    const auto extent = expressions.matching(axis.extents, digit.variable);
    // A mere number is what the workloads have in common by chance.
    const bool is_named = extent && extent->find_first_not_of("0123456789") != std::string::npos;
    const bool is_grid =
        best.size() == 1 && is_whole_grid(axis.extents, probers, mapping, dimension);
    if (extent && (is_named || !is_grid)) {
      axis.extent = *extent;
    } else if (is_grid) {
      axis.grid_dimension = mapping.blocks.at(dimension);
      axis.extent = grid_parameter(*axis.grid_dimension);
    } else {
      return cannot_tell("no expression of the kernel is the extent of '" + digit.variable + "'");
    }
    axes.push_back(std::move(axis));
  }
  return axes;
}

/// Random outputs have the digits that they should, and threads beyond them are guarded out.
Result<void> check(const OutputAxes& found, const KernelProber& prober, std::size_t launch,
                   NodeId place) {
  std::mt19937_64 generator(kAxisSeed);
  std::array<std::int64_t, 3> covered{1, 1, 1};
  for (const auto& axis : found.axes) covered.at(axis.dimension) *= axis.extents[launch];
  for (int i = 0; i < 2 * kChecks; ++i) {
    std::vector<std::int64_t> digits;
    for (const auto& axis : found.axes) {
      const std::int64_t extent = axis.extents[launch];
      digits.push_back(
          i == 0 ? extent - 1
                 : static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(extent)));
    }
    Coordinates at = found.coordinates(digits, launch);
    const auto integers = prober.integers_at(place, found.mapping.position(prober.launch(), at));
    if (!integers) return cannot_tell("an output has no thread");
    for (std::size_t a = 0; a < found.axes.size(); ++a) {
      const auto seen = integers->find(found.axes[a].variable);
      if (seen == integers->end() || seen->second != digits[a]) {
        return cannot_tell("'" + found.axes[a].variable + "' is not an output's number everywhere");
      }
    }
    for (std::size_t d = 0; d < 3; ++d) {
      const std::int64_t beyond = found.mapping.extent(prober.launch(), d) - covered.at(d);
      if (beyond <= 0) continue;
      Coordinates outside = at;
      outside.at(d) = covered.at(d) +
                      static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(beyond));
      if (prober.reaches(place, found.mapping.position(prober.launch(), outside)) != false) {
        return cannot_tell("threads beyond the outputs sum, too");
      }
    }
  }
  return {};
}

}  // namespace

std::string grid_parameter(std::size_t dimension) {
  constexpr std::array<char, 3> kLetters{'x', 'y', 'z'};
  return std::string("wm_layers_") + kLetters.at(dimension);
}

std::optional<std::string> plan_extent(const Scene& scene, std::size_t launch,
                                       const UniformExpressions& expressions,
                                       const OutputAxis& axis) {
  if (!axis.grid_dimension) return expressions.plan_text(axis.extent);
  const auto& text = scene.plan().launches[launch].grid.at(*axis.grid_dimension);
  if (text.find("block_") != std::string::npos) return std::nullopt;  // it becomes another one
  return "(" + text + ")";
}

ThreadPosition GridMapping::position(const SceneLaunch& launch, const Coordinates& at) const {
  ThreadPosition position;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::int64_t block = launch.shape.block.at(d);
    position.thread.at(d) = at.at(d) % block;
    position.block.at(blocks.at(d)) = at.at(d) / block;
  }
  return position;
}

std::int64_t GridMapping::extent(const SceneLaunch& launch, std::size_t dimension) const {
  return static_cast<std::int64_t>(launch.shape.block.at(dimension)) *
         launch.shape.grid.at(blocks.at(dimension));
}

Coordinates OutputAxes::coordinates(const std::vector<std::int64_t>& digits,
                                    std::size_t launch) const {
  Coordinates at{};
  std::array<std::int64_t, 3> stride{1, 1, 1};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t d = axes[i].dimension;
    const bool is_quotient = axes[i].part == OutputAxis::Part::quotient;
    at.at(d) += digits[i] * stride.at(d) * (is_quotient ? axes[i - 1].extents[launch] : 1);
    if (axes[i].part == OutputAxis::Part::remainder) continue;
    stride.at(d) *= is_quotient ? axes[i].whole_extents[launch] : axes[i].extents[launch];
  }
  return at;
}

void OutputAxes::split(std::size_t axis, const std::string& divisor,
                       const std::vector<std::int64_t>& divisors) {
  OutputAxis& remainder = axes[axis];
  OutputAxis quotient = remainder;
  quotient.part = OutputAxis::Part::quotient;
  quotient.whole_extent = quotient.extent;
  quotient.whole_extents = quotient.extents;
  quotient.extent = "((" + quotient.extent + " + " + divisor + " - 1) / " + divisor + ")";
  for (std::size_t i = 0; i < divisors.size(); ++i) {
    quotient.extents[i] = (quotient.extents[i] + divisors[i] - 1) / divisors[i];
  }
  remainder.part = OutputAxis::Part::remainder;
  remainder.extent = divisor;
  remainder.extents = divisors;
  axes.insert(axes.begin() + static_cast<std::ptrdiff_t>(axis) + 1, std::move(quotient));
}

Result<OutputAxes> find_output_axes(const std::vector<KernelProber>& probers,
                                    const UniformExpressions& expressions, NodeId place) {
  std::array<std::size_t, 3> blocks{0, 1, 2};
  std::optional<Error> first;
  do {
    OutputAxes found;
    found.mapping.blocks = blocks;
    std::optional<Error> error;
    for (std::size_t d = 0; d < 3 && !error; ++d) {
      auto axes = axes_along(probers, expressions, place, found.mapping, d);
      if (!axes) {
        error = axes.error();
        break;
      }
      found.axes.insert(found.axes.end(), axes->begin(), axes->end());
    }
    for (std::size_t i = 0; i < probers.size() && !error; ++i) {
      const auto checked = check(found, probers[i], i, place);
      if (!checked) error = checked.error();
    }
    if (!error) return found;
    if (!first) first = error;
  } while (std::next_permutation(blocks.begin(), blocks.end()));
  return tl::unexpected(*first);
}

}  // namespace warpmind::agents::builtin
