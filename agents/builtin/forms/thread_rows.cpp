#include "agents/builtin/forms/thread_rows.h"

#include "agents/builtin/contraction/uniform_expressions.h"
#include "agents/builtin/loops/parallel_loop.h"
#include "agents/builtin/loops/scene_loops.h"
#include "agents/builtin/pointwise/guarded_body.h"
#include "agents/builtin/probe/kernel_prober.h"
#include "base/sequence.h"
#include "base/text.h"

#include <algorithm>
#include <array>

namespace warpmind::agents::builtin {
namespace {

constexpr std::array<std::string_view, 4> kPositions{"threadIdx", "blockIdx", "blockDim",
                                                     "gridDim"};
constexpr std::array<std::string_view, 4> kLoops{"for_statement", "while_statement", "do_statement",
                                                 "for_range_loop"};
constexpr std::array<char, 3> kAxes{'x', 'y', 'z'};
constexpr int kDeepest = 12;  // locals that are made of locals

bool holds_loop(const SyntaxTree& tree, NodeId node) {
  return std::any_of(kLoops.begin(), kLoops.end(),
                     [&](auto kind) { return !tree.descendants(node, kind).empty(); });
}

/// `if (…) return;`, in a loop over rows also `if (…) continue;`.
bool is_leaving(const SyntaxTree& tree, NodeId statement, bool in_row_loop) {
  if (!tree.is(statement, "if_statement") || tree.field(statement, "alternative") != kNoNode) {
    return false;
  }
  const auto inner = statements_of(tree, tree.field(statement, "consequence"));
  if (inner.size() != 1) return false;
  return tree.is(inner[0], in_row_loop ? "continue_statement" : "return_statement");
}

/// Whether `jump` leaves `loop` itself, no loop inside of it.
bool is_own_jump(const SyntaxTree& tree, NodeId jump, NodeId loop) {
  for (NodeId up = tree.node(jump).parent; up != loop && up != kNoNode; up = tree.node(up).parent) {
    if (contains(kLoops, tree.node(up).kind) || tree.is(up, "switch_statement")) return false;
  }
  return true;
}

}  // namespace

ThreadRows::ThreadRows(const Scene& scene, std::size_t launch, const Function& function)
    : scene_(&scene),
      launch_(launch),
      body_(std::make_unique<KernelBody>(scene.source(), function)),
      launches_(scene.launches_of(launch)) {}

Result<ThreadRows> ThreadRows::read(const Scene& scene, std::size_t launch) {
  const auto refuse = [](std::string why) { return fail(Errc::not_found, std::move(why)); };
  const Function* function = scene.function_of(launch);
  if (function == nullptr) return refuse("a kernel is not defined once");
  if (auto why = reason_not_to_edit(scene.source(), *function); !why.empty()) return refuse(why);
  ThreadRows rows(scene, launch, *function);
  if (rows.launches_.empty()) return refuse("it is never launched");
  for (const Call& call : rows.body_->calls()) {
    if (call.kind == CallKind::pure) continue;
    return refuse("'" + function->name + "' calls '" + call.name +
                  (call.kind == CallKind::unknown ? "', which is not known" : "'"));
  }
  for (const Local& local : rows.body_->locals()) {
    if (local.is_shared) return refuse("threads of '" + function->name + "' share memory");
  }
  for (const Write& write : rows.body_->writes()) {
    if (write.local == nullptr) {
      return refuse("'" + std::string(scene.tree().text(write.identifier)) +
                    "', which is no local variable, is written");
    }
  }
  for (auto step : {&ThreadRows::find_row, &ThreadRows::find_positions, &ThreadRows::find_items,
                    &ThreadRows::find_count}) {
    if (auto why = (rows.*step)(); !why.empty()) return refuse(std::move(why));
  }
  return rows;
}

bool ThreadRows::is_row_number(const Local& local) const {
  if (!is_integer_type(local.type) || size_of_type(local.type) < 4 || local.is_pointer ||
      local.is_array || local.is_reference || local.value == kNoNode) {
    return false;
  }
  // At other sizes, axes of one block or thread may have more: the number must look at them.
  const std::string made_of = expanded_text(local.value, 0);
  const Launch& launch = scene_->plan().launches[launch_];
  for (std::size_t axis = 0; axis < kAxes.size(); ++axis) {
    const auto looks_at = [&](const char* name) {
      return made_of.find(std::string(name) + "." + kAxes.at(axis)) != std::string::npos;
    };
    if (launch.grid.at(axis) != "1" && !looks_at("blockIdx")) return false;
    if (launch.block.at(axis) != "1" && !looks_at("threadIdx")) return false;
  }
  return std::all_of(launches_.begin(), launches_.end(), [&](const SceneLaunch& shape) {
    const KernelProber prober(scene_->source(), function(), shape);
    return is_flat_thread(prober, local.value) == true;
  });
}

std::string ThreadRows::expanded_text(NodeId expression, int depth) const {
  if (expression == kNoNode || depth > kDeepest) return {};
  std::string all = scene_->tree().plain_text(expression);
  for (const NodeId name : scene_->tree().descendants(expression, "identifier")) {
    const Local* local = body_->local_of(name);
    if (local != nullptr) all += " " + expanded_text(local->value, depth + 1);
  }
  return all;
}

std::string ThreadRows::find_row() {
  const SyntaxTree& tree = scene_->tree();
  for (const Local& local : body_->locals()) {
    if (!is_row_number(local)) continue;
    const NodeId declaration = tree.node(tree.node(local.identifier).parent).parent;
    const NodeId loop = tree.node(declaration).parent;
    if (tree.is(loop, "for_statement")) {
      row_loop_ = loop;
    } else if (body_->written_in(local, function().body)) {
      continue;
    }
    row_ = &local;
    return {};
  }
  return "no variable of '" + function().name + "' is the number of the thread";
}

/// Thread numbers may only serve the row's number, and the step from row to row.
std::string ThreadRows::find_positions() {
  const SyntaxTree& tree = scene_->tree();
  std::vector<NodeId> allowed{row_->value};
  if (row_loop_ != kNoNode) {
    const auto loop = counted_loop(*body_, row_loop_);
    if (!loop) return loop.error().message;
    const auto breaks = tree.descendants(row_loop_, "break_statement");
    const bool may_end = std::any_of(breaks.begin(), breaks.end(), [&](NodeId jump) {
      return is_own_jump(tree, jump, row_loop_);
    });
    if (loop->step == kNoNode || loop->is_inclusive || may_end) {
      return "rows are not shared out by a stride";
    }
    for (const SceneLaunch& shape : launches_) {
      const KernelProber prober(scene_->source(), function(), shape);
      if (prober.value(loop->step, prober.position(0)) != shape.threads()) {
        return "a thread's next row is not as many rows away as there are threads";
      }
    }
    allowed.push_back(loop->step);
  }
  const auto is_allowed = [&](NodeId node) {
    return std::any_of(allowed.begin(), allowed.end(),
                       [&](NodeId outer) { return tree.contains(outer, node); });
  };
  bool grew = true;
  while (grew) {
    grew = false;
    for (const Local& local : body_->locals()) {
      if (&local == row_ || local.value == kNoNode || is_allowed(local.value)) continue;
      const auto uses = body_->uses_of(local, function().body);
      if (uses.empty() || body_->written_in(local, function().body) ||
          !std::all_of(uses.begin(), uses.end(), is_allowed)) {
        continue;
      }
      const NodeId declaration = tree.ancestor(local.identifier, "declaration");
      if (only_declarator(tree, declaration) == kNoNode) continue;
      allowed.push_back(local.value);
      dropped_.insert(declaration);
      grew = true;
    }
  }
  for (const std::string_view kind : {"preproc_def", "preproc_function_def"}) {
    for (const NodeId macro : tree.descendants(tree.root(), kind)) {
      const auto name = tree.text(tree.field(macro, "name"));
      const bool is_position =
          std::any_of(kPositions.begin(), kPositions.end(), [&](std::string_view position) {
            return tree.text(macro).find(position) != std::string_view::npos;
          });
      if (is_position && !tree.uses(function().body, name).empty()) {
        return "the macro '" + std::string(name) + "' names threads";
      }
    }
  }
  for (const NodeId name : tree.descendants(function().body, "identifier")) {
    if (contains(kPositions, tree.text(name)) && !is_allowed(name)) {
      return "threads of a block differ by more than '" + row_->name + "'";
    }
  }
  return {};
}

std::string ThreadRows::find_items() {
  const SyntaxTree& tree = scene_->tree();
  std::vector<NodeId> list = tree.children(function().body);
  std::vector<NodeId> leaving;
  bool in_row_loop = false;
  for (std::size_t at = 0; at < list.size();) {
    const NodeId statement = list[at++];
    const bool is_last = at == list.size();
    if (statement == row_loop_) {
      if (!is_last) return "statements follow the loop over rows";
      items_.push_back({row_loop_, false, false});
      list = statements_of(tree, tree.field(row_loop_, "body"));
      at = 0;
      in_row_loop = true;
      continue;
    }
    if (is_leaving(tree, statement, in_row_loop)) {
      items_.push_back({tree.bare(tree.field(statement, "condition")), true, true});
      leaving.push_back(statement);
      continue;
    }
    if (is_last && tree.is(statement, "if_statement") &&
        tree.field(statement, "alternative") == kNoNode && holds_loop(tree, statement)) {
      items_.push_back({tree.bare(tree.field(statement, "condition")), true, false});
      list = statements_of(tree, tree.field(statement, "consequence"));
      at = 0;
      continue;
    }
    items_.push_back({statement, false, false});
  }
  for (const std::string_view kind : {"return_statement", "continue_statement"}) {
    for (const NodeId jump : tree.descendants(function().body, kind)) {
      const bool is_inner = kind == "continue_statement" &&
                            (row_loop_ == kNoNode || !is_own_jump(tree, jump, row_loop_));
      if (!is_inner && std::none_of(leaving.begin(), leaving.end(), [&](NodeId statement) {
            return tree.contains(statement, jump);
          })) {
        return "a thread leaves its row in the middle";
      }
    }
  }
  const NodeId declaration = tree.ancestor(row_->identifier, "declaration");
  if (row_loop_ == kNoNode && only_declarator(tree, declaration) == kNoNode) {
    return "'" + row_->name + "' is declared together with others";
  }
  const NodeId place = row_loop_ == kNoNode ? declaration : row_loop_;
  const bool is_there = std::any_of(items_.begin(), items_.end(),
                                    [&](const RowItem& item) { return item.node == place; });
  return is_there ? std::string() : "'" + row_->name + "' is declared under a condition";
}

std::string ThreadRows::find_count() {
  if (row_loop_ != kNoNode) {
    const auto loop = counted_loop(*body_, row_loop_);
    const UniformExpressions expressions(*scene_, function(), launches_);
    const auto closed = expressions.closed_text(loop->bound);
    const auto plan = closed ? expressions.plan_text(*closed) : std::nullopt;
    if (!plan) return "the plan cannot say how many rows there are";
    count_ = *plan;
    return {};
  }
  const Launch& launch = scene_->plan().launches[launch_];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::string part : {launch.grid.at(axis), launch.block.at(axis)}) {
      for (std::size_t other = 0; other < 3; ++other) {
        const std::string name = std::string("block_") + kAxes.at(other);
        for (std::size_t found = part.find(name); found != std::string::npos;
             found = part.find(name)) {
          part.replace(found, name.size(), "(" + launch.block.at(other) + ")");
        }
      }
      if (part == "1") continue;
      count_ += (count_.empty() ? "(" : " * (") + part + ")";
    }
  }
  if (count_.empty()) count_ = "1";
  return {};
}

