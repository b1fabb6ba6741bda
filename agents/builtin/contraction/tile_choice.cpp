#include "agents/builtin/contraction/tile_choice.h"

#include "agents/builtin/contraction/contraction_text.h"
#include "agents/builtin/contraction/lift_text.h"
#include "agents/builtin/technique.h"
#include "base/sequence.h"

#include <algorithm>
#include <cmath>

namespace warpmind::agents::builtin {
namespace {

constexpr double kAnyMultiprocessors = 100;  ///< of a device that says nothing
/// Elements that are gathered one by one keep the arithmetic units waiting.
constexpr double kScalarOperand = 0.3;
/// A serial loop over several indices spends more on them than on the sum.
constexpr double kNestedLoops = 0.4;

double up(double a, double b) { return std::ceil(a / b); }

double microseconds(const Contraction& contraction, const DeviceSpec& device,
                    const TileRates& rates, const TileShape& shape) {
  const double multiprocessors = device.sm_count > 0 ? device.sm_count : kAnyMultiprocessors;
  const double tiles = up(static_cast<double>(contraction.rows.front()), shape.rows) *
                       up(static_cast<double>(contraction.columns.front()), shape.columns) *
                       static_cast<double>(contraction.batches.front());
  const double flops = 2.0 * shape.rows * shape.columns *
                       up(static_cast<double>(contraction.depth.front()), shape.depth) *
                       shape.depth;
  const double reuse =
      static_cast<double>(shape.rows) * shape.columns / (shape.rows + shape.columns);
  double rate = rates.tiled * std::pow(std::min(1.0, reuse / rates.enough_reuse), 0.6);
  for (const auto& side : contraction.sides) {
    if (!side.is_contiguous) rate *= kScalarOperand;
  }
  const double places = multiprocessors * (rates.blocks == nullptr ? 1 : rates.blocks(shape));
  return kLaunchMicroseconds + up(tiles, multiprocessors) * flops / std::max(rate, 1.0) +
         std::max(1.0, tiles / places) * rates.tile_microseconds;
}

}  // namespace

std::string size_text(const TileShape& shape) {
  return std::to_string(shape.rows) + "x" + std::to_string(shape.columns) + "x" +
         std::to_string(shape.depth);
}

std::string launch_parameter(const Scene& scene, const Contraction& contraction) {
  if (scene.plan().launches.size() <= 1) return {};
  return ";launch=" + std::to_string(contraction.launch);
}

bool names_launch(std::string_view parameters, const Contraction& contraction) {
  const auto launch = parameter_number(parameters, "launch").value_or(0);
  return launch >= 0 && static_cast<std::size_t>(launch) == contraction.launch;
}

std::vector<RankedTile> rank_tiles(const Contraction& contraction, const DeviceSpec& device,
                                   const TileRates& rates, std::span<const TileShape> shapes,
                                   std::size_t most) {
  const double multiprocessors = device.sm_count > 0 ? device.sm_count : kAnyMultiprocessors;
  const double flops = 2.0 * static_cast<double>(contraction.rows.front()) *
                       static_cast<double>(contraction.columns.front()) *
                       static_cast<double>(contraction.batches.front()) *
                       static_cast<double>(contraction.depth.front());
  const double pace =
      std::max(rates.serial, 1.0) * (contraction.nest.levels.size() > 1 ? kNestedLoops : 1.0);
  const double serial = kLaunchMicroseconds + flops / (pace * multiprocessors);
  std::vector<RankedTile> ranked;
  for (const auto& shape : shapes) {
    const double time = microseconds(contraction, device, rates, shape);
    ranked.push_back({shape, serial / time, time});
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const RankedTile& a, const RankedTile& b) { return a.gain > b.gain; });
  if (ranked.size() > most) ranked.resize(most);
  // A guess of both times is too rough to promise a loss.
  for (RankedTile& tile : ranked) tile.gain = std::max(tile.gain, 1.0);
  return ranked;
}

double plan_gain_by_time(const Scene& scene, const Contraction& contraction, double gain,
                         double microseconds) {
  constexpr double kNanoseconds = 1e3;
  return scene.plan_gain_by_time({&contraction.launch, 1}, gain * microseconds * kNanoseconds,
                                 microseconds * kNanoseconds);
}

std::vector<std::size_t> launches_by_time(const Scene& scene) {
  std::vector<std::size_t> order(scene.plan().launches.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return scene.time_share(a) > scene.time_share(b);
  });
  return order;
}

std::string reason_not_to_tile(const Scene& scene, const Contraction& contraction,
                               std::span<const std::string_view> elements) {
  const auto& [left, right] = contraction.sides;
  if (left.element != right.element || !contains(elements, left.element)) {
    return "the operands are '" + left.element + "' and '" + right.element + "'";
  }
  if (contraction.nest.sum_type != "float") {
    return "the sum is kept in " + contraction.nest.sum_type;
  }
  if (scene.context().task.contract.tolerance == ToleranceClass::exact) {
    return "the contract wants exact results";
  }
  return reason_not_to_lift(scene, contraction);
}

Result<Contraction> main_contraction(const Scene& scene,
                                     std::span<const std::string_view> elements) {
  std::optional<Error> first;
  for (const std::size_t launch : launches_by_time(scene)) {
    auto found = find_contraction(scene, launch);
    std::string why = found ? reason_not_to_tile(scene, *found, elements) : found.error().message;
    if (why.empty()) {
      const auto changed = parameter_changed(scene, *found);
      if (changed.empty()) return found;
      why = "'" + changed + "' is changed before the sum";
    }
    if (!first) first = Error{Errc::not_found, std::move(why)};
  }
  if (!first) return fail(Errc::not_found, kNoLaunch);
  return tl::unexpected(*first);
}

std::string tile_parameters(const Scene& scene, const Contraction& contraction,
                            const TileShape& shape, bool vector) {
  return "tile=" + size_text(shape) + ";vec=" + (vector ? "1" : "0") +
         launch_parameter(scene, contraction);
}

std::optional<TileParameters> read_tile_parameters(const Scene& scene, std::string_view parameters,
                                                   std::span<const TileShape> shapes) {
  const auto tile = parameter_text(parameters, "tile");
  const auto vector = parameter_number(parameters, "vec");
  const auto launch = parameter_number(parameters, "launch").value_or(0);
  if (!tile || !vector || *vector < 0 || *vector > 1 || launch < 0 ||
      static_cast<std::size_t>(launch) >= scene.plan().launches.size()) {
    return std::nullopt;
  }
  for (const auto& shape : shapes) {
    if (size_text(shape) != *tile) continue;
    return TileParameters{static_cast<std::size_t>(launch), shape, *vector == 1};
  }
  return std::nullopt;
}

}  // namespace warpmind::agents::builtin
