#include "agents/builtin/untiling/untiled.h"

#include "agents/builtin/loops/scene_loops.h"
#include "agents/builtin/untiling/clear_comparisons.h"
#include "agents/builtin/untiling/flat_tiles.h"
#include "agents/builtin/untiling/moving_pointers.h"
#include "agents/builtin/untiling/output_tiles.h"
#include "agents/builtin/untiling/same_blocks.h"
#include "agents/builtin/untiling/staged_reads.h"

#include <algorithm>
#include <set>

namespace warpmind::agents::builtin {
namespace {

constexpr std::size_t kMostLocals = 300;

struct PlainKernel {
  std::string source;
  std::string note;
  std::optional<FinerGrid> grid;
};

tl::unexpected<Error> in_the_way(std::string why) { return fail(Errc::not_found, std::move(why)); }

bool has_tiles(const KernelBody& body) {
  return std::any_of(body.locals().begin(), body.locals().end(),
                     [](const Local& local) { return local.is_shared; });
}

/// Whether each name that was a local of the given kernel is still one where it stands.
bool names_are_known(const KernelBody& given, const CudaSource& source, const std::string& kernel) {
  const Function* function = source.kernel(kernel);
  if (function == nullptr || function->has_error) return false;
  std::set<std::string, std::less<>> locals;
  for (const Local& local : given.locals()) locals.insert(local.name);
  const KernelBody body(source, *function);
  const auto names = source.tree.descendants(function->body, "identifier");
  return std::all_of(names.begin(), names.end(), [&](NodeId name) {
    const auto text = source.tree.text(name);
    return !locals.contains(text) || body.local_of(name) != nullptr ||
           function->parameter(text) != nullptr;
  });
}

std::string note_of(const std::vector<std::string>& arrays) {
  std::string text = arrays.size() == 1 ? "after undoing its tile in shared memory "
                                        : "after undoing its tiles in shared memory ";
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    text += (i == 0 ? "'" : ", '") + arrays[i] + "'";
  }
  return text;
}

/// Spellings of one plain kernel, the one that techniques like best first.
std::vector<std::string> spellings_of(const PlainReads& reads, const std::string& end,
                                      const std::string& kernel, const SceneLaunch& launch) {
  std::vector<std::string> all;
  const auto add = [&](const std::string& source) {
    if (auto early = with_early_return(source, kernel, launch)) all.push_back(std::move(*early));
    all.push_back(source);
  };
  const auto add_flat = [&](const auto& bounds, const std::string& last) {
    if (const auto flat = with_flat_tiles(reads.source, kernel, launch, bounds, last)) add(*flat);
  };
  if (reads.by_steps) {
    add_flat(reads.bounds, end);
    if (!end.empty()) add_flat(reads.bounds, "");
    if (!reads.bounds.empty()) add_flat(std::vector<std::pair<std::string, std::string>>{}, "");
  }
  add(reads.source);
  return all;
}

/// Without arrays in which a thread keeps pieces of tiles.
Result<CudaSource> without_fragments(const std::string& text, const std::string& kernel,
                                     const SceneLaunch& launch) {
  WARPMIND_TRY(auto source, CudaSource::read(text));
  const Function* function = source.kernel(kernel);
  if (function == nullptr || function->has_error) return source;
  const auto plain = with_plain_reads(source, *function, launch, {false, false, true, false});
  if (!plain) return source;
  return CudaSource::read(plain->source);
}

Result<PlainKernel> without_tiles(const Scene& scene, const Function& function) {
  if (launches_running(scene, function).size() != 1) {
    return in_the_way("the plan launches it more than once");
  }
  if (const auto reason = reason_not_to_edit(scene.source(), function); !reason.empty()) {
    return in_the_way(reason);
  }
  const KernelBody body(scene.source(), function);
  if (scene.tree().text(function.body).find("wm_") != std::string_view::npos) {
    return in_the_way("it has been rewritten before");
  }
  if (body.locals().size() > kMostLocals) return in_the_way("it is too long");
  if (!fixed_block(scene, function)) return in_the_way("its block shape differs between workloads");
  const SceneLaunch& launch = *scene.launches_of(function).front();
  const std::string text = with_clear_comparisons(scene.kernel().source);
  WARPMIND_TRY(const auto given, CudaSource::read(text));
  const Function* clear = given.kernel(function.name);
  if (clear == nullptr || clear->has_error) return in_the_way("it cannot be read");
  const FixedPointers fixed = with_fixed_pointers(text, function.name, launch);
  WARPMIND_TRY(const auto source, without_fragments(fixed.source, function.name, launch));
  const Function* still = source.kernel(function.name);
  if (still == nullptr || still->has_error) return in_the_way("its pointers move on");
  const auto first = with_plain_reads(source, *still, launch, {});
  if (!first) return in_the_way(first.error().message);
  SameBlocks blocks(scene, given, *clear);
  if (!blocks.refusal().empty()) return in_the_way(blocks.refusal());
  std::string reason;
  for (const StagingChoice& choice :
       {StagingChoice{true, false}, StagingChoice{true, true}, StagingChoice{false, false},
        StagingChoice{false, true}, StagingChoice{false, false, false, true}}) {
    auto reads = with_plain_reads(source, *still, launch, choice);
    if (!reads) continue;
    PlainKernel plain;
    plain.note = note_of(reads->arrays);
    if (auto single = with_single_outputs(reads->source, function.name, launch)) {
      reads->source = std::move(single->source);
      if (!single->array.empty()) plain.note += ", and of outputs in '" + single->array + "'";
      plain.grid = single->grid;
    }
    for (std::string& spelling : spellings_of(*reads, fixed.end, function.name, launch)) {
      const auto read = CudaSource::read(spelling);
      if (!read || !names_are_known(body, *read, function.name)) continue;
      reason = blocks.compared(*read, plain.grid);
      if (!reason.empty()) continue;
      plain.source = std::move(spelling);
      return plain;
    }
  }
  return in_the_way(reason.empty() ? "no plain spelling of it is known"
                                   : "without its tiles it is not the same: " + reason);
}

void regrid(const Scene& scene, const Function& function, const FinerGrid& grid, LaunchPlan& plan) {
  const auto block = fixed_block(scene, function);
  for (const std::size_t index : launches_running(scene, function)) {
    if (block) plan.launches[index] = on_finer_grid(plan.launches[index], *block, grid);
  }
}

Untiling find_untiling(const Scene& scene) {
  Untiling found;
  LaunchPlan plan = scene.plan();
  std::vector<TextEdit> edits;
  Untiled untiled;
  for (const Function& function : scene.source().functions) {
    if (function.kind != FunctionKind::kernel || launches_running(scene, function).empty() ||
        scene.launches_of(function).empty() || !has_tiles(KernelBody(scene.source(), function))) {
      continue;
    }
    auto plain = without_tiles(scene, function);
    if (!plain) {
      found.refusals[function.name] = plain.error().message;
      continue;
    }
    const auto read = CudaSource::read(plain->source);
    const Function* written = read ? read->kernel(function.name) : nullptr;
    if (written == nullptr) continue;
    edits.push_back(
        {scene.tree().node(function.node).range, std::string(read->tree.text(written->node))});
    untiled.notes[function.name] = std::move(plain->note);
    if (plain->grid) regrid(scene, function, *plain->grid, plan);
  }
  if (edits.empty()) return found;
  untiled.kernel = with_edits(scene, std::move(edits));
  untiled.kernel.plan = std::move(plan);
  found.untiled = std::move(untiled);
  return found;
}

}  // namespace

const Untiling& untiling_of(const Scene& scene) {
  return scene.remembered<Untiling>(0, [&] { return find_untiling(scene); });
}

}  // namespace warpmind::agents::builtin
