#include "agents/builtin/contraction/tile_templates.h"
#include "agents/builtin/techniques/all_techniques.h"
#include "base/sequence.h"

#include <algorithm>
#include <cmath>

namespace warpmind::agents::builtin {
namespace {

constexpr int kDepth = 32;  ///< of a tile
constexpr int kPitch = kDepth + 8;
constexpr int kWarp = 32;
constexpr int kKib = 1024;
constexpr int kAnySharedKib = 99;  ///< for a block, of a device that says nothing
constexpr std::size_t kMostMoves = 4;

/// A tile of gathered_contraction.cuh.
struct GatheredShape {
  int rows = 64, columns = 128;
  int down = 4, across = 2;  ///< warps
  int blocks = 2;            ///< to a multiprocessor
};

constexpr std::array<GatheredShape, 4> kShapes{
    {{64, 128, 4, 2, 2}, {32, 128, 2, 2, 3}, {16, 128, 1, 4, 3}, {64, 256, 2, 4, 2}}};
constexpr std::array<int, 5> kRepeats{1, 2, 4, 8, 16};  ///< tiles of a block along the columns
constexpr std::array<int, 3> kTables{256, 512, 2560};

struct GatheredTile {
  GatheredShape shape;
  int repeat = 4;
  int terms = 256;  ///< that the table holds
  /// Of patched_contraction.cuh: groups of eight channels of a tap that rows keep, and KiB for what
  /// a box of columns meets; 0: gathered_contraction.cuh.
  int octets = 0, patch = 0;
};
constexpr std::array<int, 4> kOctets{40, 64, 112, 440};
constexpr std::array<int, 4> kPatches{16, 20, 48, 88};
constexpr int kBoxWide = 16;

int threads_of(const GatheredShape& shape) { return shape.down * shape.across * kWarp; }

/// Tiles of the rows' operand that stay in shared memory; at least two take turns.
int kept_tiles(const GatheredTile& tile) {
  constexpr int kMostKept = 10;
  if (tile.octets > 0) return 2;
  return tile.terms <= 256 ? std::min(tile.terms / kDepth, kMostKept) : 2;
}

/// As wm_gathered::Memory is laid out.
int shared_bytes(const GatheredTile& tile) {
  const GatheredShape& shape = tile.shape;
  const int table = tile.terms * 20;
  const int tiles = (kept_tiles(tile) * shape.rows + 2 * shape.columns) * kPitch * 2;
  const int strips = shape.down * shape.across * 8 * (shape.columns / shape.across + 8) * 4;
  const int counts = (shape.rows + shape.down * shape.across + 1) * 4;
  const int base = (table + strips + counts + 15) / 16 * 16;
  // As wm_patched::Memory is laid out.
  const int kept = ((tile.octets + 1) * 4 + 7) / 8 * 8 + 256 * 8;
  const int patched = (kept + 15) / 16 * 16 + tile.octets * shape.rows * 16 + tile.patch * kKib;
  return base + std::max(tiles, tile.octets > 0 ? patched : 0);
}

std::string text_of(const GatheredTile& tile) {
  return "tile=" + std::to_string(tile.shape.rows) + "x" + std::to_string(tile.shape.columns) +
         ";repeat=" + std::to_string(tile.repeat) + ";terms=" + std::to_string(tile.terms) +
         (tile.octets > 0
              ? ";octets=" + std::to_string(tile.octets) + ";patch=" + std::to_string(tile.patch)
              : "");
}

bool fits(const DeviceSpec& device, const GatheredTile& tile) {
  const int limit = device.shared_kib_per_block > 0 ? device.shared_kib_per_block : kAnySharedKib;
  return shared_bytes(tile) <= limit * kKib;
}

Result<SeparableTerms> gathered_terms(const Scene& scene) {
  const DeviceSpec& device = scene.context().device;
  if (device.compute_major != 0 && device.compute_major < 8) {
    return fail(Errc::not_found, "only devices from compute capability 8.0 on have its products");
  }
  WARPMIND_TRY(const auto found, contraction_for(scene, tensor_template()));
  WARPMIND_TRY(auto terms, find_separable_terms(scene, found));
  if (terms.windows.empty() && terms.live.empty() && terms.contraction.sides[0].is_contiguous &&
      terms.contraction.sides[1].is_contiguous) {
    return fail(Errc::not_found, "the operands lie side by side in memory");
  }
  return terms;
}

ContractionTile contraction_tile(const SeparableTerms& terms, const GatheredTile& gathered) {
  const GatheredShape& shape = gathered.shape;
  ContractionTile tile;
  tile.rows = shape.rows;
  tile.columns = shape.columns * gathered.repeat;
  tile.wide = shape.columns;
  tile.repeat = gathered.repeat;
  tile.depth = kDepth;
  tile.threads = threads_of(shape);
  // Few terms leave registers for another block.
  const bool is_shallow =
      terms.contraction.depth.front() <= std::int64_t{2} * kDepth && shape.columns == 128;
  tile.blocks_per_multiprocessor = shape.blocks + (is_shallow && shape.blocks == 2 ? 1 : 0);
  tile.shared_bytes = shared_bytes(gathered);
  tile.templates = {"staged_copies", "staged_contraction", "gathered_contraction"};
  const std::string element = terms.contraction.sides[0].element;
  const auto listed = [](std::initializer_list<int> numbers) {
    std::string text;
    for (const int number : numbers) text += ", " + std::to_string(number);
    return text;
  };
  const std::string plain =
      "wm_gathered<" + element +
      listed({shape.rows, shape.columns, gathered.repeat, gathered.terms, kept_tiles(gathered),
              shape.down, shape.across, std::max(static_cast<int>(terms.windows.size()), 1)}) +
      (terms.live.empty() ? ", true>" : ", false>");
  tile.call = "wm_contract_gathered<" + plain + ">";
  if (gathered.octets == 0) return tile;
  tile.by_taps = true;
  tile.wide = kBoxWide;
  tile.tall = shape.columns / kBoxWide;
  tile.templates.push_back("patched_contraction");
  tile.call = "wm_contract_patched<" + plain + ",\n                      wm_patched<" + element +
              ", " + plain +
              listed({shape.rows, shape.columns, kBoxWide, gathered.octets, gathered.patch * kKib,
                      shape.down, shape.across}) +
              ">>";
  return tile;
}

/// Tables that hold all terms of the timed sizes, or else the largest.
int table_for(std::int64_t depth) {
  for (const int terms : kTables) {
    if (depth <= terms) return terms;
  }
  return kTables.back();
}

/// Microseconds: of writing, of fetching elements and of multiplying, whatever takes longest.
double expected(const SeparableTerms& terms, const DeviceSpec& device, const GatheredTile& tile) {
  constexpr double kAnyMultiprocessors = 132;
  // On an H200, per microsecond; the first two of one multiprocessor.
  const double elements_each = tile.shape.columns == 256 ? 4.2e3 : 3.7e3;
  constexpr double kFlopsEach = 2.2e6;
  constexpr double kBytes = 1.1e6;
  const Contraction& what = terms.contraction;
  const double multiprocessors = device.sm_count > 0 ? device.sm_count : kAnyMultiprocessors;
  const auto number = [](std::int64_t n) { return static_cast<double>(n); };
  const double down = std::ceil(number(what.rows.front()) / tile.shape.rows);
  const double across =
      std::ceil(number(what.columns.front()) / (tile.shape.columns * tile.repeat));
  const double blocks = down * across * number(what.batches.front());
  const double rounds = std::ceil(blocks / (multiprocessors * tile.shape.blocks));
  const double waves = rounds * tile.shape.blocks * multiprocessors / blocks;
  const double setup = rounds * (tile.octets > 0 ? 5 : 1.5);  ///< tables, and rows that are kept
  const double columns = across * tile.shape.columns * tile.repeat * number(what.batches.front());
  const double depth = std::ceil(number(what.depth.front()) / kDepth) * kDepth;
  constexpr double kFetchedAgain = 0.45;  ///< of an element that a patch holds for several taps
  const double fetched = columns * depth * down * (1 + tile.shape.rows / 128.0) *
                         (tile.octets > 0 ? kFetchedAgain : 1);
  const double flops = 2 * columns * depth * down * tile.shape.rows;
  const double written = 2 * columns * number(what.rows.front());
  return kLaunchMicroseconds + setup +
         waves * std::max({fetched / (elements_each * multiprocessors),
                           flops / (kFlopsEach * multiprocessors), written / kBytes});
}

/// Octets and KiB for a shape, if shared memory holds them: as for taps a cell apart.
std::optional<GatheredTile> patched_tile(const Scene& scene, const SeparableTerms& terms,
                                         const GatheredShape& shape) {
  constexpr std::int64_t kLeastChannels = 6;
  if (terms.channels.empty() || shape.columns != 128) return std::nullopt;
  std::int64_t channels = 1;
  std::int64_t taps = 1;
  std::vector<std::int64_t> spans;
  const auto& trips = terms.contraction.trip_counts;
  for (std::size_t l = trips.size(); l-- > 0;) {
    const bool is_channel = terms.channels.contains(l);
    (is_channel ? channels : taps) *= trips[l].front();
    if (!is_channel) spans.push_back(trips[l].front());
  }
  const std::int64_t each = (channels + 7) / 8;
  std::int64_t cells = kBoxWide + (spans.empty() ? 0 : spans[0] - 1);
  cells *= shape.columns / kBoxWide + (spans.size() < 2 ? 0 : spans[1] - 1);
  for (std::size_t i = 2; i < spans.size(); ++i) cells *= spans[i];
  const std::int64_t bytes = cells * (each | 1) * 16;
  const auto octets =
      std::find_if(kOctets.begin(), kOctets.end(), [&](int one) { return one >= taps * each; });
  const auto patch = std::find_if(kPatches.begin(), kPatches.end(),
                                  [&](int one) { return std::int64_t{one} * kKib >= bytes; });
  if (channels < kLeastChannels || channels > 256 || taps > 256 || octets == kOctets.end() ||
      patch == kPatches.end()) {
    return std::nullopt;
  }
  // All blocks at once: each prepares its table and its rows, which takes as long as a few boxes.
  const DeviceSpec& device = scene.context().device;
  const std::int64_t places =
      std::int64_t{device.sm_count > 0 ? device.sm_count : 132} * shape.blocks;
  const Contraction& what = terms.contraction;
  const std::int64_t boxes = (what.columns.front() / shape.columns + 1) *
                             (what.rows.front() / shape.rows + 1) * what.batches.front();
  const auto repeat = std::find_if(kRepeats.begin(), kRepeats.end(),
                                   [&](int one) { return boxes / one <= places; });
  GatheredTile tile{shape, repeat == kRepeats.end() ? kRepeats.back() : *repeat, 256, *octets,
                    *patch};
  if (!fits(scene.context().device, tile)) return std::nullopt;
  return tile;
}

std::vector<std::pair<double, GatheredTile>> ranked(const Scene& scene,
                                                    const SeparableTerms& terms) {
  std::vector<std::pair<double, GatheredTile>> tiles;
  for (const auto& shape : kShapes) {
    if (const auto patched = patched_tile(scene, terms, shape)) {
      tiles.emplace_back(expected(terms, scene.context().device, *patched), *patched);
    }
    for (const int repeat : kRepeats) {
      GatheredTile tile{shape, repeat, table_for(terms.contraction.depth.front())};
      if (!fits(scene.context().device, tile)) continue;
      tiles.emplace_back(expected(terms, scene.context().device, tile), tile);
    }
  }
  std::stable_sort(tiles.begin(), tiles.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  if (tiles.size() > kMostMoves) tiles.resize(kMostMoves);
  return tiles;
}

Offer offer_implicit_gemm(const Scene& scene) {
  const auto terms = gathered_terms(scene);
  if (!terms) return Offer::refuse(terms.error().message);
  const DeviceSpec& device = scene.context().device;
  const Contraction& what = terms->contraction;
  const double flops =
      2.0 * static_cast<double>(what.rows.front()) * static_cast<double>(what.columns.front()) *
      static_cast<double>(what.batches.front()) * static_cast<double>(what.depth.front());
  // A serial loop over several indices spends more on them than on the sum.
  const double pace = 0.03 * std::max(device.fp32_tflops, 10.0) * 1e6;
  Offer offer;
  for (const auto& [time, tile] : ranked(scene, *terms)) {
    const double gain = std::max(1.0, (kLaunchMicroseconds + flops / pace) / time);
    offer.moves.push_back({"implicit_gemm", text_of(tile) + launch_parameter(scene, what),
                           plan_gain_by_time(scene, what, gain, time)});
  }
  if (offer.moves.empty()) return Offer::refuse("no tile fits the shared memory of the device");
  return offer;
}

std::optional<GatheredTile> read_tile(const Scene& scene, std::string_view parameters) {
  const auto size = parameter_text(parameters, "tile");
  const auto repeat = parameter_number(parameters, "repeat");
  const auto table = parameter_number(parameters, "terms");
  const auto octets = parameter_number(parameters, "octets").value_or(0);
  const auto patch = parameter_number(parameters, "patch").value_or(0);
  if (!size || !repeat || !table || !contains(kRepeats, static_cast<int>(*repeat)) ||
      !contains(kTables, static_cast<int>(*table)) || (octets == 0) != (patch == 0) ||
      (octets != 0 && (!contains(kOctets, static_cast<int>(octets)) ||
                       !contains(kPatches, static_cast<int>(patch))))) {
    return std::nullopt;
  }
  for (const auto& shape : kShapes) {
    const GatheredTile tile{shape, static_cast<int>(*repeat), static_cast<int>(*table),
                            static_cast<int>(octets), static_cast<int>(patch)};
    if (octets != 0 && shape.columns != 128) continue;
    if (std::to_string(shape.rows) + "x" + std::to_string(shape.columns) != *size) continue;
    if (fits(scene.context().device, tile)) return tile;
  }
  return std::nullopt;
}

std::optional<Kernel> apply_implicit_gemm(const Scene& scene, std::string_view parameters) {
  const auto tile = read_tile(scene, parameters);
  if (!tile) return std::nullopt;
  const auto terms = gathered_terms(scene);
  if (!terms || !names_launch(parameters, terms->contraction)) return std::nullopt;
  if (tile->octets != 0 && terms->channels.empty()) return std::nullopt;
  return gathered_kernel(scene, *terms, contraction_tile(*terms, *tile));
}

}  // namespace

Technique implicit_gemm_technique() {
  return {"implicit_gemm",
          "tensor cores multiply tiles of a convolution whose elements are found by two additions, "
          "and terms that no output of a tile meets are left out",
          "tile=16x128 … 64x256;repeat=1 … 8;terms=256 … 2560;octets=40 … 440;patch=16 … 88",
          offer_implicit_gemm, apply_implicit_gemm};
}

}  // namespace warpmind::agents::builtin
