#include "agents/builtin/contraction/index_code.h"

#include <algorithm>
#include <array>
#include <utility>

namespace warpmind::agents::builtin {
namespace {

constexpr std::array<std::string_view, 3> kIndexNames{"threadIdx", "blockIdx", "blockDim"};
constexpr std::array<std::string_view, 3> kVirtualNames{"wm_thread", "wm_block", "wm_block_dim"};

}  // namespace

IndexCode::IndexCode(const Scene& scene, const Contraction& what)
    : tree_(scene.tree()), what_(what), program_(scene.source()) {
  find_integers();
  replace_digits();
  for (std::size_t i = 0; i < kIndexNames.size(); ++i) {
    for (const NodeId use : tree_.uses(what_.function->body, kIndexNames.at(i))) {
      if (!is_replaced(use)) {
        renames_.push_back({tree_.node(use).range, std::string(kVirtualNames.at(i))});
      }
    }
  }
}

std::string IndexCode::left_out() const {
  std::set<std::string_view> declared;
  for (const auto name : kIndexNames) {
    for (const NodeId use : tree_.uses(what_.function->body, name)) {
      if (!tree_.is(tree_.node(use).parent, "field_expression")) {
        return "'" + std::string(name) + "' is read as a whole";
      }
    }
  }
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
  for (const auto& level : what_.nest.levels) {
    for (const auto& item : level.items) {
      if (const auto name = parameter_written_by(item.node); !name.empty()) {
        return "'" + name + "' is changed from term to term";
      }
    }
  }
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

bool IndexCode::is_kept(NodeId statement) const {
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

std::string IndexCode::parameter_written_by(NodeId statement) const {
  const auto& written = program_.written(statement);
  for (const auto& parameter : what_.function->parameters) {
    if (written.contains(parameter.name)) return parameter.name;
  }
  return {};
}

bool IndexCode::is_replaced(NodeId node) const {
  return std::any_of(replaced_.begin(), replaced_.end(),
                     [&](NodeId value) { return tree_.contains(value, node); });
}

std::string IndexCode::part(NodeId node) const {
  return edited_part(tree_.source(), tree_.node(node).range, renames_);
}

std::string IndexCode::term_code(const ContractionSide& side, const std::set<NodeId>& needed,
                                 std::string_view none) const {
  const auto& levels = what_.nest.levels;
  std::string text;
  std::string rest = "wm_k";
  std::vector<std::string> numbers(levels.size());
  for (std::size_t l = levels.size(); l-- > 0;) {
    numbers[l] = rest;
    if (l == 0) break;
    const std::string above = "wm_k_above_" + std::to_string(l);
    const std::string trip = trips(l);
    text.append("    const unsigned ").append(above).append(" = ").append(trip);
    text.append("_divider.quotient(").append(rest).append(");\n");
    numbers[l].append(" - ").append(above).append(" * ").append(trip);
    rest = above;
  }
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const NestLevel& level = levels[l];
    text += "    const " + level.type + " " + level.variable + " = " + value_at(level, numbers[l]) +
            ";\n";
    for (const auto& item : level.items) {
      if (item.is_guard) {
        if (side.guards.contains(item.node)) text += guard(item, none);
      } else if (needed.contains(item.node)) {
        text += "    " + part(item.node) + "\n";
      }
    }
  }
  for (const auto& item : side.operand.guards) text += guard(item, none);
  return text;
}

std::set<NodeId> IndexCode::needed_by(const ContractionSide& side,
                                      const std::vector<NodeId>& used) const {
  std::set<std::string_view> names;
  std::set<NodeId> needed;
  for (const NodeId node : used) add_names(node, names);
  for (const auto& item : side.operand.guards) add_names(item.node, names);
  const auto& levels = what_.nest.levels;
  for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
    for (auto item = level->items.rbegin(); item != level->items.rend(); ++item) {
      const bool needs = item->is_guard ? side.guards.contains(item->node)
                                        : is_kept(item->node) && provides(item->node, names);
      if (!needs) continue;
      needed.insert(item->node);
      add_names(item->node, names);
    }
    add_names(level->initial, names);
    if (level->step != kNoNode) add_names(level->step, names);
  }
  const auto& prologue = what_.nest.prologue;
  for (auto statement = prologue.rbegin(); statement != prologue.rend(); ++statement) {
    if (!is_kept(*statement) || !provides(*statement, names)) continue;
    needed.insert(*statement);
    add_names(*statement, names);
  }
  return needed;
}

std::string IndexCode::prologue(const std::set<NodeId>& needed) const {
  std::string code;
  for (const NodeId statement : what_.nest.prologue) {
    if (needed.contains(statement)) code += "    " + part(statement) + "\n";
  }
  return code;
}

std::vector<std::string> IndexCode::names_of(const std::string& index) const {
  std::vector<std::string> names{index};
  if (!what_.batch.empty()) names.emplace_back("batch");
  return names;
}

void IndexCode::find_integers() {
  for (const auto& parameter : what_.function->parameters) {
    const bool number =
        value_type(parameter.base_type, program_.aliases()).kind != ValueType::Kind::other;
    if (parameter.is_pointer || number) integers_.insert(parameter.name);
  }
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

bool IndexCode::is_operand_value(NodeId declarator) const {
  for (const auto& side : what_.sides) {
    if (tree_.contains(declarator, side.operand.access)) return true;
  }
  const auto text = tree_.text(declarator);
  return text.find("2float") != std::string_view::npos ||
         text.find("0.0") != std::string_view::npos;
}

void IndexCode::replace_digits() {
  const auto& written = program_.written(what_.function->body);
  for (std::size_t axis = 0; axis < what_.outputs.axes.size(); ++axis) {
    const auto which = what_.outputs.axes[axis].part;
    if (which == OutputAxis::Part::remainder) continue;
    const auto& name = what_.outputs.axes[axis].variable;
    std::vector<NodeId> found;
    for (const NodeId part : tree_.descendants(what_.function->body, "init_declarator")) {
      if (tree_.text(tree_.declared(part)) == name) found.push_back(part);
    }
    if (found.size() != 1 || written.contains(name)) continue;
    const NodeId value = tree_.field(found.front(), "value");
    const std::string type =
        tree_.plain_text(tree_.field(tree_.node(found.front()).parent, "type"));
    if (!tree_.is(tree_.field(found.front(), "declarator"), "identifier") || type == "auto" ||
        tree_.is(value, "initializer_list") || tree_.is(value, "argument_list")) {
      continue;
    }
    replaced_.push_back(value);
    const std::string digit = which == OutputAxis::Part::quotient ? DigitText::joined_digits(axis)
                                                                  : DigitText::digit(axis);
    std::string cast = "static_cast<";
    cast.append(type).append(">(").append(digit).append(")");
    renames_.push_back({tree_.node(value).range, std::move(cast)});
  }
}

std::string IndexCode::value_at(const NestLevel& level, const std::string& number) const {
  std::string text = "static_cast<" + level.type + ">(" + number + ")";
  if (level.step != kNoNode) text += " * (" + part(level.step) + ")";
  const std::string initial = part(level.initial);
  return initial == "0" ? text : "(" + initial + ") + " + text;
}

std::string IndexCode::guard(const NestItem& item, std::string_view none) const {
  const std::string condition = part(item.node);
  return "    if (" + (item.wanted ? "!(" + condition + ")" : condition) + ") return " +
         std::string(none) + ";\n";
}

void IndexCode::add_names(NodeId node, std::set<std::string_view>& names) const {
  for (const NodeId use : tree_.descendants(node, "identifier")) {
    if (!is_replaced(use)) names.insert(tree_.text(use));
  }
}

bool IndexCode::provides(NodeId statement, const std::set<std::string_view>& names) const {
  for (const NodeId part : tree_.descendants(statement)) {
    if (tree_.node(part).field != "declarator") continue;
    const NodeId name = tree_.declared(part);
    if (name != kNoNode && names.contains(tree_.text(name))) return true;
  }
  const auto& written = program_.written(statement);
  return std::any_of(written.begin(), written.end(),
                     [&](auto name) { return names.contains(name); });
}

}  // namespace warpmind::agents::builtin
