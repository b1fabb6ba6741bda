#include "agents/builtin/contraction/contraction_text.h"

#include "agents/builtin/templates/device_templates.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

constexpr std::array<std::string_view, 3> kIndexNames{"threadIdx", "blockIdx", "blockDim"};
constexpr std::array<std::string_view, 3> kVirtualNames{"wm_thread", "wm_block", "wm_block_dim"};
constexpr std::array<char, 3> kLetters{'x', 'y', 'z'};

/// Axes of one side that are neighbouring digits of one coordinate need not be taken apart.
struct DigitGroup {
  std::size_t first = 0;  ///< axis
  std::vector<std::size_t> axes;
};

class LiftWriter {
 public:
  LiftWriter(const Scene& scene, const Contraction& what)
      : scene_(scene), tree_(scene.tree()), what_(what), program_(scene.source()) {
    find_integers();
    for (const auto name : kIndexNames) {
      const auto at = static_cast<std::size_t>(
          std::find(kIndexNames.begin(), kIndexNames.end(), name) - kIndexNames.begin());
      for (const NodeId use : tree_.uses(what.function->body, name)) {
        renames_.push_back({tree_.node(use).range, std::string(kVirtualNames.at(at))});
      }
    }
  }

  /// The first use of a variable that the load functions leave out, or empty.
  [[nodiscard]] std::string left_out() const {
    std::set<std::string_view> declared;
    for (const NodeId statement : what_.nest.prologue) {
      for (const NodeId part : tree_.descendants(statement, "init_declarator")) {
        const auto name = tree_.text(tree_.declared(part));
        if (!declared.insert(name).second) return "'" + std::string(name) + "' is declared twice";
      }
    }
    const auto check = [&](NodeId node) -> std::string {
      for (const NodeId use : tree_.descendants(node, "identifier")) {
        if (floats_.contains(tree_.text(use)) && tree_.node(use).field != "declarator") {
          return "an index depends on '" + std::string(tree_.text(use)) + "'";
        }
      }
      return {};
    };
    std::vector<NodeId> used;
    for (const NodeId statement : what_.nest.prologue) {
      if (is_kept(statement)) used.push_back(statement);
    }
    for (const auto& level : what_.nest.levels) {
      for (const auto& item : level.items) {
        if (item.is_guard || is_kept(item.node)) used.push_back(item.node);
      }
    }
    for (const auto& side : what_.sides) {
      used.push_back(side.operand.access);
      for (const auto& guard : side.operand.guards) used.push_back(guard.node);
    }
    for (const NodeId node : used) {
      if (auto why = check(node); !why.empty()) return why;
    }
    return {};
  }

  [[nodiscard]] std::string body(const ContractionTile& tile) const {
    std::string text = "{\n";
    for (std::size_t i = 0; i < what_.outputs.axes.size(); ++i) {
      text += "  const unsigned " + extent(i) + " = wm_count(" + what_.outputs.axes[i].extent +
              ");  // of " + what_.outputs.axes[i].variable + "\n";
    }
    for (std::size_t i = 0; i < what_.trips.size(); ++i) {
      text += "  const unsigned " + trips(i) + " = wm_count(" + what_.trips[i] +
              ");  // of the loop over " + what_.nest.levels[i].variable + "\n";
      if (i > 0) text += "  const wm_divider " + trips(i) + "_divider(" + trips(i) + ");\n";
    }
    text += "  const unsigned wm_rows = " + product(what_.sides[0].axes) + ";\n";
    text += "  const unsigned wm_columns = " + product(what_.sides[1].axes) + ";\n";
    std::vector<std::string> factors;
    for (std::size_t i = 0; i < what_.trips.size(); ++i) factors.push_back(trips(i));
    text += "  const unsigned wm_depth = " + joined(factors) + ";\n";
    text += dividers("row", what_.sides[0].axes) + dividers("column", what_.sides[1].axes) +
            dividers("batch", what_.batch);
    const std::string rows = std::to_string(tile.rows) + "u";
    const std::string columns = std::to_string(tile.columns) + "u";
    text += "  const unsigned wm_across = (wm_columns + " + columns + " - 1u) / " + columns +
            ";\n  const unsigned wm_down = (wm_rows + " + rows + " - 1u) / " + rows +
            ";\n  const unsigned wm_first_column = blockIdx.x % wm_across * " + columns +
            ";\n  const unsigned wm_first_row = blockIdx.x / wm_across % wm_down * " + rows + ";\n";
    if (!what_.batch.empty()) {
      text += "  const unsigned wm_batch = blockIdx.x / wm_across / wm_down;\n";
    }
    text += load(0) + load(1) + finish();
    text += "  " + tile.call +
            "(\n      wm_first_row, wm_rows, wm_first_column, wm_columns, wm_depth, wm_left, "
            "wm_right, wm_finish);\n}";
    return text;
  }

