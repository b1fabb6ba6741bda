#include "agents/builtin/contraction/staged_tiles.h"

#include "base/sequence.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

using Half = std::uint16_t;  ///< for its size
constexpr int kKib = 1024;
constexpr int kAnySharedKib = 99;  ///< for a block, of a device that says nothing
constexpr int kWarp = 32;
constexpr int kGroup = 4 * kWarp;
constexpr std::int64_t kLeastTerms = 32;
constexpr std::size_t kMostShapes = 3;
/// A ring with a single tile on its way waits for memory, more hide it.
constexpr double kFewestStages = 0.85;
constexpr double kOtherStages = 0.97;

constexpr std::array<int, 3> kWarpStages{2, 3, 4};
constexpr std::array<TileShape, 12> kWarpTiles{{{128, 256, 32, 2, 4},
                                                {256, 128, 32, 4, 2},
                                                {128, 128, 32, 2, 2},
                                                {128, 128, 64, 2, 2},
                                                {128, 64, 64, 4, 2},
                                                {64, 128, 64, 2, 4},
                                                {64, 64, 64, 2, 2},
                                                {64, 32, 64, 2, 2},
                                                {32, 64, 64, 2, 2},
                                                {32, 32, 64, 2, 2},
                                                {16, 64, 64, 1, 4},
                                                {64, 16, 64, 4, 1}}};

constexpr std::array<TileShape, 8> kTf32Tiles{{{128, 256, 32, 2, 4},
                                               {128, 128, 32, 2, 4},
                                               {128, 64, 32, 4, 2},
                                               {64, 128, 32, 2, 4},
                                               {64, 64, 32, 2, 2},
                                               {64, 32, 32, 2, 2},
                                               {32, 64, 32, 2, 2},
                                               {32, 32, 32, 2, 2}}};

/// One of them is multiplied, the one before it still read, the others are on their way.
constexpr std::array<int, 3> kGroupStages{3, 4, 6};
constexpr std::array<TileShape, 7> kGroupTiles{{{128, 256, 64, 2, 1},
                                                {256, 128, 64, 4, 1},
                                                {128, 128, 64, 2, 1},
                                                {64, 256, 64, 1, 1},
                                                {64, 128, 64, 1, 1},
                                                {128, 64, 64, 2, 1},
                                                {64, 64, 64, 1, 1}}};

template <class Element>
int tile_bytes(const StagedTile& tile) {
  return tile.stages * (tile.shape.rows + tile.shape.columns) * tile.shape.depth *
         static_cast<int>(sizeof(Element));
}

int warp_threads(const TileShape& shape) { return shape.down * shape.across * kWarp; }

template <class Element>
int warp_shared_bytes(const StagedTile& tile) {
  const TileShape& shape = tile.shape;
  // At the end each warp turns sixteen rows of its sums around there.
  const int strip_pitch = shape.columns / shape.across + 8;
  const int strips = shape.down * shape.across * 16 * strip_pitch * static_cast<int>(sizeof(float));
  return std::max(tile_bytes<Element>(tile), strips);
}

int group_shared_bytes(const StagedTile& tile) {
  return tile_bytes<Half>(tile) + kKib;  // to begin at a multiple of that
}

int blocks_together(const TileShape& shape, int threads) {
  const int sums = shape.rows * shape.columns / threads;
  const int together = sums >= 128 ? 256 : 512;  // threads whose registers fit
  return together / threads;
}

int warp_blocks(const TileShape& shape) {
  return std::max(blocks_together(shape, warp_threads(shape)), 1);
}

int group_blocks(const TileShape& shape) {
  return std::max(blocks_together(shape, shape.down * kGroup), 1);
}

/// On an H200 products of 1024^3 take 12.7 to 13.9 us and of 2048^3 33 us, whoever multiplies them.
constexpr double kTileMicroseconds = 3.5;

/// Share of the peak that tiles in flight reach. A serial loop stays the same.
TileRates faster(const DeviceSpec& device, double factor, double enough_reuse,
                 int (*blocks)(const TileShape& shape)) {
  TileRates rates = tensor_template().rates(device);
  rates.tiled *= factor;
  rates.enough_reuse = enough_reuse;
  rates.tile_microseconds = kTileMicroseconds;
  rates.blocks = blocks;
  return rates;
}

TileRates warp_rates(const DeviceSpec& device) { return faster(device, 1.8, 80, warp_blocks); }
TileRates group_rates(const DeviceSpec& device) { return faster(device, 2.4, 85, group_blocks); }

