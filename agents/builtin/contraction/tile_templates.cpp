#include "agents/builtin/contraction/tile_templates.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

constexpr std::int64_t kLeastSide = 8;

constexpr std::array<std::string_view, 4> kTensorElements{"half", "__half", "__nv_bfloat16",
                                                          "nv_bfloat16"};
constexpr std::array<TileShape, 12> kTensorTiles{{{128, 128, 32, 2, 4},
                                                  {128, 64, 32, 4, 2},
                                                  {64, 128, 32, 2, 4},
                                                  {64, 64, 64, 2, 2},
                                                  {64, 64, 32, 2, 2},
                                                  {32, 64, 32, 2, 2},
                                                  {64, 32, 32, 2, 2},
                                                  {32, 32, 64, 2, 2},
                                                  {32, 128, 32, 2, 4},
                                                  {128, 32, 32, 4, 2},
                                                  {16, 64, 32, 1, 4},
                                                  {64, 16, 32, 4, 1}}};

constexpr std::array<std::string_view, 1> kRegisterElements{"float"};
constexpr std::array<TileShape, 7> kRegisterTiles{{{128, 128, 8, 8, 8},
                                                   {128, 64, 8, 8, 4},
                                                   {64, 128, 8, 4, 8},
                                                   {64, 64, 16, 4, 4},
                                                   {64, 64, 8, 8, 4},
                                                   {32, 64, 16, 4, 4},
                                                   {32, 32, 16, 4, 4}}};

/// Flops a microsecond of one multiprocessor.
double each(const DeviceSpec& device, double tflops) {
  return tflops * 1e6 / std::max(device.sm_count, 1);
}

int blocks_together(int threads) { return threads >= 256 ? 2 : 3; }
int tensor_blocks(const TileShape& shape) {
  return blocks_together(shape.down * shape.across * 32);
}

/// Shares of the peak that a WMMA tile and a serial loop reach on large matrices.
TileRates tensor_rates(const DeviceSpec& device) {
  constexpr double kStartAndEndMicroseconds = 3;
  return {0.28 * each(device, std::max(device.fp16_tensor_tflops, 100.0)),
          0.07 * each(device, std::max(device.fp32_tflops, 10.0)), kStartAndEndMicroseconds,
          tensor_blocks};
}

TileRates register_rates(const DeviceSpec& device) {
  const double peak = each(device, std::max(device.fp32_tflops, 10.0));
  return {0.5 * peak, 0.07 * peak};
}

ContractionTile tensor_tile(const Contraction& contraction, const TileShape& shape, bool vector) {
  ContractionTile tile;
  tile.rows = shape.rows;
  tile.columns = shape.columns;
  tile.depth = shape.depth;
  tile.threads = shape.down * shape.across * 32;
  tile.blocks_per_multiprocessor = blocks_together(tile.threads);
  tile.templates = {"tensor_contraction"};
  tile.call = "wm_contract_on_tensor_cores<" + contraction.sides[0].element;
  for (const int number : {shape.rows, shape.columns, shape.depth, shape.down, shape.across}) {
    tile.call += ", " + std::to_string(number);
  }
  for (const auto& side : contraction.sides) tile.call += side.along_depth ? ", true" : ", false";
  for (const auto& side : contraction.sides) {
    tile.call += vector && side.is_contiguous ? ", 8" : ", 1";
  }
  tile.call += ">";
  return tile;
}

ContractionTile register_tile(const Contraction& contraction, const TileShape& shape, bool vector) {
  ContractionTile tile;
  tile.rows = shape.rows;
  tile.columns = shape.columns;
  tile.depth = shape.depth;
  tile.threads = (shape.rows / shape.down) * (shape.columns / shape.across);
  // 64 sums and the addresses of single elements do not fit half of the registers.
  tile.blocks_per_multiprocessor = !vector && shape.down * shape.across >= 64 ? 1 : 2;
  tile.templates = {"register_contraction"};
  tile.call = "wm_contract_in_registers<";
  for (const int number : {shape.rows, shape.columns, shape.depth, shape.down, shape.across}) {
    tile.call += std::to_string(number) + ", ";
  }
  for (const auto& side : contraction.sides) tile.call += side.along_depth ? "true, " : "false, ";
  tile.call += vector && contraction.sides[0].is_contiguous ? "4, " : "1, ";
  tile.call += vector && contraction.sides[1].is_contiguous ? "4>" : "1>";
  return tile;
}

}  // namespace

const TileTemplate& tensor_template() {
  static constexpr TileTemplate kTemplate{kTensorElements, kTensorTiles, tensor_rates, tensor_tile};
  return kTemplate;
}

const TileTemplate& register_template() {
  static constexpr TileTemplate kTemplate{kRegisterElements, kRegisterTiles, register_rates,
                                          register_tile};
  return kTemplate;
}

Result<Contraction> contraction_for(const Scene& scene, const TileTemplate& which) {
  WARPMIND_TRY(auto found, main_contraction(scene, which.elements));
  const std::string& element = found.sides[0].element;
  const DeviceSpec& device = scene.context().device;
  const int capability = device.compute_major * 10 + device.compute_minor;
  const int least = element.find("bfloat") != std::string::npos ? 80 : 70;
  if (&which == &tensor_template() && capability > 0 && capability < least) {
    return fail(Errc::not_found, "the device has no tensor cores for '" + element + "'");
  }
  const std::int64_t side = std::min(found.rows.front(), found.columns.front());
  if (side < kLeastSide) {
    return fail(Errc::not_found,
                "a side of the output has only " + std::to_string(side) + " elements");
  }
  return found;
}

}  // namespace warpmind::agents::builtin