 private:
  void find_integers() {
    for (const NodeId declaration : tree_.descendants(what_.function->body, "declaration")) {
      const std::string type = tree_.plain_text(tree_.field(declaration, "type"));
      for (const NodeId part : tree_.all_children(declaration)) {
        if (tree_.node(part).field != "declarator") continue;
        const auto name = tree_.text(tree_.declared(part));
        const bool pointer = !tree_.descendants(part, "pointer_declarator").empty();
        const bool number = value_type(type, program_.aliases()).kind != ValueType::Kind::other ||
                            pointer || (type == "auto" && !is_operand_value(part));
        (number ? integers_ : floats_).insert(name);
      }
    }
  }

  /// Whether an `auto` variable holds an element and no index.
  [[nodiscard]] bool is_operand_value(NodeId declarator) const {
    for (const auto& side : what_.sides) {
      if (tree_.contains(declarator, side.operand.access)) return true;
    }
    const auto text = tree_.text(declarator);
    return text.find("2float") != std::string_view::npos ||
           text.find("0.0") != std::string_view::npos;
  }

  /// Whether a statement before the sum has to do with indices.
  [[nodiscard]] bool is_kept(NodeId statement) const {
    if (tree_.is(statement, "preproc_call")) return false;
    for (const NodeId part : tree_.descendants(statement, "init_declarator")) {
      if (integers_.contains(tree_.text(tree_.declared(part)))) return true;
    }
    if (tree_.is(statement, "declaration")) {
      for (const NodeId part : tree_.all_children(statement)) {
        if (tree_.node(part).field == "declarator" &&
            integers_.contains(tree_.text(tree_.declared(part)))) {
          return true;
        }
      }
      return false;
    }
    const auto& written = program_.written(statement);
    return std::any_of(written.begin(), written.end(),
                       [&](auto name) { return integers_.contains(name); });
  }

  static std::string extent(std::size_t axis) { return "wm_extent_" + std::to_string(axis); }
  static std::string trips(std::size_t level) { return "wm_trips_" + std::to_string(level); }
  static std::string joined(const std::vector<std::string>& factors) {
    std::string text;
    for (const auto& factor : factors) text += (text.empty() ? "" : " * ") + factor;
    return text.empty() ? "1u" : text;
  }
  static std::string product(const std::vector<std::size_t>& axes) {
    std::vector<std::string> factors;
    for (const std::size_t axis : axes) factors.push_back(extent(axis));
    return joined(factors);
  }

  [[nodiscard]] std::vector<DigitGroup> groups(const std::vector<std::size_t>& axes) const {
    std::vector<DigitGroup> all;
    for (const std::size_t axis : axes) {
      const bool next =
          !all.empty() && all.back().axes.back() + 1 == axis &&
          what_.outputs.axes[axis].dimension == what_.outputs.axes[all.back().first].dimension;
      if (!next) all.push_back({axis, {}});
      all.back().axes.push_back(axis);
    }
    return all;
  }

  static std::string divider(const std::string& name, std::size_t group) {
    return "wm_" + name + "_divider_" + std::to_string(group);
  }

  [[nodiscard]] std::string dividers(const std::string& name,
                                     const std::vector<std::size_t>& axes) const {
    std::string text;
    const auto all = groups(axes);
    for (std::size_t g = 0; g + 1 < all.size(); ++g) {
      text += "  const wm_divider " + divider(name, g) + "(" + product(all[g].axes) + ");\n";
    }
    return text;
  }

  /// Product of the extents below `axis` in its coordinate.
  [[nodiscard]] std::string stride(std::size_t axis) const {
    std::vector<std::size_t> below;
    for (std::size_t i = 0; i < axis; ++i) {
      if (what_.outputs.axes[i].dimension == what_.outputs.axes[axis].dimension) below.push_back(i);
    }
    return below.empty() ? "" : " * (" + product(below) + ")";
  }

