#include "agents/builtin/pointwise/pointwise_kernel.h"

#include "agents/builtin/pointwise/guarded_body.h"
#include "agents/builtin/pointwise/pure_code.h"
#include "agents/builtin/probe/kernel_prober.h"
#include "base/sequence.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

/// Reads the shape of one function; the first thing that does not fit becomes the refusal.
class PointwiseReader {
 public:
  PointwiseReader(const Scene& scene, std::size_t launch)
      : scene_(scene), tree_(scene.tree()), launch_(launch) {}

  PointwiseFinding read_kernel() {
    found_.function = scene_.function_of(launch_);
    if (found_.function == nullptr) return refused("its kernel is not defined exactly once");
    refusal_ = reason_not_to_edit(scene_.source(), *found_.function);
    if (!refusal_.empty()) return {std::nullopt, refusal_};
    if (!read_body(tree_.children(found_.function->body)) || !check_launches() || !check_work() ||
        !read_accesses()) {
      return refused(refusal_);
    }
    return {std::move(found_), {}};
  }

  PointwiseFinding read_elements(const std::vector<NodeId>& statements) {
    only_elements_ = true;
    found_.function = scene_.function_of(launch_);
    if (found_.function == nullptr) return refused("its kernel is not defined exactly once");
    if (!read_body(statements) || !check_launches()) return refused(refusal_);
    return {std::move(found_), {}};
  }

 private:
  [[nodiscard]] PointwiseFinding refused(const std::string& why) const {
    return {std::nullopt, why + " in '" + scene_.plan().launches[launch_].kernel + "'"};
  }
  bool fail_with(std::string why) {
    refusal_ = std::move(why);
    return false;
  }

  bool read_body(const std::vector<NodeId>& statements) {
    for (std::size_t at = 0; at < statements.size(); ++at) {
      const NodeId statement = statements[at];
      const bool is_last = at + 1 == statements.size();
      if (tree_.is(statement, "declaration")) {
        before_.push_back(statement);
      } else if (tree_.is(statement, "for_statement") && is_last) {
        return read_loop(statement);
      } else if (tree_.is(statement, "if_statement")) {
        return read_guard(statement, {statements.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                                      statements.end()});
      } else {
        break;
      }
    }
    return fail_with("no test of a flat index against a bound");
  }

  bool read_guard(NodeId statement, std::vector<NodeId> rest) {
    auto guarded = guarded_work(tree_, statement, std::move(rest), refusal_);
    if (!guarded) return false;
    found_.guard = statement;
    found_.work = std::move(guarded->work);
    const bool is_read = guarded->leaves ? read_comparison(guarded->condition, ">=", "<=")
                                         : read_comparison(guarded->condition, "<", ">");
    return is_read && split_declarations();
  }

  bool read_loop(NodeId loop) {
    const NodeId declaration = tree_.field(loop, "initializer");
    found_.is_loop = true;
    found_.guard = loop;
    found_.declaration = loop;
    found_.work = statements_of(tree_, tree_.field(loop, "body"));
    found_.update = tree_.bare(tree_.field(loop, "update"));
    if (!tree_.is(declaration, "declaration"))
      return fail_with("a loop over no variable of its own");
    if (!read_comparison(tree_.field(loop, "condition"), "<", ">")) return false;
    if (!read_index(declaration)) return fail_with("a loop over no variable of its own");
    const bool adds = tree_.is(found_.update, "assignment_expression") &&
                      tree_.operator_of(found_.update) == "+=" &&
                      tree_.text(tree_.field(found_.update, "left")) == found_.index;
    const bool counts = only_elements_ && tree_.is(found_.update, "update_expression") &&
                        tree_.operator_of(found_.update) == "++" &&
                        tree_.text(tree_.field(found_.update, "argument")) == found_.index;
    if (!adds && !counts) return fail_with("a loop that does not step over all threads");
    return split_declarations();
  }

  /// `i < n` or `n > i`; the index must be a variable.
  bool read_comparison(NodeId condition, std::string_view less, std::string_view greater) {
    condition = tree_.bare(condition);
    const auto sign = tree_.operator_of(condition);
    if (tree_.is(condition, "binary_expression") && (sign == less || sign == greater)) {
      const NodeId left = tree_.bare(tree_.field(condition, "left"));
      const NodeId right = tree_.bare(tree_.field(condition, "right"));
      const NodeId index = sign == less ? left : right;
      found_.bound = sign == less ? right : left;
      found_.index = tree_.text(index);
      if (tree_.is(index, "identifier")) return true;
    }
    return fail_with("no test of a flat index against a bound");
  }

