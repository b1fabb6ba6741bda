#include "agents/builtin/pointwise/pure_code.h"
#include "agents/builtin/probe/kernel_prober.h"
#include "agents/builtin/techniques/all_techniques.h"
#include "base/sequence.h"

#include <algorithm>
#include <array>

namespace warpmind::agents::builtin {
namespace {

constexpr std::array<std::int64_t, 2> kPadBytes{4, 16};

/// A static shared array of two dimensions whose columns lie in one bank.
struct ConflictingArray {
  std::string name;
  NodeId pitch = kNoNode;  ///< the expression of its second extent
  std::int64_t element = 4;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

/// Value of an extent: a number, or a constant of the file or the plan that is one.
std::optional<std::int64_t> extent_value(const Scene& scene, std::string text) {
  for (int depth = 0; depth < 4; ++depth) {
    if (!text.empty() && text.size() < 6 && text.find_first_not_of("0123456789") == text.npos) {
      return std::stoll(text);
    }
    const auto given = scene.plan().constants.find(text);
    if (given != scene.plan().constants.end()) return given->second;
    const auto constants = scene.source().constants();
    const auto found = std::find_if(constants.begin(), constants.end(),
                                    [&](const auto& known) { return known.first == text; });
    if (found == constants.end()) return std::nullopt;
    text = found->second;
  }
  return std::nullopt;
}

/// The first index of `a[row][column]`; kNoNode: the array is used in another way there.
NodeId row_index(const SyntaxTree& tree, NodeId use) {
  const NodeId inner = tree.node(use).parent;
  const NodeId outer = tree.node(inner).parent;
  if (!tree.is(inner, "subscript_expression") || tree.field(inner, "argument") != use ||
      !tree.is(outer, "subscript_expression") || tree.field(outer, "argument") != inner ||
      tree.operator_of(tree.node(outer).parent) == "&") {
    return kNoNode;
  }
  const auto rows = tree.children(tree.field(inner, "indices"));
  return rows.size() == 1 ? rows[0] : kNoNode;
}

/// Whether threads of a warp read or write one column of different rows.
bool goes_down(const Scene& scene, const Function& function, NodeId row) {
  for (const auto* launch : scene.launches_of(function)) {
    if (launch->shape.block[0] < 2) continue;
    const KernelProber prober(scene.source(), function, *launch);
    const auto here = prober.value(row, prober.position(0));
    const auto next = prober.value(row, prober.position(1));
    if (here && next && *here != *next) return true;
  }
  return false;
}

std::optional<ConflictingArray> conflicting(const Scene& scene, const Function& function,
                                            NodeId declaration, std::string& refusal) {
  const SyntaxTree& tree = scene.tree();
  const auto outer = tree.field(declaration, "declarator");
  const auto inner = tree.field(outer, "declarator");
  const bool is_plane = tree.is(outer, "array_declarator") && tree.is(inner, "array_declarator") &&
                        tree.is(tree.field(inner, "declarator"), "identifier");
  if (!tree.text(declaration).starts_with("__shared__") || !is_plane) return std::nullopt;
  ConflictingArray array;
  array.name = tree.text(tree.field(inner, "declarator"));
  array.pitch = tree.field(outer, "size");
  const auto bytes = type_bytes(tree.plain_text(tree.field(declaration, "type")));
  const auto rows = extent_value(scene, tree.plain_text(tree.field(inner, "size")));
  const auto columns = extent_value(scene, tree.plain_text(array.pitch));
  if (!bytes || !rows || !columns) {
    refusal = "the size of '" + array.name + "' is not known";
    return std::nullopt;
  }
  array.element = *bytes;
  array.rows = *rows;
  array.columns = *columns;
  if ((*columns * *bytes) % 128 != 0) {
    refusal = "rows of '" + array.name + "' start in different banks already";
    return std::nullopt;
  }
  bool is_conflict = false;
  for (const NodeId use : tree.uses(function.body, array.name)) {
    if (tree.ancestor(use, "declaration") == declaration) continue;
    const NodeId row = row_index(tree, use);
    if (row == kNoNode) {
      refusal = "'" + array.name + "' is used other than as [row][column]";
      return std::nullopt;
    }
    is_conflict |= goes_down(scene, function, row);
  }
  if (is_conflict) return array;
  refusal = "no warp goes down a column of '" + array.name + "'";
  return std::nullopt;
}

std::vector<ConflictingArray> conflicting_arrays(const Scene& scene, std::string& refusal) {
  std::vector<ConflictingArray> all;
  const SyntaxTree& tree = scene.tree();
  refusal = "no kernel has a shared array of two dimensions";
  for (const auto& function : scene.source().functions) {
    if (function.kind != FunctionKind::kernel) continue;
    if (const auto why = reason_not_to_edit(scene.source(), function); !why.empty()) {
      refusal = why;
      continue;
    }
    for (const NodeId declaration : tree.descendants(function.body, "declaration")) {
      if (auto array = conflicting(scene, function, declaration, refusal)) {
        all.push_back(std::move(*array));
      }
    }
  }
  return all;
}

std::optional<Kernel> apply_shared_padding(const Scene& scene, std::string_view parameters) {
  const auto pad = parameter_number(parameters, "pad_bytes");
  if (!pad || !contains(kPadBytes, *pad)) {
    return std::nullopt;
  }
  std::string refusal;
  std::vector<TextEdit> edits;
  std::int64_t bytes = 0;
  for (const auto& array : conflicting_arrays(scene, refusal)) {
    const std::int64_t elements = std::max<std::int64_t>(1, *pad / array.element);
    const auto end = scene.tree().node(array.pitch).range.end;
    edits.push_back({{end, end}, " + " + std::to_string(elements)});
    bytes += array.rows * (array.columns + elements) * array.element;
  }
  if (edits.empty() || bytes > std::int64_t{48} * 1024) return std::nullopt;
  return with_edits(scene, std::move(edits));
}

Offer offer_shared_padding(const Scene& scene) {
  Offer offer;
  if (conflicting_arrays(scene, offer.refusal).empty()) return offer;
  offer.refusal.clear();
  const double gain = scene.suffers(BottleneckClass::shared_bank_conflicts) ? 1.8 : 1.2;
  for (const auto pad : kPadBytes) {
    const std::string parameters = "pad_bytes=" + std::to_string(pad);
    if (!apply_shared_padding(scene, parameters)) continue;
    offer.moves.push_back({"shared_padding", parameters, pad == 4 ? gain : gain * 0.95});
  }
  if (offer.moves.empty()) offer.refusal = "the padded arrays do not fit into shared memory";
  return offer;
}

}  // namespace

Technique shared_padding_technique() {
  return {"shared_padding",
          "a longer row puts the elements of a column into different banks of shared memory",
          "pad_bytes=4 or 16, added to each row", offer_shared_padding, apply_shared_padding};
}

}  // namespace warpmind::agents::builtin
