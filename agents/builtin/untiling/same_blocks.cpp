#include "agents/builtin/untiling/same_blocks.h"

#include "agents/builtin/untiling/block_machine.h"
#include "base/sequence.h"

#include <algorithm>
#include <iterator>

namespace warpmind::agents::builtin {
namespace {

/// Expressions times threads. A block of a product of 16 x 16 threads takes some 10'000 a term.
constexpr std::int64_t kMostWorkOfBlock = 120'000'000;
constexpr std::int64_t kMostWork = 80'000'000;
constexpr std::size_t kMostBlocks = 4;  // of a given size
constexpr std::size_t kFewBlocks = 2;   // of another one
constexpr std::int64_t kSmall = 8;

using Block = std::array<std::int64_t, 3>;

/// The first, the last, their neighbours, and one in the middle.
std::vector<Block> blocks_of(const SceneLaunch& launch, std::size_t most) {
  Block first{};
  Block last{};
  Block middle{};
  Block mixed{};
  for (std::size_t d = 0; d < 3; ++d) {
    const std::int64_t extent = launch.shape.grid.at(d);
    last.at(d) = extent - 1;
    middle.at(d) = extent / 2;
    mixed.at(d) = d == 0 ? extent - 1 : 0;
  }
  Block crossed = last;
  crossed[0] = 0;
  std::vector<Block> blocks;
  for (const Block& one : {first, last, mixed, crossed, middle}) {
    if (!contains(blocks, one) && blocks.size() < most) blocks.push_back(one);
  }
  return blocks;
}

/// Sizes like the given ones, but small, odd and apart from each other, or multiples of tiles.
std::vector<Sizes> other_sizes(const Sizes& given) {
  static constexpr std::array<std::int64_t, 6> kOdd{37, 53, 45, 70, 83, 61};
  static constexpr std::array<std::int64_t, 6> kTwisted{83, 45, 70, 37, 61, 53};
  static constexpr std::array<std::int64_t, 6> kTiles{64, 256, 128, 64, 256, 128};
  static constexpr std::array<std::int64_t, 6> kWide{128, 128, 384, 128, 128, 384};
  std::vector<Sizes> all;
  for (const auto& choice : {kOdd, kTwisted, kTiles, kWide}) {
    Sizes sizes = given;
    std::size_t i = 0;
    for (auto& [name, size] : sizes) {
      if (size > kSmall) size = choice.at(i++ % choice.size());
    }
    if (!contains(all, sizes) && sizes != given) all.push_back(std::move(sizes));
  }
  return all;
}

/// Those in place of one of the given blocks.
std::vector<Block> blocks_in(const Block& given, const FinerGrid& grid) {
  std::vector<Block> blocks;
  for (std::int64_t y = 0; y < grid.blocks[1]; ++y) {
    for (std::int64_t x = 0; x < grid.blocks[0]; ++x) {
      blocks.push_back({given.at(grid.dimensions[0]) * grid.blocks[0] + x,
                        given.at(grid.dimensions[1]) * grid.blocks[1] + y, given[2]});
    }
  }
  return blocks;
}

}  // namespace

struct SameBlocks::Sample {
  SceneLaunch launch;
  Block block{};
  BlockStores stores;
  std::int64_t work = 0;
};

/// The scene again, with other workloads.
struct SameBlocks::OtherSizes {
  OtherSizes(const ProposalContext& given, Task other)
      : task(std::move(other)), context{task,         given.kernel, given.bottleneck, given.advice,
                                        given.device, given.steps,  given.edited} {}
  OtherSizes(const OtherSizes&) = delete;
  OtherSizes(OtherSizes&&) = delete;
  OtherSizes& operator=(const OtherSizes&) = delete;
  OtherSizes& operator=(OtherSizes&&) = delete;
  ~OtherSizes() = default;

  Task task;
  ProposalContext context;
};

SameBlocks::~SameBlocks() = default;

SameBlocks::SameBlocks(const Scene& scene, const CudaSource& source, const Function& function)
    : source_(source), function_(function) {
  add_samples(scene, true);
  if (!refusal_.empty()) return;
  Task task = scene.context().task;
  task.workloads.clear();
  for (const Workload& workload : scene.context().task.workloads) {
    for (Sizes& sizes : other_sizes(workload.sizes)) {
      const auto same = [&](const Workload& one) { return one.sizes == sizes; };
      if (std::any_of(task.workloads.begin(), task.workloads.end(), same)) continue;
      task.workloads.push_back(
          {"other" + std::to_string(task.workloads.size()), std::move(sizes), false});
    }
  }
  if (!task.workloads.empty()) {
    other_sizes_.push_back(std::make_unique<OtherSizes>(scene.context(), std::move(task)));
    const auto other = Scene::read(other_sizes_.back()->context);
    if (other) add_samples(*other, false);
  }
  // What is wrong shows soon.
  std::stable_sort(samples_.begin(), samples_.end(),
                   [](const Sample& a, const Sample& b) { return a.work < b.work; });
  if (samples_.empty()) refusal_ = "a block takes too long to be followed";
}

/// A given size that takes too long is left to the others; other sizes may be none of the task's,
/// and then count for nothing.
void SameBlocks::add_samples(const Scene& scene, bool is_given) {
  for (const SceneLaunch& launch : scene.launches()) {
    const Function* runs = scene.function_of(launch.index);
    if (runs == nullptr || runs->name != function_.name) continue;
    BlockMachine machine(source_, function_, launch, kMostWorkOfBlock);
    std::vector<Sample> clean;
    for (const Block& block : blocks_of(launch, is_given ? kMostBlocks : kFewBlocks)) {
      if (work_ > kMostWork) break;
      BlockRun run = machine.run(block);
      work_ += run.work;
      if (run.work > kMostWorkOfBlock) break;
      if (!run.refusal.empty() && is_given) {
        refusal_ = run.refusal;
        return;
      }
      if (!run.refusal.empty()) {
        clean.clear();
        break;
      }
      clean.push_back({launch, block, std::move(run.stores), run.work});
    }
    std::move(clean.begin(), clean.end(), std::back_inserter(samples_));
  }
}

std::string SameBlocks::compared(const CudaSource& other,
                                 const std::optional<FinerGrid>& grid) const {
  const Function* function = other.kernel(function_.name);
  if (function == nullptr) return "the kernel is gone";
  for (const Sample& sample : samples_) {
    SceneLaunch launch = sample.launch;
    std::vector<Block> blocks{sample.block};
    if (grid) {
      launch = on_finer_grid(sample.launch, *grid);
      blocks = blocks_in(sample.block, *grid);
    }
    BlockMachine machine(other, *function, launch, 4 * kMostWorkOfBlock);
    const bool is_whole = blocks.size() <= kMostBlocks || &sample == &samples_.front();
    if (!is_whole) blocks = {blocks.front(), blocks[blocks.size() / 2], blocks.back()};
    BlockStores stores;
    for (const Block& block : blocks) {
      BlockRun run = machine.run(block);
      if (!run.refusal.empty()) return run.refusal;
      stores.merge(run.stores);
      if (!run.stores.empty()) return "two of its blocks write the same output";
    }
    const bool same = is_whole ? stores == sample.stores
                               : std::includes(sample.stores.begin(), sample.stores.end(),
                                               stores.begin(), stores.end());
    if (!same) return "its results differ";
  }
  return {};
}

}  // namespace warpmind::agents::builtin