  /// `int i = value` as the only declarator.
  bool read_index(NodeId declaration) {
    const NodeId declarator = only_declarator(tree_, declaration);
    if (declarator == kNoNode) return false;
    const NodeId name = tree_.field(declarator, "declarator");
    if (!tree_.is(name, "identifier") || tree_.text(name) != found_.index) return false;
    found_.first = tree_.field(declarator, "value");
    found_.index_type = tree_.plain_text(tree_.field(declaration, "type"));
    return found_.index_type != "auto" && type_bytes(found_.index_type).value_or(0) >= 4;
  }

  [[nodiscard]] bool mentions_any(NodeId node, const std::vector<std::string>& names) const {
    return std::any_of(names.begin(), names.end(),
                       [&](const auto& name) { return !tree_.uses(node, name).empty(); });
  }

  /// Which declarations before the guard depend on the index.
  bool split_declarations() {
    std::vector<std::string> dependent{found_.index};
    for (const NodeId declaration : before_) {
      if (!found_.is_loop && declares(tree_, declaration, found_.index)) {
        if (!read_index(declaration)) return fail_with("an index that is not declared alone");
        found_.declaration = declaration;
        continue;
      }
      if (!tree_.descendants(declaration, "subscript_expression").empty() ||
          !tree_.descendants(declaration, "pointer_expression").empty()) {
        return fail_with("memory is read before the guard");
      }
      if (found_.declaration == kNoNode || found_.is_loop ||
          !mentions_any(declaration, dependent)) {
        found_.uniform.push_back(declaration);
        continue;
      }
      found_.derived.push_back(declaration);
      for (const NodeId part : tree_.all_children(declaration)) {
        if (tree_.node(part).field != "declarator") continue;
        dependent.emplace_back(tree_.text(tree_.declared(part)));
      }
    }
    if (found_.declaration == kNoNode) return fail_with("no index that is declared before");
    if (mentions_any(found_.bound, dependent)) return fail_with("a bound that differs by element");
    return true;
  }

  bool check_launches() {
    for (const auto* launch : scene_.launches_of(*found_.function)) {
      const auto& grid = launch->shape.grid;
      const auto& block = launch->shape.block;
      if (grid[1] * grid[2] != 1 || block[1] * block[2] != 1) {
        return fail_with("a launch in more than one dimension");
      }
      const KernelProber prober(scene_.source(), *found_.function, *launch);
      if (is_flat_thread(prober, found_.first) != true) {
        return fail_with("'" + found_.index + "' is not the flat number of the thread");
      }
      const auto start = prober.position(0);
      if (!prober.value(found_.bound, start) || is_uniform(prober, found_.bound) == false) {
        return fail_with("a bound that is not the same number for all threads");
      }
      if (!found_.is_loop) continue;
      const NodeId amount = tree_.field(found_.update, "right");
      const auto step =
          amount == kNoNode ? std::optional<std::int64_t>(1) : prober.value(amount, start);
      if (step ? *step != prober.threads() : only_elements_) {
        return fail_with("a loop that does not step over all threads");
      }
    }
    return true;
  }

  bool check_work() {
    for (const auto& statement : found_.work) {
      if (auto why = obstacle_in(scene_.source(), statement); !why.empty()) return fail_with(why);
    }
    for (const NodeId declaration : found_.derived) {
      if (auto why = obstacle_in(scene_.source(), declaration); !why.empty()) return fail_with(why);
    }
    return std::all_of(found_.work.begin(), found_.work.end(),
                       [&](NodeId statement) { return check_writes(statement); });
  }

  [[nodiscard]] bool is_of_the_work(std::string_view name) const {
    const auto declares_it = [&](NodeId node) { return declares(tree_, node, name); };
    return std::any_of(found_.work.begin(), found_.work.end(), declares_it) ||
           std::any_of(found_.derived.begin(), found_.derived.end(), declares_it);
  }

