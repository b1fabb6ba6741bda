#include "agents/builtin/loops/plain_spelling.h"

#include "agents/builtin/loops/carried_places.h"
#include "agents/builtin/loops/decided_conditions.h"
#include "agents/builtin/loops/loop_heads.h"
#include "agents/builtin/loops/memory_sums.h"
#include "agents/builtin/loops/scene_loops.h"
#include "agents/builtin/loops/strided_loop.h"

namespace warpmind::agents::builtin {
namespace {

/// Each round changes one thing; more than a kernel of ordinary length has.
constexpr int kMostRounds = 200;

/// `int a = 1, *b;` as two declarations.
std::vector<TextEdit> split_declaration(const KernelBody& body) {
  const SyntaxTree& tree = body.tree();
  for (const NodeId declaration : tree.descendants(body.function().body, "declaration")) {
    if (!tree.is(tree.node(declaration).parent, "compound_statement")) continue;
    if (!tree.descendants(declaration, "field_declaration_list").empty()) continue;
    std::vector<NodeId> declarators;
    for (const NodeId part : tree.all_children(declaration)) {
      if (tree.node(part).field == "declarator") declarators.push_back(part);
    }
    if (declarators.size() < 2) continue;
    const Range whole = tree.node(declaration).range;
    const std::size_t first = tree.node(declarators.front()).range.begin;
    const std::string head = tree.source().substr(whole.begin, first - whole.begin);
    const std::string gap = "\n" + indentation(tree, whole.begin);
    std::string text;
    for (const NodeId declarator : declarators) {
      text += (text.empty() ? "" : gap) + head + std::string(tree.text(declarator)) + ";";
    }
    return {{whole, text}};
  }
  return {};
}

/// What the first rule that applies changes.
std::vector<TextEdit> next_edits(const KernelBody& body, const BufferNames& buffer) {
  auto edits = split_declaration(body);
  if (edits.empty()) edits = while_as_for(body);
  if (edits.empty()) edits = split_loop_head(body);
  if (edits.empty()) edits = declared_in_head(body);
  if (edits.empty()) edits = memory_sum_in_variable(body, buffer);
  if (edits.empty()) edits = carried_place_in_variable(body, buffer);
  return edits;
}

/// The source with the kernel `name` in plain spelling.
std::string normalised(std::string source, const std::string& name, const BufferNames& buffer) {
  for (int round = 0; round < kMostRounds; ++round) {
    const auto read = CudaSource::read(source);
    const Function* function = read ? read->kernel(name) : nullptr;
    if (function == nullptr || !reason_not_to_edit(*read, *function).empty()) break;
    const KernelBody body(*read, *function);
    auto edits = next_edits(body, buffer);
    if (edits.empty()) break;
    source = apply_edits(source, std::move(edits));
  }
  return source;
}

/// The source without branches that the compiler does not see on that device.
std::string with_decided_conditions(std::string source, const DeviceSpec& device) {
  constexpr int kMostBranches = 8;
  const int architecture = device.compute_major * 100 + device.compute_minor * 10;
  for (int round = 0; round < kMostBranches; ++round) {
    const auto read = CudaSource::read(source);
    if (!read) break;
    auto edits = decided_conditions(*read, architecture);
    if (edits.empty()) break;
    source = apply_edits(source, std::move(edits));
  }
  return source;
}

}  // namespace

std::optional<Kernel> plain_spelling(const Scene& scene) {
  Kernel kernel = scene.kernel();
  kernel.source = with_decided_conditions(std::move(kernel.source), scene.context().device);
  for (const auto& function : scene.source().functions) {
    if (function.kind != FunctionKind::kernel || launches_running(scene, function).empty())
      continue;
    kernel.source =
        normalised(std::move(kernel.source), function.name, buffer_names(scene, function));
  }
  if (kernel.source == scene.kernel().source) return std::nullopt;
  return kernel;
}

Kernel with_others_as_given(const CudaSource& given, const CudaSource& normal, Kernel edited) {
  const auto read = CudaSource::read(edited.source);
  if (!read) return edited;
  std::vector<TextEdit> edits;
  for (const auto& function : read->functions) {
    if (function.kind != FunctionKind::kernel) continue;
    const Function* was = given.kernel(function.name);
    const Function* in_form = normal.kernel(function.name);
    if (was == nullptr || in_form == nullptr) continue;
    const auto text = read->tree.text(function.node);
    if (text != normal.tree.text(in_form->node) || text == given.tree.text(was->node)) continue;
    edits.push_back(
        {read->tree.node(function.node).range, std::string(given.tree.text(was->node))});
  }
  edited.source = apply_edits(edited.source, std::move(edits));
  return edited;
}

}  // namespace warpmind::agents::builtin