/// Tensor cores multiply tf32 at half of the rate of f16.
TileRates tf32_rates(const DeviceSpec& device) {
  TileRates rates = warp_rates(device);
  rates.tiled *= 0.45;
  rates.serial = register_template().rates(device).serial;
  return rates;
}

std::string warp_refusal(const Scene& scene) {
  const DeviceSpec& device = scene.context().device;
  if (device.compute_major == 0 || device.compute_major >= 8) return {};
  return "the device has no asynchronous copies to shared memory";
}

std::string group_refusal(const Scene& scene) {
  const DeviceSpec& device = scene.context().device;
  if (device.compute_major == 9 && device.compute_minor == 0) return {};
  return "only devices of compute capability 9.0 have products of warp groups";
}

std::string tf32_refusal(const Scene& scene) {
  if (!scene.context().task.contract.tf32_allowed) return "the contract does not allow tf32";
  return warp_refusal(scene);
}

bool fits(const DeviceSpec& device, const StagedFamily& family, const StagedTile& tile) {
  const int limit = device.shared_kib_per_block > 0 ? device.shared_kib_per_block : kAnySharedKib;
  return family.shared_bytes(tile) <= limit * kKib;
}

ContractionTile plain_tile(const TileShape& shape, int threads, int shared_bytes) {
  ContractionTile tile;
  tile.rows = shape.rows;
  tile.columns = shape.columns;
  tile.depth = shape.depth;
  tile.threads = threads;
  tile.blocks_per_multiprocessor = blocks_together(shape, threads);
  tile.shared_bytes = shared_bytes;
  return tile;
}

std::string call_of(const Contraction& contraction, std::string_view name,
                    const std::vector<int>& numbers) {
  std::string call = std::string(name) + "<" + contraction.sides[0].element;
  for (const int number : numbers) call += ", " + std::to_string(number);
  for (const auto& side : contraction.sides) call += side.along_depth ? ", true" : ", false";
  for (const auto& side : contraction.sides) call += side.is_even ? ", true" : ", false";
  return call + ">";
}

template <class Element>
ContractionTile warp_tile(const Contraction& contraction, const StagedTile& staged) {
  const TileShape& shape = staged.shape;
  auto tile = plain_tile(shape, warp_threads(shape), warp_shared_bytes<Element>(staged));
  tile.templates = {"staged_copies", "staged_contraction"};
  tile.call =
      call_of(contraction, "wm_contract_staged",
              {shape.rows, shape.columns, shape.depth, shape.down, shape.across, staged.stages});
  return tile;
}

ContractionTile group_tile(const Contraction& contraction, const StagedTile& staged) {
  const TileShape& shape = staged.shape;
  auto tile = plain_tile(shape, shape.down * kGroup, group_shared_bytes(staged));
  tile.blocks_per_multiprocessor = std::max(tile.blocks_per_multiprocessor, 1);
  tile.templates = {"staged_copies", "group_contraction"};
  tile.build_flag = "-arch=sm_90a";
  tile.call =
      call_of(contraction, "wm_contract_in_groups", {shape.down, shape.columns, staged.stages});
  return tile;
}

/// Numbers of stages that fit, the most promising first.
std::vector<StagedTile> rings_of(const DeviceSpec& device, const StagedFamily& family,
                                 const TileShape& shape) {
  constexpr int kEnough = 4;
  std::vector<StagedTile> rings;
  for (const int stages : family.stages) {
    const StagedTile tile{shape, stages};
    if (!fits(device, family, tile)) continue;
    rings.insert(stages > kEnough ? rings.end() : rings.begin(), tile);
  }
  return rings;
}

double ring_gain(const StagedFamily& family, const StagedTile& tile) {
  return tile.stages == family.stages.front() ? kFewestStages : 1;
}

}  // namespace

const StagedFamily& warp_family() {
  static constexpr StagedFamily kFamily{
      kWarpTiles,      kWarpStages,     warp_rates,  warp_shared_bytes<Half>,
      warp_tile<Half>, tensor_template, warp_refusal};
  return kFamily;
}

const StagedFamily& group_family() {
  static constexpr StagedFamily kFamily{kGroupTiles,        kGroupStages, group_rates,
                                        group_shared_bytes, group_tile,   tensor_template,
                                        group_refusal};
  return kFamily;
}