  /// Nothing that the work writes may outlive the element, but memory behind parameters.
  bool check_writes(NodeId statement) {
    for (const NodeId use : tree_.descendants(statement, "identifier")) {
      const std::string name(tree_.text(use));
      const Parameter* parameter = found_.function->parameter(name);
      const bool is_pointer = parameter != nullptr && parameter->is_pointer;
      if (is_pointer && is_of_the_work(name)) return fail_with("'" + name + "' is declared twice");
      if (is_pointer || is_of_the_work(name)) continue;
      if (writes_variable(tree_, statement, name)) {
        return fail_with("the work of one element writes '" + name + "'");
      }
    }
    for (const NodeId jump : tree_.descendants(statement, "continue_statement")) {
      if (!is_in_inner_loop(jump)) return fail_with("the work of an element is left half-way");
    }
    for (const NodeId jump : tree_.descendants(statement, "break_statement")) {
      if (!is_in_inner_loop(jump) &&
          tree_.ancestor(jump, "switch_statement", statement) == kNoNode) {
        return fail_with("the work of an element is left half-way");
      }
    }
    return true;
  }

  [[nodiscard]] bool is_in_inner_loop(NodeId node) const {
    const NodeId limit = found_.guard;
    for (const auto* kind : {"for_statement", "while_statement", "do_statement"}) {
      const NodeId loop = tree_.ancestor(node, kind, found_.function->body);
      if (loop != kNoNode && loop != limit) return true;
    }
    return false;
  }

  bool read_accesses() {
    for (const auto& parameter : found_.function->parameters) {
      if (!parameter.is_pointer) continue;
      for (const NodeId use : tree_.uses(found_.function->body, parameter.name)) {
        if (!read_access(parameter, use)) return false;
      }
    }
    std::sort(found_.accesses.begin(), found_.accesses.end(),
              [](const auto& a, const auto& b) { return a.node < b.node; });
    const bool any = std::any_of(found_.accesses.begin(), found_.accesses.end(),
                                 [](const auto& a) { return a.is_store && a.is_flat; });
    return any || fail_with("nothing is written at the flat index");
  }

  bool read_access(const Parameter& parameter, NodeId use) {
    const auto indexed = indexed_use(tree_, parameter.name, use, refusal_);
    if (!indexed) return false;
    ElementAccess access;
    access.parameter = parameter.name;
    access.node = indexed->subscript;
    access.index = tree_.bare(indexed->index);
    access.is_flat = is_flat(access.index);
    if (!read_role(access))
      return fail_with("the address of an element of '" + parameter.name + "' is taken");
    access.is_certain = is_certain(access.node);
    found_.accesses.push_back(access);
    return true;
  }

  /// Load or store, and what the whole expression is.
  bool read_role(ElementAccess& access) const {
    NodeId up = tree_.node(access.node).parent;
    while (tree_.is(up, "parenthesized_expression")) up = tree_.node(up).parent;
    access.is_load = true;
    if (tree_.is(up, "assignment_expression") &&
        tree_.bare(tree_.field(up, "left")) == access.node) {
      access.is_store = true;
      access.is_load = tree_.operator_of(up) != "=";
    } else if (tree_.is(up, "update_expression")) {
      access.is_store = true;
    } else if (tree_.is(up, "pointer_expression")) {
      const NodeId list = tree_.node(up).parent;
      const NodeId call = list == kNoNode ? kNoNode : tree_.node(list).parent;
      const bool reads = tree_.operator_of(up) == "&" && tree_.is(list, "argument_list") &&
                         tree_.text(tree_.field(call, "function")) == "__ldg";
      if (!reads) return false;
      access.node = call;
    } else if (tree_.is(up, "field_expression")) {
      return false;  // a part of a vector element
    }
    return true;
  }

  [[nodiscard]] bool is_flat(NodeId index) const {
    if (tree_.text(index) == found_.index) return true;
    const auto all = scene_.launches_of(*found_.function);
    if (found_.is_loop) {
      return std::all_of(all.begin(), all.end(), [&](const SceneLaunch* launch) {
        return follows_loop(KernelProber(scene_.source(), *found_.function, *launch), index);
      });
    }
    return std::all_of(all.begin(), all.end(), [&](const SceneLaunch* launch) {
      const KernelProber prober(scene_.source(), *found_.function, *launch);
      return is_flat_thread(prober, index) == true;
    });
  }

  /// Whether the index is the number of the loop, in the first two rounds of some threads.
  [[nodiscard]] bool follows_loop(const KernelProber& prober, NodeId index) const {
    bool any = false;
    for (const std::int64_t thread :
         {std::int64_t{0}, prober.threads() / 3, prober.threads() / 2 + 1, prober.threads() - 1}) {
      if (thread >= prober.threads()) continue;
      for (std::int64_t round = 0; round < 2; ++round) {
        const auto value = prober.value(index, prober.position(thread), {{found_.guard, round}});
        if (value && *value != thread + round * prober.threads()) return false;
        any |= value.has_value();
      }
    }
    return any;
  }