std::int64_t ThreadRows::count_of(const SceneLaunch& launch) const {
  for (const Workload& workload : scene_->context().task.workloads) {
    if (workload.name != launch.workload) continue;
    const auto names = names_of(scene_->plan(), workload.sizes);
    const auto number = names ? evaluate(count_, *names) : Result<std::int64_t>(0);
    if (number && *number > 0) return *number;
  }
  return launch.threads();
}

std::string ThreadRows::index_type() const {
  return size_of_type(row_->type) > 4 ? "unsigned long long" : "unsigned";
}

bool ThreadRows::depends(NodeId expression, int depth) const {
  if (expression == kNoNode || depth > kDeepest) return depth > kDeepest;
  for (const NodeId name : scene_->tree().descendants(expression, "identifier")) {
    const Local* local = body_->local_of(name);
    if (local == nullptr) continue;
    if (local == row_ || depends(local->value, depth + 1)) return true;
  }
  return false;
}

std::set<std::string_view> ThreadRows::names_in(NodeId node) const {
  std::set<std::string_view> names;
  for (const NodeId use : scene_->tree().descendants(node, "identifier")) {
    names.insert(scene_->tree().text(use));
  }
  return names;
}

std::string ThreadRows::row_line() const {
  return "    const " + row_->type + " " + row_->name + " = static_cast<" + row_->type +
         ">(wm_row);\n";
}