  /// Adds what `name` (row, column or batch) contributes to the coordinates of the thread.
  void add_digits(const std::string& name, const std::vector<std::size_t>& axes, std::string& text,
                  std::array<std::string, 3>& coordinates) const {
    const auto all = groups(axes);
    std::string rest = "wm_" + name;
    for (std::size_t g = 0; g < all.size(); ++g) {
      std::string digit = rest;
      if (g + 1 < all.size()) {
        const std::string above = "wm_" + name + "_above_" + std::to_string(g);
        text +=
            "    const unsigned " + above + " = " + divider(name, g) + ".quotient(" + rest + ");\n";
        digit = "(" + rest + " - " + above + " * (" + product(all[g].axes) + "))";
        rest = above;
      }
      auto& coordinate = coordinates.at(what_.outputs.axes[all[g].first].dimension);
      coordinate += (coordinate.empty() ? "" : " + ") + digit + stride(all[g].first);
    }
  }

  [[nodiscard]] std::string virtual_thread(const std::vector<std::string>& names) const {
    std::string text;
    std::array<std::string, 3> coordinates;
    for (const auto& name : names) {
      const auto& axes = name == "row"      ? what_.sides[0].axes
                         : name == "column" ? what_.sides[1].axes
                                            : what_.batch;
      add_digits(name, axes, text, coordinates);
    }
    const auto& block = what_.launches.front().shape.block;
    std::array<std::string, 3> threads;
    std::array<std::string, 3> blocks;
    std::string dims;
    for (std::size_t d = 0; d < 3; ++d) {
      const std::string name = std::string("wm_") + kLetters.at(d);
      const std::string size = std::to_string(block.at(d)) + "u";
      const std::size_t to = what_.outputs.mapping.blocks.at(d);
      dims += (d == 0 ? "" : ", ") + size;
      if (coordinates.at(d).empty()) {
        threads.at(d) = "0u";
        blocks.at(to) = "0u";
        continue;
      }
      text += "    const unsigned " + name + " = " + coordinates.at(d) + ";\n";
      threads.at(d) = size == "1u" ? "0u" : name + " % " + size;
      blocks.at(to) = size == "1u" ? name : name + " / " + size;
    }
    text += "    const wm_index wm_thread{" + threads[0] + ", " + threads[1] + ", " + threads[2] +
            "};\n    const wm_index wm_block{" + blocks[0] + ", " + blocks[1] + ", " + blocks[2] +
            "};\n    const wm_index wm_block_dim{" + dims + "};\n";
    return text;
  }

  [[nodiscard]] std::string part(NodeId node) const {
    return edited_part(tree_.source(), tree_.node(node).range, renames_);
  }

  /// The loop variables of term `wm_k`, and what the loops compute from them.
  [[nodiscard]] std::string term_code(const ContractionSide& side) const {
    const auto& levels = what_.nest.levels;
    std::string text;
    std::string rest = "wm_k";
    std::vector<std::string> numbers(levels.size());
    for (std::size_t l = levels.size(); l-- > 0;) {
      numbers[l] = rest;
      if (l == 0) break;
      const std::string above = "wm_k_above_" + std::to_string(l);
      text +=
          "    const unsigned " + above + " = " + trips(l) + "_divider.quotient(" + rest + ");\n";
      numbers[l] = rest + " - " + above + " * " + trips(l);
      rest = above;
    }
    for (std::size_t l = 0; l < levels.size(); ++l) {
      const NestLevel& level = levels[l];
      text += "    const " + level.type + " " + level.variable + " = " +
              value_at(level, numbers[l]) + ";\n";
      for (const auto& item : level.items) {
        if (item.is_guard) {
          if (side.guards.contains(item.node)) text += guard(item);
        } else if (is_kept(item.node)) {
          text += "    " + part(item.node) + "\n";
        }
      }
    }
    for (const auto& item : side.operand.guards) text += guard(item);
    return text;
  }

  [[nodiscard]] std::string value_at(const NestLevel& level, const std::string& number) const {
    std::string text = "static_cast<" + level.type + ">(" + number + ")";
    if (level.step != kNoNode) text += " * (" + part(level.step) + ")";
    const std::string initial = part(level.initial);
    return initial == "0" ? text : "(" + initial + ") + " + text;
  }

  [[nodiscard]] std::string guard(const NestItem& item) const {
    const std::string condition = part(item.node);
    return "    if (" + (item.wanted ? "!(" + condition + ")" : condition) + ") return nullptr;\n";
  }

