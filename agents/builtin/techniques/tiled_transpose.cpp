#include "agents/builtin/pointwise/plane_kernel.h"
#include "agents/builtin/pointwise/pure_code.h"
#include "agents/builtin/techniques/all_techniques.h"
#include "base/sequence.h"

#include <algorithm>
#include <array>

namespace warpmind::agents::builtin {
namespace {

constexpr std::int64_t kTileSide = 32;
constexpr std::array<std::int64_t, 3> kTileRows{8, 16, 32};

/// A load that goes through a tile of shared memory.
struct StagedLoad {
  NodeId node = kNoNode;
  std::string tile;
  std::string type;
  std::int64_t pitch = 33;  ///< elements of a row: neighbouring rows start in other banks
};

struct TransposePlan {
  PlaneKernel kernel;
  std::vector<StagedLoad> loads;
  bool store_is_swapped = false;  ///< neighbours of a store lie along y
};

std::optional<TransposePlan> transpose_plan(const Scene& scene, std::size_t index,
                                            std::string& refusal) {
  auto found = find_plane(scene, index);
  refusal = found.refusal;
  if (!found.kernel) return std::nullopt;
  TransposePlan plan{std::move(*found.kernel), {}, false};
  const SyntaxTree& tree = scene.tree();
  const std::string where = " in '" + plan.kernel.function->name + "'";
  const auto refuse = [&](const std::string& why) {
    refusal = why + where;
    return std::nullopt;
  };
  std::size_t stores = 0;
  for (const auto& access : plan.kernel.accesses) {
    if (!access.is_store) continue;
    if (access.is_load || plan.kernel.loads(access.parameter)) {
      return refuse("'" + access.parameter + "' is read and written");
    }
    const bool is_straight = access.stride_x == 1 && access.stride_y != 1;
    const bool is_swapped = access.stride_y == 1 && access.stride_x != 1;
    if (!is_straight && !is_swapped) return refuse("a store that is contiguous along no axis");
    if (stores++ > 0 && plan.store_is_swapped != is_swapped) {
      return refuse("stores along both axes");
    }
    plan.store_is_swapped = is_swapped;
  }
  std::int64_t bytes = 0;
  for (const auto& access : plan.kernel.accesses) {
    if (!access.is_load) continue;
    const auto along = plan.store_is_swapped ? access.stride_x : access.stride_y;
    const auto across = plan.store_is_swapped ? access.stride_y : access.stride_x;
    if (along != 1 || across == 1 || across == 0) continue;
    const Parameter* parameter = plan.kernel.function->parameter(access.parameter);
    const auto size = type_bytes(parameter->base_type);
    if (!size) return refuse("elements of type " + parameter->base_type);
    if (!access.is_certain || !access.is_direct) {
      return refuse("a load across the store that depends on other work");
    }
    StagedLoad load{access.node, unused_name(tree, "wm_tile_" + access.parameter),
                    parameter->base_type, kTileSide + std::max<std::int64_t>(1, 4 / *size)};
    if (!plan.loads.empty()) load.tile += "_" + std::to_string(plan.loads.size());
    bytes += *size * kTileSide * load.pitch;
    plan.loads.push_back(std::move(load));
  }
  if (plan.loads.empty()) return refuse("loads and stores are contiguous along the same axis");
  if (bytes > std::int64_t{48} * 1024) return refuse("the tiles do not fit into shared memory");
  return plan;
}

/// Tiles are filled with one mapping of threads and emptied with the other.
class TileWriter {
 public:
  TileWriter(const Scene& scene, const TransposePlan& plan, std::int64_t rows)
      : tree_(scene.tree()), plan_(plan), rows_(std::to_string(rows)) {
    step_ = unused_name(tree_, "wm_step");
  }

  [[nodiscard]] std::vector<TextEdit> edits() const {
    const PlaneKernel& kernel = plan_.kernel;
    std::vector<TextEdit> all;
    for (const NodeId declaration : {kernel.x.declaration, kernel.y.declaration}) {
      all.push_back({whole_line(tree_, declaration), ""});
    }
    Range range = tree_.node(kernel.guard).range;
    range.end = std::max(range.end, tree_.node(kernel.work.back()).range.end);
    all.push_back({range, body()});
    return all;
  }

 private:
  [[nodiscard]] std::string body() const {
    std::string out;
    for (const auto& load : plan_.loads) {
      out += out.empty() ? "" : "  ";
      out += "__shared__ " + load.type + " " + load.tile + "[32][" + std::to_string(load.pitch) +
             "];\n";
    }
    std::string fill;
    std::vector<TextEdit> from_tile;
    for (const auto& load : plan_.loads) {
      fill += "      " + load.tile + "[threadIdx.y + " + step_ +
              "][threadIdx.x] = " + std::string(tree_.text(load.node)) + ";\n";
      from_tile.push_back(
          {tree_.node(load.node).range, load.tile + "[threadIdx.x][threadIdx.y + " + step_ + "]"});
    }
    const auto& work = plan_.kernel.work;
    const std::string rest = edited_part(
        tree_.source(), {tree_.node(work.front()).range.begin, tree_.node(work.back()).range.end},
        from_tile);
    return out + pass(!plan_.store_is_swapped, fill) + "  __syncthreads();\n" +
           chomp(pass(plan_.store_is_swapped, "      " + rest + "\n"));
  }