const StagedFamily& tf32_family() {
  static constexpr StagedFamily kFamily{
      kTf32Tiles,       kWarpStages,       tf32_rates,  warp_shared_bytes<float>,
      warp_tile<float>, register_template, tf32_refusal};
  return kFamily;
}

Result<Contraction> staged_contraction(const Scene& scene, const StagedFamily& family) {
  if (auto why = family.refusal(scene); !why.empty()) {
    return fail(Errc::not_found, std::move(why));
  }
  WARPMIND_TRY(auto found, contraction_for(scene, family.operands()));
  for (const auto& side : found.sides) {
    if (side.is_contiguous) continue;
    return fail(Errc::not_found, "neighbours of '" + scene.tree().plain_text(side.operand.access) +
                                     "' do not lie side by side in memory");
  }
  if (found.depth.front() < kLeastTerms) {
    return fail(Errc::not_found,
                "the sums have only " + std::to_string(found.depth.front()) + " terms");
  }
  return found;
}

std::vector<StagedMove> staged_shapes(const Scene& scene, const StagedFamily& family,
                                      const Contraction& contraction) {
  const DeviceSpec& device = scene.context().device;
  std::vector<StagedMove> moves;
  for (const auto& [shape, gain, time] :
       rank_tiles(contraction, device, family.rates(device), family.shapes, family.shapes.size())) {
    const auto rings = rings_of(device, family, shape);
    if (rings.empty()) continue;
    const double share = ring_gain(family, rings.front());
    moves.push_back({rings.front(), gain * share, time / share});
  }
  std::stable_sort(moves.begin(), moves.end(),
                   [](const StagedMove& a, const StagedMove& b) { return a.gain > b.gain; });
  return moves;
}

std::vector<StagedMove> staged_moves(const Scene& scene, const StagedFamily& family,
                                     const Contraction& contraction) {
  auto moves = staged_shapes(scene, family, contraction);
  if (moves.size() > kMostShapes) moves.resize(kMostShapes);
  if (moves.empty()) return moves;
  const StagedMove best = moves.front();
  const double gain = best.gain / ring_gain(family, best.tile);
  for (const auto& ring : rings_of(scene.context().device, family, best.tile.shape)) {
    if (ring.stages == best.tile.stages) continue;
    const double share = kOtherStages * ring_gain(family, ring);
    moves.push_back({ring, gain * share, best.microseconds * best.gain / (gain * share)});
  }
  std::stable_sort(moves.begin(), moves.end(),
                   [](const StagedMove& a, const StagedMove& b) { return a.gain > b.gain; });
  return moves;
}

std::string staged_parameters(const Scene& scene, const Contraction& contraction,
                              const StagedTile& tile) {
  return "tile=" + size_text(tile.shape) + ";stages=" + std::to_string(tile.stages) +
         launch_parameter(scene, contraction);
}

std::optional<StagedTile> read_staged_tile(const Scene& scene, const StagedFamily& family,
                                           std::string_view parameters) {
  const auto size = parameter_text(parameters, "tile");
  const auto stages = parameter_number(parameters, "stages");
  if (!size || !stages || !contains(family.stages, *stages)) {
    return std::nullopt;
  }
  for (const auto& shape : family.shapes) {
    const StagedTile tile{shape, static_cast<int>(*stages)};
    if (size_text(shape) == *size && fits(scene.context().device, family, tile)) return tile;
  }
  return std::nullopt;
}

Offer offer_staged(const Scene& scene, const StagedFamily& family, std::string_view technique) {
  const auto found = staged_contraction(scene, family);
  if (!found) return Offer::refuse(found.error().message);
  Offer offer;
  for (const auto& [tile, gain, time] : staged_moves(scene, family, *found)) {
    offer.moves.push_back({std::string(technique), staged_parameters(scene, *found, tile),
                           plan_gain_by_time(scene, *found, gain, time)});
  }
  if (offer.moves.empty()) return Offer::refuse("the device has too little shared memory");
  return offer;
}

std::optional<Kernel> apply_staged(const Scene& scene, const StagedFamily& family,
                                   std::string_view parameters) {
  const auto tile = read_staged_tile(scene, family, parameters);
  if (!tile) return std::nullopt;
  const auto found = staged_contraction(scene, family);
  if (!found || !names_launch(parameters, *found)) return std::nullopt;
  return lifted_kernel(scene, *found, family.tile(*found, *tile));
}

}  // namespace warpmind::agents::builtin