std::string ThreadRows::text(NodeId node) const {
  return edited_part(scene_->tree().source(), scene_->tree().node(node).range, {});
}

std::vector<RowItem> ThreadRows::items_before(NodeId target, std::set<std::string_view> needed,
                                              bool with_guards) const {
  const SyntaxTree& tree = scene_->tree();
  const ProbeProgram program(scene_->source());
  const NodeId declaration = tree.ancestor(row_->identifier, "declaration");
  std::vector<RowItem> found;
  for (auto item = items_.rbegin(); item != items_.rend(); ++item) {
    if (item->node == row_loop_ || item->node == declaration) {
      if (needed.contains(row_->name)) found.push_back(*item);
      continue;
    }
    if (item->node >= target || dropped_.contains(item->node)) continue;
    const auto& written = program.written(item->node);
    bool is_needed =
        item->is_guard ? with_guards
                       : std::any_of(written.begin(), written.end(),
                                     [&](std::string_view name) { return needed.contains(name); });
    for (const NodeId part : tree.descendants(item->node)) {
      if (is_needed || item->is_guard || tree.node(part).field != "declarator") continue;
      const NodeId name = tree.declared(part);
      is_needed = name != kNoNode && needed.contains(tree.text(name));
    }
    if (!is_needed) continue;
    needed.merge(names_in(item->node));
    found.push_back(*item);
  }
  std::reverse(found.begin(), found.end());
  return found;
}

