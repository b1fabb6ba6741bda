#include "profilers/simulator/program/shared_layout.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>

namespace warpmind::simulator {
namespace {

using Index = std::size_t;

struct FunctionUse {
  std::set<Index> variables;
  std::set<Index> callees;
  bool calls_pointer = false;
};

/// Which function names which shared variable, and calls which function.
class UseGraph {
 public:
  explicit UseGraph(const ptx::Module& module) : module_(module), uses_(module.functions.size()) {
    for (const auto& variable : module.variables) {
      for (const auto& reference : variable.references) addressed_.insert(reference.symbol);
      if (variable.space == ptx::Space::shared) {
        module_names_.emplace(variable.name, variables_.size());
        variables_.push_back(&variable);
      }
    }
    for (Index f = 0; f < module.functions.size(); ++f) {
      if (!module.functions[f].is_declaration) functions_.emplace(module.functions[f].name, f);
    }
    for (Index f = 0; f < module.functions.size(); ++f) scan(f);
  }

  [[nodiscard]] const std::vector<const ptx::Variable*>& variables() const { return variables_; }
  [[nodiscard]] const FunctionUse& use(Index function) const { return uses_[function]; }

  /// `root` and everything it can call.
  [[nodiscard]] std::set<Index> reach(Index root) const {
    std::set<Index> reached{root};
    std::vector<Index> waiting{root};
    const auto visit = [&](Index function) {
      if (reached.insert(function).second) waiting.push_back(function);
    };
    while (!waiting.empty()) {
      const FunctionUse& use = uses_[waiting.back()];
      waiting.pop_back();
      for (const Index callee : use.callees) visit(callee);
      if (!use.calls_pointer) continue;
      for (const auto& name : addressed_) {
        const auto found = functions_.find(name);
        if (found != functions_.end()) visit(found->second);
      }
    }
    return reached;
  }

 private:
  void scan(Index f) {
    const ptx::Function& function = module_.functions[f];
    std::unordered_map<std::string_view, Index> own;
    for (const auto& variable : function.variables) {
      if (variable.space != ptx::Space::shared) continue;
      own.emplace(variable.name, variables_.size());
      variables_.push_back(&variable);
    }
    for (const auto& statement : function.body) {
      const bool is_call = statement.opcode == "call";
      if (is_call) scan_call(statement, uses_[f]);
      for (const auto& operand : statement.operands) {
        if (!operand.name.empty()) scan_name(operand.name, own, is_call, uses_[f]);
      }
    }
  }
  void scan_call(const ptx::Statement& statement, FunctionUse& use) const {
    for (const auto& operand : statement.operands) {
      if (operand.kind != ptx::OperandKind::name) continue;
      const auto found = functions_.find(operand.name);
      if (found != functions_.end()) {
        use.callees.insert(found->second);
      } else if (operand.name.starts_with('%')) {
        use.calls_pointer = true;
      }
      break;  // what follows is the prototype
    }
  }
  void scan_name(const std::string& name, const std::unordered_map<std::string_view, Index>& own,
                 bool is_call, FunctionUse& use) {
    if (name.front() == '%') return;
    if (const auto found = own.find(name); found != own.end()) {
      use.variables.insert(found->second);
    } else if (const auto shared = module_names_.find(name); shared != module_names_.end()) {
      use.variables.insert(shared->second);
    } else if (!is_call && functions_.contains(name)) {
      addressed_.insert(name);
    }
  }

