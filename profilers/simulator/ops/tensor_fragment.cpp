#include "profilers/simulator/ops/tensor_fragment.h"

#include "profilers/simulator/checks/check_recorder.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <string>

namespace warpmind::simulator {
namespace {

constexpr std::size_t kTallTile = 16;
constexpr std::size_t kWordBytes = 4;
constexpr std::size_t kSumsPerLane = 2;

std::size_t tile_rows_of(std::size_t rows) { return std::min(rows, kTallTile); }

/// Reads "m16" off the front of `name`.
std::optional<std::size_t> take_extent(std::string_view& name, char letter) {
  if (name.empty() || name.front() != letter) return std::nullopt;
  std::size_t value = 0;
  const char* const end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + 1, end, value);
  if (error != std::errc()) return std::nullopt;
  name.remove_prefix(static_cast<std::size_t>(rest - name.data()));
  return value;
}

}  // namespace

std::optional<ProductShape> parse_shape(std::string_view name) {
  const auto m = take_extent(name, 'm');
  const auto n = take_extent(name, 'n');
  const auto k = take_extent(name, 'k');
  if (!m || !n || !k || !name.empty()) return std::nullopt;
  return ProductShape{*m, *n, *k};
}

Fragment left_fragment(const ProductShape& shape, std::size_t element_bytes) {
  const std::size_t register_bytes = std::max(kWordBytes, element_bytes);
  return {shape.rows,
          shape.depth,
          tile_rows_of(shape.rows),
          element_bytes,
          register_bytes / element_bytes,
          register_bytes};
}

Fragment right_fragment(const ProductShape& shape, std::size_t element_bytes) {
  const std::size_t register_bytes = std::max(kWordBytes, element_bytes);
  return {shape.columns, shape.depth, kBlockRows, element_bytes, register_bytes / element_bytes,
          register_bytes};
}

Fragment sum_fragment(const ProductShape& shape, std::size_t element_bytes) {
  return {shape.rows,    shape.columns, tile_rows_of(shape.rows),
          element_bytes, kSumsPerLane,  std::max(kWordBytes, element_bytes)};
}

void require_whole_warp(Warp& warp, const Instruction& instruction, Mask active) {
  if (active == kAllLanes) return;
  const int lane = std::countr_zero(~active);
  warp.launch->checks->report(CheckKind::inactive_lane, warp, instruction, lane, 0, [&] {
    return "an instruction of the whole warp is run by " + std::to_string(std::popcount(active)) +
           " of 32 lanes; lane " + std::to_string(lane) + " is missing";
  });
}

}  // namespace warpmind::simulator