  [[nodiscard]] std::string load(std::size_t side) const {
    const ContractionSide& one = what_.sides.at(side);
    const std::string index = side == 0 ? "row" : "column";
    std::vector<std::string> names{index};
    if (!what_.batch.empty()) names.emplace_back("batch");
    std::string text = "  const auto wm_" + std::string(side == 0 ? "left" : "right") +
                       " = [&](const unsigned wm_" + index + ", const unsigned wm_k) -> const " +
                       one.element + "* {\n" + virtual_thread(names);
    for (const NodeId statement : what_.nest.prologue) {
      if (is_kept(statement)) text += "    " + part(statement) + "\n";
    }
    text += term_code(one);
    const NodeId access = one.operand.access;
    text += "    return &" + part(access) + ";\n  };\n";
    return text;
  }

  /// The whole body with the loops replaced by their result.
  [[nodiscard]] std::string finish() const {
    std::vector<std::string> names{"row", "column"};
    if (!what_.batch.empty()) names.emplace_back("batch");
    std::vector<TextEdit> edits = renames_;
    const Range loop = tree_.node(what_.nest.top).range;
    std::erase_if(edits, [&](const TextEdit& edit) {
      return edit.range.begin >= loop.begin && edit.range.end <= loop.end;
    });
    edits.push_back({loop, what_.nest.sum + " += wm_sum;"});
    // A pragma for the loop has nothing left to stand before.
    const auto siblings = tree_.children(tree_.node(what_.nest.top).parent);
    for (std::size_t i = 1; i < siblings.size(); ++i) {
      if (siblings[i] == what_.nest.top && tree_.is(siblings[i - 1], "preproc_call")) {
        edits.push_back({tree_.node(siblings[i - 1]).range, "\n"});
      }
    }
    return "  const auto wm_finish = [&](const unsigned wm_row, const unsigned wm_column, const "
           "float "
           "wm_sum) {\n" +
           virtual_thread(names) + "    " +
           edited_part(tree_.source(), tree_.node(what_.function->body).range, edits) + "\n  };\n";
  }

  const Scene& scene_;
  const SyntaxTree& tree_;
  const Contraction& what_;
  ProbeProgram program_;
  std::set<std::string_view> integers_;
  std::set<std::string_view> floats_;
  std::vector<TextEdit> renames_;
};

/// `__launch_bounds__(…)` in place of the one that is there.
TextEdit bounds_edit(const SyntaxTree& tree, const Function& function,
                     const ContractionTile& tile) {
  const std::string text = " __launch_bounds__(" + std::to_string(tile.threads) + ", " +
                           std::to_string(tile.blocks_per_multiprocessor) + ")";
  const std::size_t end = tree.node(function.name_node).range.begin;
  const std::size_t old =
      tree.source().find("__launch_bounds__", tree.node(function.node).range.begin);
  if (old == std::string::npos || old >= end) {
    return {{function.attribute_end, function.attribute_end}, text};
  }
  std::size_t at = tree.source().find('(', old);
  int depth = 0;
  for (; at < end; ++at) {
    if (tree.source()[at] == '(') ++depth;
    if (tree.source()[at] == ')' && --depth == 0) break;
  }
  return {{old, at + 1}, text.substr(1)};
}

}  // namespace

std::string reason_not_to_lift(const Scene& scene, const Contraction& contraction) {
  return LiftWriter(scene, contraction).left_out();
}

Kernel lifted_kernel(const Scene& scene, const Contraction& contraction,
                     const ContractionTile& tile) {
  const SyntaxTree& tree = scene.tree();
  std::vector<TextEdit> edits;
  for (const std::string_view name :
       {std::string_view("virtual_threads"), std::string_view(tile.template_name)}) {
    if (auto paste = paste_template(tree, name)) edits.push_back(std::move(*paste));
  }
  edits.push_back(bounds_edit(tree, *contraction.function, tile));
  edits.push_back(
      {tree.node(contraction.function->body).range, LiftWriter(scene, contraction).body(tile)});
  Kernel kernel = with_edits(scene, std::move(edits));
  Launch& launch = kernel.plan.launches[contraction.launch];
  launch.grid = {"ceil_div(" + contraction.plan_columns + ", " + std::to_string(tile.columns) +
                     ") * ceil_div(" + contraction.plan_rows + ", " + std::to_string(tile.rows) +
                     ") * (" + contraction.plan_batches + ")",
                 "1", "1"};
  launch.block = {std::to_string(tile.threads), "1", "1"};
  return kernel;
}

}  // namespace warpmind::agents::builtin
