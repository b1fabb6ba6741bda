#pragma once
/// \file
/// Which tile sizes of a contraction are worth a try on a device.

#include "agents/builtin/contraction/contraction.h"

namespace warpmind::agents::builtin {

struct TileShape {
  int rows = 0;
  int columns = 0;
  int depth = 0;
  /// Tensor cores: warps a block has down and across; registers: outputs that a thread has.
  int down = 0;
  int across = 0;
};

struct RankedTile {
  TileShape shape;
  double gain = 1;          ///< over one thread an output, from tiles, waves and reuse
  double microseconds = 0;  ///< of the largest timed launch
};

/// Of those microseconds: until the first block of a launch works.
inline constexpr double kLaunchMicroseconds = 3;

/// What one multiprocessor reaches with large tiles and wide loads, in flops a microsecond.
struct TileRates {
  double tiled = 0;
  double serial = 0;             ///< of the kernel as given
  double tile_microseconds = 0;  ///< until its first products, and after its last
  /// Blocks that a multiprocessor holds, whose beginnings and ends overlap; one where not said.
  int (*blocks)(const TileShape& shape) = nullptr;
  /// Reuse of a tile is `rows * columns / (rows + columns)`; a larger one than this gains no more.
  double enough_reuse = 64;
};

/// Best first, at most `most`, by the largest timed launch.
[[nodiscard]] std::vector<RankedTile> rank_tiles(const Contraction& contraction,
                                                 const DeviceSpec& device, const TileRates& rates,
                                                 std::span<const TileShape> shapes,
                                                 std::size_t most);

/// How much faster the plan gets when the contraction takes `microseconds`. `gain`: over what one
/// thread an output is believed to take; counts where the kernel was not measured.
[[nodiscard]] double plan_gain_by_time(const Scene& scene, const Contraction& contraction,
                                       double gain, double microseconds);

/// Launches of the plan, the one that takes most of the time first.
[[nodiscard]] std::vector<std::size_t> launches_by_time(const Scene& scene);

/// Why a tile of products cannot take its place, whose operands must be of one of `elements`, or
/// empty.
[[nodiscard]] std::string reason_not_to_tile(const Scene& scene, const Contraction& contraction,
                                             std::span<const std::string_view> elements);

/// The contraction of the plan that takes most of the time, among those whose operands are all of
/// one of `elements`. Errors: not_found, with the reason of the launch that takes most of the time.
[[nodiscard]] Result<Contraction> main_contraction(const Scene& scene,
                                                   std::span<const std::string_view> elements);

/// "128x64x32".
[[nodiscard]] std::string size_text(const TileShape& shape);
/// ";launch=2" when the plan has several launches, else empty.
[[nodiscard]] std::string launch_parameter(const Scene& scene, const Contraction& contraction);
/// Whether `parameters` name the launch of `contraction`.
[[nodiscard]] bool names_launch(std::string_view parameters, const Contraction& contraction);

/// "tile=128x64x32;vec=1", with the number of the launch when the plan has several.
[[nodiscard]] std::string tile_parameters(const Scene& scene, const Contraction& contraction,
                                          const TileShape& shape, bool vector);

struct TileParameters {
  std::size_t launch = 0;
  TileShape shape;
  bool vector = false;
};
/// nullopt when `parameters` name no tile of `shapes`.
[[nodiscard]] std::optional<TileParameters> read_tile_parameters(const Scene& scene,
                                                                 std::string_view parameters,
                                                                 std::span<const TileShape> shapes);

}  // namespace warpmind::agents::builtin