  static std::string chomp(std::string text) {
    text.pop_back();
    return text;
  }

  /// All elements of the tile; neighbouring threads along y when `is_swapped`.
  [[nodiscard]] std::string pass(bool is_swapped, const std::string& work) const {
    const PlaneKernel& kernel = plan_.kernel;
    const std::string fast = "threadIdx.x";
    const std::string slow = "threadIdx.y + " + step_;
    return "#pragma unroll\n  for (int " + step_ + " = 0; " + step_ + " < 32; " + step_ +
           " += " + rows_ + ") {\n" + number(kernel.x, "blockIdx.x", is_swapped ? slow : fast) +
           number(kernel.y, "blockIdx.y", is_swapped ? fast : slow) + "    if (" +
           kernel.condition + ") {\n" + work + "    }\n  }\n";
  }

  [[nodiscard]] static std::string number(const PlaneIndex& index, const std::string& block,
                                          const std::string& thread) {
    return "    const " + index.type + " " + index.name + " = " + block + " * 32 + " + thread +
           ";\n";
  }

  const SyntaxTree& tree_;
  const TransposePlan& plan_;
  std::string rows_;
  std::string step_;
};

/// The launch of `plan` that a kernel called by no other launch has, with blocks of a tile.
void tile_launch(Launch& launch, std::int64_t rows) {
  for (std::size_t axis = 0; axis < 2; ++axis) {
    launch.grid[axis] = grid_of_tiles(launch, axis, kTileSide);
  }
  launch.block = {std::to_string(kTileSide), std::to_string(rows), "1"};
}

std::optional<Kernel> apply_tiled_transpose(const Scene& scene, std::string_view parameters) {
  const auto rows = parameter_number(parameters, "rows");
  if (!rows || !contains(kTileRows, *rows)) {
    return std::nullopt;
  }
  std::vector<TextEdit> edits;
  std::vector<const Function*> done;
  std::string refusal;
  Kernel edited = scene.kernel();
  for (std::size_t i = 0; i < scene.plan().launches.size(); ++i) {
    const auto plan = transpose_plan(scene, i, refusal);
    if (!plan) continue;
    tile_launch(edited.plan.launches[i], *rows);
    if (contains(done, plan->kernel.function)) continue;
    done.push_back(plan->kernel.function);
    const auto own = TileWriter(scene, *plan, *rows).edits();
    edits.insert(edits.end(), own.begin(), own.end());
  }
  if (edits.empty()) return std::nullopt;
  edited.source = apply_edits(scene.tree().source(), std::move(edits));
  return edited;
}

/// The accesses across move a sector of 32 bytes for one element; caches give part of it back.
double transpose_gain(const Scene& scene, std::size_t index) {
  constexpr std::int64_t kShort = 1'000'000;  // elements
  for (const auto& launch : scene.launches_of(index)) {
    if (!launch.timed) continue;
    std::int64_t most = 0;
    for (const auto& [name, extent] : launch.extents) most = std::max(most, extent);
    if (most < kShort) return 1.1;
  }
  return scene.plan_gain(index, 3);
}

Offer offer_tiled_transpose(const Scene& scene) {
  if (scene.plan().launches.empty()) return Offer::refuse(kNoLaunch);
  Offer offer;
  double gain = 0;
  for (std::size_t i = 0; i < scene.plan().launches.size(); ++i) {
    std::string refusal;
    if (transpose_plan(scene, i, refusal)) {
      gain = std::max(gain, transpose_gain(scene, i));
    } else if (offer.refusal.empty()) {
      offer.refusal = refusal;
    }
  }
  if (gain == 0) return offer;
  offer.refusal.clear();
  for (const auto rows : kTileRows) {
    offer.moves.push_back({"tiled_transpose", "tile=32;rows=" + std::to_string(rows), gain});
    gain *= 0.97;  // fewer elements a thread: fewer loads in flight
  }
  return offer;
}

}  // namespace

Technique tiled_transpose_technique() {
  return {"tiled_transpose",
          "a tile of shared memory turns the matrix, so that both the loads and the stores of a "
          "warp are contiguous",
          "tile=32;rows=8, 16 or 32: rows of threads of a tile of 32 x 32, that is 4, 2 or 1 "
          "elements a thread",
          offer_tiled_transpose, apply_tiled_transpose};
}

}  // namespace warpmind::agents::builtin
