#include "agents/first_advice.h"

#include "agents/builtin/builtin_proposer.h"
#include "base/sequence.h"
#include "knowledge_base/retrieval/features.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

namespace warpmind::agents {
namespace {

/// What the table asks about a kernel.
class Look {
 public:
  explicit Look(const ProposalContext& context)
      : context_(context), code_(knowledge_base::code_features(context.kernel)) {
    builtin::BuiltinProposer agent;
    for (const auto& move : agent.moves(context)) offered_.insert(move.technique);
  }

  /// The built-in agent found the form of this kernel that the technique rewrites.
  [[nodiscard]] bool can(const char* technique) const { return offered_.count(technique) > 0; }
  [[nodiscard]] bool says(std::string_view word) const {
    return context_.kernel.source.find(word) != std::string::npos;
  }
  [[nodiscard]] double code(const char* feature) const {
    const auto found = code_.find(feature);
    return found == code_.end() ? 0 : found->second;
  }
  /// Whether a deciding metric of the first cause has this in its name.
  [[nodiscard]] bool decided_by(std::string_view part) const {
    const auto& deciders = context_.bottleneck.deciders;
    return std::any_of(deciders.begin(), deciders.end(), [&](const DecidingMetric& one) {
      return one.name.find(part) != std::string::npos;
    });
  }
  [[nodiscard]] bool is_contraction() const {
    return context_.task.contract.tolerance == ToleranceClass::contraction ||
           can("tensor_core_mma") || can("simt_contraction");
  }
  [[nodiscard]] bool is_reduction() const {
    return context_.task.contract.tolerance == ToleranceClass::reduction;
  }
  [[nodiscard]] bool is_scan() const { return can("block_scan") || family("scan"); }
  [[nodiscard]] bool has_loop() const { return loops() > 0; }
  [[nodiscard]] int loops() const {
    int count = 0;
    for (const std::string_view head : {"for (", "while ("}) {
      const std::string& text = context_.kernel.source;
      for (auto at = text.find(head); at != std::string::npos; at = text.find(head, at + 1)) {
        ++count;
      }
    }
    return count;
  }
  [[nodiscard]] bool has_shared() const { return says("__shared__"); }
  [[nodiscard]] bool has_many_launches() const { return context_.kernel.plan.launches.size() > 1; }
  [[nodiscard]] bool has_dynamic_shared() const {
    const auto& launches = context_.kernel.plan.launches;
    return std::any_of(launches.begin(), launches.end(),
                       [](const Launch& one) { return one.shared_bytes != "0"; });
  }
  /// 0 where the plan has no number for it.
  [[nodiscard]] double block_threads() const {
    return std::exp2(10 * code("launch.block_threads"));
  }
  [[nodiscard]] bool has_flag(std::string_view flag) const {
    const auto& flags = context_.kernel.build_flags;
    return std::any_of(flags.begin(), flags.end(),
                       [&](const std::string& one) { return one.find(flag) != std::string::npos; });
  }

 private:
  [[nodiscard]] bool family(std::string_view name) const {
    return context_.task.operator_family.find(name) != std::string::npos;
  }