  const ptx::Module& module_;
  std::vector<FunctionUse> uses_;
  std::vector<const ptx::Variable*> variables_;
  std::unordered_map<std::string_view, Index> module_names_;
  std::unordered_map<std::string_view, Index> functions_;
  std::set<std::string> addressed_;  ///< names whose address is taken: calls may come out there
};

/// A kernel, or a function that no kernel calls, and what it reaches.
struct Root {
  std::set<Index> functions;
  std::uint64_t end = 0;
};

bool is_dynamic(const ptx::Variable& variable) { return variable.is_extern || variable.bytes == 0; }

std::uint64_t align(std::uint64_t offset, std::uint32_t alignment) {
  const std::uint64_t step = std::max<std::uint32_t>(alignment, 1);
  return (offset + step - 1) / step * step;
}

std::vector<Root> find_roots(const ptx::Module& module, const UseGraph& graph) {
  std::vector<Root> roots;
  std::set<Index> reached;
  const auto add = [&](Index function) {
    roots.push_back({graph.reach(function), 0});
    reached.insert(roots.back().functions.begin(), roots.back().functions.end());
  };
  for (Index f = 0; f < module.functions.size(); ++f) {
    if (module.functions[f].is_entry) add(f);
  }
  for (Index f = 0; f < module.functions.size(); ++f) {
    if (!reached.contains(f)) add(f);
  }
  return roots;
}

bool names(const Root& root, const UseGraph& graph, Index variable) {
  return std::any_of(root.functions.begin(), root.functions.end(), [&](Index function) {
    return graph.use(function).variables.contains(variable);
  });
}

/// Static variables, in the order of their declaration.
std::vector<std::uint64_t> place_static(const UseGraph& graph, std::vector<Root>& roots) {
  std::vector<std::uint64_t> offsets(graph.variables().size(), 0);
  for (Index v = 0; v < offsets.size(); ++v) {
    const ptx::Variable& variable = *graph.variables()[v];
    if (is_dynamic(variable)) continue;
    std::vector<Root*> users;
    for (auto& root : roots) {
      if (names(root, graph, v)) users.push_back(&root);
    }
    for (const Root* user : users) offsets[v] = std::max(offsets[v], user->end);
    offsets[v] = align(offsets[v], variable.alignment);
    for (Root* user : users) user->end = offsets[v] + variable.bytes;
  }
  return offsets;
}

struct DynamicStart {
  bool is_used = false;
  std::uint64_t offset = 0;
};

/// Where dynamic memory starts for each root: after its static part, and alike for roots that share
/// a function which names it. Only ever grows, up to the largest: ends.
std::vector<DynamicStart> place_dynamic(const UseGraph& graph, const std::vector<Root>& roots,
                                        std::size_t functions) {
  std::uint32_t alignment = 16;
  for (const auto* variable : graph.variables()) {
    if (is_dynamic(*variable)) alignment = std::max(alignment, variable->alignment);
  }
  std::vector<DynamicStart> starts(roots.size());
  std::vector<bool> names_dynamic(functions, false);
  for (Index r = 0; r < roots.size(); ++r) {
    for (const Index function : roots[r].functions) {
      for (const Index v : graph.use(function).variables) {
        if (!is_dynamic(*graph.variables()[v])) continue;
        starts[r].is_used = names_dynamic[function] = true;
      }
    }
    starts[r].offset = align(roots[r].end, alignment);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (Index f = 0; f < functions; ++f) {
      if (!names_dynamic[f]) continue;
      std::uint64_t latest = 0;
      for (Index r = 0; r < roots.size(); ++r) {
        if (roots[r].functions.contains(f)) latest = std::max(latest, starts[r].offset);
      }
      for (Index r = 0; r < roots.size(); ++r) {
        if (!roots[r].functions.contains(f) || starts[r].offset == latest) continue;
        starts[r].offset = latest;
        changed = true;
      }
    }
  }
  return starts;
}

}  // namespace

std::vector<SharedView> lay_out_shared(const ptx::Module& module) {
  const UseGraph graph(module);
  std::vector<SharedView> views(module.functions.size());
  if (graph.variables().empty()) return views;
  std::vector<Root> roots = find_roots(module, graph);
  const std::vector<std::uint64_t> offsets = place_static(graph, roots);
  const std::vector<DynamicStart> starts = place_dynamic(graph, roots, views.size());
  for (Index r = 0; r < roots.size(); ++r) {
    for (const Index f : roots[r].functions) {
      SharedView& view = views[f];
      // A function that several roots reach gets the same from each.
      for (const Index v : graph.use(f).variables) {
        const ptx::Variable& variable = *graph.variables()[v];
        const std::uint64_t offset = is_dynamic(variable) ? starts[r].offset : offsets[v];
        view.offsets.insert_or_assign(variable.name, static_cast<std::uint32_t>(offset));
      }
      view.bytes = std::max(view.bytes, starts[r].is_used ? starts[r].offset : roots[r].end);
      view.uses_dynamic = view.uses_dynamic || starts[r].is_used;
    }
  }
  return views;
}

}  // namespace warpmind::simulator