std::string ThreadRows::before(NodeId target, const std::set<std::string_view>& needed,
                               bool with_guards) const {
  const NodeId declaration = scene_->tree().ancestor(row_->identifier, "declaration");
  std::string all;
  for (const RowItem& item : items_before(target, needed, with_guards)) {
    if (item.node == row_loop_ || item.node == declaration) {
      all += row_line();
    } else if (!item.is_guard) {
      all += "    " + text(item.node) + "\n";
    } else if (item.leaves) {
      all += "    if (" + text(item.node) + ") return;\n";
    } else {
      all += "    if (!(" + text(item.node) + ")) return;\n";
    }
  }
  return all;
}

std::string ThreadRows::work(std::vector<TextEdit> edits) const {
  const SyntaxTree& tree = scene_->tree();
  for (const NodeId declaration : dropped_) edits.push_back({tree.node(declaration).range, ""});
  if (row_loop_ == kNoNode) {
    edits.push_back({tree.node(row_->value).range, "static_cast<" + row_->type + ">(wm_row)"});
  } else {
    const NodeId body = tree.field(row_loop_, "body");
    std::string head = "{\n" + row_line();
    edits.push_back(
        {{tree.node(row_loop_).range.begin, tree.node(body).range.begin}, std::move(head)});
    edits.push_back({{tree.node(body).range.end, tree.node(body).range.end}, "\n    }"});
    for (const NodeId jump : tree.descendants(body, "continue_statement")) {
      if (is_own_jump(tree, jump, row_loop_)) edits.push_back({tree.node(jump).range, "return;"});
    }
  }
  return "    " + edited_part(tree.source(), tree.node(function().body).range, edits) + "\n";
}

std::vector<std::string> ThreadRows::parameters() const {
  std::vector<std::string> texts;
  for (const Parameter& parameter : function().parameters) {
    const auto is_stored = [&](const MemoryAccess& access) {
      return access.is_store && (access.root.empty() || access.root == parameter.name);
    };
    const bool is_alone =
        parameter.is_pointer && parameter.is_const &&
        std::none_of(body_->accesses().begin(), body_->accesses().end(), is_stored);
    texts.push_back(parameter.type + (is_alone ? " __restrict__ " : " ") + parameter.name);
  }
  texts.push_back(size_of_type(row_->type) > 4 ? "long long wm_row_count"
                                               : "unsigned wm_row_count");
  return texts;
}

std::vector<std::string> ThreadRows::arguments() const {
  std::vector<std::string> all = scene_->plan().launches[launch_].arguments;
  all.push_back((size_of_type(row_->type) > 4 ? "i64:" : "u32:") + count_);
  return all;
}

std::string ThreadRows::elements_of(const std::string& parameter) const {
  const auto& parameters = function().parameters;
  const auto& given = scene_->plan().launches[launch_].arguments;
  for (std::size_t i = 0; i < parameters.size() && i < given.size(); ++i) {
    if (parameters[i].name != parameter) continue;
    for (const Argument& argument : scene_->context().task.arguments) {
      if (argument.name != given[i]) continue;
      return join_text(argument.shape, " * ",
                       [](const std::string& extent) { return "(" + extent + ")"; });
    }
    for (const ScratchBuffer& scratch : scene_->plan().scratch) {
      if (scratch.name == given[i]) return "(" + scratch.elements + ")";
    }
  }
  return {};
}

std::string ThreadRows::obstacle_to_reading(NodeId node) const {
  const SyntaxTree& tree = scene_->tree();
  const BufferNames buffer = buffer_names(*scene_, function());
  for (const MemoryAccess& load : body_->accesses()) {
    if (!load.is_load || load.is_private || !tree.contains(node, load.node)) continue;
    if (load.root.empty()) {
      return "it is not known where '" + tree.plain_text(load.node) + "' points";
    }
    for (const MemoryAccess& store : body_->accesses()) {
      if (!store.is_store || store.is_private) continue;
      if (store.root.empty() || buffer(store.root) == buffer(load.root)) {
        return "'" + tree.plain_text(load.node) + "' is written, too";
      }
    }
  }
  return {};
}

std::int64_t extent_of(const SceneLaunch& launch, const std::string& root) {
  const auto found = launch.extents.find(root);
  return found == launch.extents.end() ? 0 : found->second;
}

}  // namespace warpmind::agents::builtin