  /// Whether the work of every element gets there.
  [[nodiscard]] bool is_certain(NodeId node) const {
    for (NodeId at = node; at != tree_.root(); at = tree_.node(at).parent) {
      const NodeId up = tree_.node(at).parent;
      const auto kind = tree_.node(at).kind;
      const auto sign = tree_.operator_of(at);
      if (kind == "conditional_expression" || sign == "&&" || sign == "||") return false;
      if (contains(found_.work, at)) {
        return kind == "expression_statement" || kind == "declaration" ||
               kind == "compound_statement" || kind == "if_statement";
      }
      const bool is_plain = tree_.is(up, "compound_statement") || up == found_.guard ||
                            kind == "condition_clause" || !kind.ends_with("_statement");
      if (!is_plain) return false;
      if (kind.ends_with("_statement") && kind != "expression_statement" &&
          kind != "compound_statement" && kind != "if_statement") {
        return false;
      }
      // The branches of an `if` are not certain, its condition is.
      if (tree_.is(up, "if_statement") && up != found_.guard && kind != "condition_clause") {
        return false;
      }
    }
    return false;
  }

  const Scene& scene_;
  const SyntaxTree& tree_;
  std::size_t launch_;
  PointwiseKernel found_;
  std::vector<NodeId> before_;
  bool only_elements_ = false;  ///< of read_elements()
  std::string refusal_;
};

/// `text` whose first line stood in column `column`, moved to `indent`; lines of the preprocessor
/// stay.
std::string indented(const std::string& text, std::size_t column, const std::string& indent) {
  std::string moved = indent;
  for (std::size_t at = 0; at < text.size(); ++at) {
    moved += text[at];
    if (text[at] != '\n') continue;
    const std::size_t start = std::min(text.find_first_not_of(' ', at + 1), text.size());
    if (start == text.size() || text[start] == '#' || text[start] == '\n') continue;
    moved += indent;
    at += std::min(column, start - at - 1);
  }
  return moved;
}

}  // namespace

bool PointwiseKernel::accesses_only_flat(std::string_view parameter) const {
  return std::all_of(accesses.begin(), accesses.end(), [&](const ElementAccess& access) {
    return access.parameter != parameter || access.is_flat;
  });
}

bool PointwiseKernel::stores(std::string_view parameter) const {
  return std::any_of(accesses.begin(), accesses.end(), [&](const ElementAccess& access) {
    return access.parameter == parameter && access.is_store;
  });
}

PointwiseFinding find_pointwise(const Scene& scene, std::size_t index) {
  return scene.remembered<PointwiseFinding>(
      index, [&] { return PointwiseReader(scene, index).read_kernel(); });
}

PointwiseFinding find_elements(const Scene& scene, std::size_t index,
                               const std::vector<NodeId>& statements) {
  return PointwiseReader(scene, index).read_elements(statements);
}

PointwiseFinding find_one_element(const Scene& scene, std::size_t index) {
  auto found = find_pointwise(scene, index);
  if (!found.kernel || !found.kernel->is_loop) return found;
  return {std::nullopt, "'" + found.kernel->function->name + "' loops over all threads already"};
}

std::string work_text(const Scene& scene, const PointwiseKernel& kernel,
                      const std::vector<TextEdit>& edits, const std::string& indent) {
  const SyntaxTree& tree = scene.tree();
  std::string text;
  const auto append = [&](Range range) {
    const std::size_t line = range.begin == 0 ? 0 : tree.source().rfind('\n', range.begin - 1) + 1;
    text += indented(edited_part(tree.source(), range, edits), range.begin - line, indent) + "\n";
  };
  for (const NodeId statement : kernel.derived) append(tree.node(statement).range);
  if (kernel.work.empty()) return text;
  // One piece, so that comments between the statements stay.
  append({tree.node(kernel.work.front()).range.begin, tree.node(kernel.work.back()).range.end});
  return text;
}

std::optional<std::map<std::string, std::int64_t>> bounds_of(const Scene& scene, std::size_t index,
                                                             const PointwiseKernel& kernel) {
  std::map<std::string, std::int64_t> bounds;
  if (kernel.function == nullptr) return std::nullopt;
  for (const auto& launch : scene.launches_of(index)) {
    const KernelProber prober(scene.source(), *kernel.function, launch);
    const auto bound = prober.value(kernel.bound, prober.position(0));
    if (!bound) return std::nullopt;
    bounds[launch.workload] = *bound;
  }
  return bounds;
}

}  // namespace warpmind::agents::builtin