  const ProposalContext& context_;
  std::map<std::string, double> code_;
  std::set<std::string> offered_;
};

/// One line against a cause, for the kernels that it fits.
struct AdviceLine {
  BottleneckClass against;
  bool (*fits)(const Look& look);
  const char* text;
  const char* technique;
};

bool always(const Look& /*look*/) { return true; }
bool gathers(const Look& look) { return look.code("index.gathered") > 0; }
bool scatters_stores(const Look& look) { return look.decided_by("store"); }
bool walks_rows(const Look& look) {
  return look.can("warp_per_output") || look.can("coalesced_mapping") ||
         look.can("row_in_registers") || (look.has_loop() && !look.has_shared());
}
/// Rows of differing length, each walked by one thread.
bool walks_ragged_rows(const Look& look) {
  return look.has_loop() && look.says(" + 1]") && !look.says("lane") && !look.says("& 31");
}
bool chases_pointers(const Look& look) { return look.says("while ("); }
bool has_fields(const Look& look) { return look.says("struct ") && look.says("]."); }
bool swaps_axes(const Look& look) { return look.says("threadIdx.y") && !look.has_shared(); }
bool reads_rows_again(const Look& look) { return look.can("row_in_registers") || look.loops() > 1; }
bool sums_products(const Look& look) { return look.is_contraction(); }
bool launches_many(const Look& look) { return look.has_many_launches(); }
bool scans(const Look& look) { return look.is_scan(); }
bool in_double(const Look& look) { return look.decided_by("fp64") || look.can("demote_double"); }
bool calls_special(const Look& look) {
  return look.decided_by("special") || look.can("fast_intrinsics") || look.can("fast_math_calls");
}
bool divides_integers(const Look& look) { return look.says(" / ") && look.says(" % "); }
bool capped_by_flag(const Look& look) { return look.has_flag("maxrregcount"); }
bool capped_by_bounds(const Look& look) { return look.says("__launch_bounds__"); }
bool has_local_array(const Look& look) { return look.has_loop(); }
bool branches_by_kind(const Look& look) { return look.says("switch"); }
bool loops_until_done(const Look& look) { return look.has_loop(); }
bool adds_in_memory(const Look& look) { return look.decided_by("atomics") || look.says("atomic"); }
bool waits_at_barriers(const Look& look) { return look.says("__syncthreads"); }
bool fills_shared(const Look& look) { return look.has_shared() || look.has_dynamic_shared(); }
bool has_small_blocks(const Look& look) { return look.block_threads() < 128; }
bool uses_half_loads(const Look& look) { return look.can("vectorized_loads"); }
bool sums_rows(const Look& look) {
  return look.can("split_rows") || (look.has_loop() && look.is_reduction());
}

/// Of the lines against a cause the first that fits is taken. What an expert tells first, in the
/// order from the special to the general.
constexpr std::array kLines{
    AdviceLine{BottleneckClass::at_limit, always,
               "Nothing to do: it is at the limit of the device.", ""},
    AdviceLine{
        BottleneckClass::memory_bandwidth, always,
        "Nothing to do in this kernel: DRAM is full of bytes that have to move, at the limit of "
        "the "
        "device. Fuse it with what runs before or after it.",
        ""},
    AdviceLine{BottleneckClass::uncoalesced_access, has_fields,
               "Store a structure of arrays, or load whole structures 16 bytes at a time.",
               "data_layout"},
    AdviceLine{
        BottleneckClass::uncoalesced_access, walks_ragged_rows,
        "One warp or a few lanes a row, so that neighbouring lanes read neighbouring elements.",
        "warp_per_output"},
    AdviceLine{BottleneckClass::uncoalesced_access, chases_pointers,
               "Several independent searches a thread; keep what all of them visit first in shared "
               "memory, and sort what is looked up.",
               ""},
    AdviceLine{BottleneckClass::uncoalesced_access, gathers,
               "Sort or bin the indices, or keep what is gathered from in shared memory; keep more "
               "gathers "
               "in flight a thread.",
               ""},
    AdviceLine{BottleneckClass::uncoalesced_access,
               [](const Look& l) { return l.can("tiled_transpose"); },
               "Stage the tile through shared memory, so that reads and writes are both coalesced.",
               "tiled_transpose"},
    AdviceLine{BottleneckClass::uncoalesced_access,
               [](const Look& l) { return l.has_loop() && walks_rows(l); },
               "One warp or block a row: neighbouring lanes then read neighbouring elements.",
               "warp_per_output"},
    AdviceLine{BottleneckClass::uncoalesced_access,
               [](const Look& l) { return scatters_stores(l) && !swaps_axes(l); },
               "Stage the tile through shared memory and make the writes coalesced.",
               "tiled_transpose"},
    AdviceLine{BottleneckClass::uncoalesced_access, swaps_axes,
               "Swap the roles of threadIdx.x and threadIdx.y, so that neighbouring lanes touch "
               "neighbouring elements.",
               "coalesced_mapping"},
    AdviceLine{
        BottleneckClass::uncoalesced_access, always,
        "Map neighbouring lanes to neighbouring elements, so that reads and writes are coalesced.",
        "coalesced_mapping"},
    AdviceLine{BottleneckClass::extra_traffic, launches_many,
               "Fuse the launches, so that intermediates stay in registers.", "fuse_pointwise"},
    AdviceLine{BottleneckClass::extra_traffic, sums_products,
               "Tile through shared memory, and compute several outputs a thread in registers.",
               "simt_contraction"},
    AdviceLine{
        BottleneckClass::extra_traffic, reads_rows_again,
        "Read each row once: keep it in registers or shared memory, or compute maximum and sum in "
        "one online pass.",
        "row_in_registers"},
    AdviceLine{
        BottleneckClass::extra_traffic, [](const Look& l) { return l.has_loop(); },
        "Use every element for all outputs that need it in one pass: tiles in shared memory, "
        "several "
        "outputs a thread in registers.",
        "shared_memory_tiling"},
    AdviceLine{BottleneckClass::memory_latency, uses_half_loads,
               "16 bytes a load, and several loads in flight a thread.", "vectorized_loads"},
    AdviceLine{BottleneckClass::memory_latency, chases_pointers,
               "Several independent chains a thread, so that more loads are in flight.", ""},
    AdviceLine{BottleneckClass::memory_latency, gathers,
               "More independent chains and gathers in flight a thread; sort what is looked up.",
               ""},
    AdviceLine{
        BottleneckClass::memory_latency, always,
        "More loads in flight: several elements a thread, unrolled, the next ones prefetched.",
        "unroll"},
    AdviceLine{BottleneckClass::shared_bank_conflicts, fills_shared,
               "Pad the rows of the shared array by one element, or swizzle its columns.",
               "shared_padding"},
    AdviceLine{BottleneckClass::compute_throughput, in_double,
               "No double precision: float literals and the functions of float (tanhf, expf).",
               "demote_double"},
    AdviceLine{BottleneckClass::compute_throughput, divides_integers,
               "Replace divisions by run-time values: a grid of that shape, or multiply and shift; "
               "several "
               "elements a thread.",
               "fast_divmod"},
    AdviceLine{
        BottleneckClass::compute_throughput, calls_special,
        "Fast intrinsics (__expf, __logf, __sincosf, __fdividef), or a table of what repeats.",
        "fast_intrinsics"},
    AdviceLine{BottleneckClass::compute_throughput, sums_products,
               "Several outputs a thread in registers and double-buffered tiles; little is left.",
               "simt_contraction"},
    AdviceLine{
        BottleneckClass::compute_throughput, always,
        "Nothing but fewer instructions helps: share what neighbouring elements compute alike, "
        "several elements a thread.",
        ""},
    AdviceLine{BottleneckClass::tensor_cores_idle, always, "Use tensor cores.", "tensor_core_mma"},
    AdviceLine{BottleneckClass::low_parallelism, sums_products, "Split k over blocks.", "split_k"},
    AdviceLine{BottleneckClass::low_parallelism, scans,
               "Scan over many blocks (decoupled look-back), several elements a thread.",
               "block_scan"},
    AdviceLine{BottleneckClass::low_parallelism, sums_rows,
               "Several blocks a row: split the reduction over blocks and join the parts.",
               "split_rows"},
    AdviceLine{BottleneckClass::low_parallelism, always,
               "More blocks: split the work until every multiprocessor has some.", "block_size"},
    AdviceLine{BottleneckClass::low_occupancy,
               [](const Look& l) { return has_small_blocks(l) && !fills_shared(l); },
               "Bigger blocks (256 threads), 16 bytes a thread.", "block_size"},
    AdviceLine{
        BottleneckClass::low_occupancy, fills_shared,
        "More threads a block for the same shared memory, or a smaller tile and more blocks.",
        "block_size"},
    AdviceLine{BottleneckClass::low_occupancy, always,
               "Fewer registers a thread: split the sums over threads; prefetch the next elements.",
               "launch_bounds"},
    AdviceLine{BottleneckClass::register_spills, capped_by_flag, "Remove the register cap.",
               "register_limit"},
    AdviceLine{BottleneckClass::register_spills, capped_by_bounds,
               "Relax the launch bounds (no minimum of blocks), or compute fewer outputs a thread.",
               "launch_bounds"},
    AdviceLine{BottleneckClass::register_spills, has_local_array,
               "Keep the array in registers: unroll, so that every index is a constant.", "unroll"},
    AdviceLine{
        BottleneckClass::thread_divergence, branches_by_kind,
        "Group the elements by kind, so that whole warps branch alike, or use a formula without "
        "branches.",
        "uniform_branches"},
    AdviceLine{BottleneckClass::thread_divergence, loops_until_done,
               "Sort or compact the work, or refill lanes that have finished.", "uniform_branches"},
    AdviceLine{BottleneckClass::thread_divergence, always,
               "Compact the active elements first, so that whole warps work or do not.",
               "uniform_branches"},
    AdviceLine{
        BottleneckClass::synchronisation, adds_in_memory,
        "Add up within the block first (registers, warp, shared memory), then one atomic a block.",
        "warp_aggregated_atomics"},
    AdviceLine{
        BottleneckClass::synchronisation, waits_at_barriers,
        "Fewer barriers: warp shuffles in place of the tree in shared memory, more work between "
        "barriers.",
        "shuffle_reduction"},
    AdviceLine{BottleneckClass::launch_overhead, launches_many,
               "Fuse the launches, or replay them as one graph.", "fuse_pointwise"},
    AdviceLine{BottleneckClass::launch_overhead, always,
               "Do more in one launch: batch the calls, or replay them as a graph.", "cuda_graph"},
    AdviceLine{
        BottleneckClass::wave_tail, always,
        "Choose the grid by whole waves: smaller blocks or tiles, or as many blocks as fit with a "
        "loop over the work.",
        "whole_waves"},
    AdviceLine{
        BottleneckClass::load_imbalance, always,
        "Share the work out evenly: split the long pieces, longest first, or take them from a "
        "queue.",
        "work_balancing"},
};

const char* const kNothing = "Nothing is known that fits this kernel";

}  // namespace

FirstAdvice advise_first(const ProposalContext& context) {
  FirstAdvice advice;
  advice.against = context.bottleneck.primary;
  if (advice.against == BottleneckClass::unknown) {
    advice.text = std::string(kNothing) + ": what limits it is not known.";
    return advice;
  }
  const Look look(context);
  for (const auto& line : kLines) {
    if (line.against != advice.against || !line.fits(look)) continue;
    advice.text = line.text;
    advice.technique = line.technique;
    advice.by_agent = look.can(line.technique);
    return advice;
  }
  advice.text = std::string(kNothing) + " against this cause.";
  return advice;
}

void keep_what_fits(const ProposalContext& context, Advice& advice) {
  const builtin::BuiltinProposer agent;
  const auto rewrites = agent.techniques();
  const Look look(context);
  const auto fits = [&](const TechniqueAdvice& one) {
    const bool is_rewrite = contains(rewrites, one.technique);
    if (is_rewrite) return look.can(one.technique.c_str());
    return one.scope == "device" || one.scope == "family";
  };
  auto& techniques = advice.techniques;
  techniques.erase(std::remove_if(techniques.begin(), techniques.end(),
                                  [&](const TechniqueAdvice& one) { return !fits(one); }),
                   techniques.end());
  advice.first = advise_first(context).text;
}

}  // namespace warpmind::agents
