#include "profilers/simulator/program/cfg.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace warpmind::simulator {
namespace {

using Node = std::uint32_t;
using Edges = std::vector<std::vector<Node>>;

bool reads_clock(const Program& program, const Instruction& instruction) {
  return std::any_of(program.specials.begin(), program.specials.end(), [&](const auto& special) {
    return is_clock(special.which) && instruction.a == special.slot;
  });
}

std::vector<bool> find_leaders(const Program& program) {
  std::vector<bool> leads(program.code.size() + 1, false);
  leads[0] = true;
  for (const auto& instruction : program.code) {
    if (instruction.flow != Flow::next) leads[instruction.index + 1] = true;
    if (instruction.flow == Flow::branch && instruction.target >= 0) {
      leads[static_cast<std::size_t>(instruction.target)] = true;
    }
    // Clocks go on from block to block: two reads in a row must differ.
    if (program.reads_clock && reads_clock(program, instruction)) leads[instruction.index] = true;
  }
  for (const auto& table : program.tables) {
    for (const std::int32_t pc : table) leads[static_cast<std::size_t>(pc)] = true;
  }
  return leads;
}

void make_blocks(Program& program) {
  const std::vector<bool> leads = find_leaders(program);
  const auto size = static_cast<std::uint32_t>(program.code.size());
  program.blocks.clear();
  program.block_of.assign(size, 0);
  for (std::uint32_t pc = 0; pc < size; ++pc) {
    if (leads[pc]) program.blocks.push_back({pc, pc, -1});
    program.blocks.back().end = pc + 1;
    program.block_of[pc] = static_cast<std::uint32_t>(program.blocks.size() - 1);
  }
}

/// Edges against the flow, with one more node, the exit, from which all blocks can be reached.
class ReversedGraph {
 public:
  explicit ReversedGraph(const Edges& flow)
      : exit_(static_cast<Node>(flow.size())),
        successors_(flow.size() + 1),
        predecessors_(flow.size() + 1) {
    for (Node block = 0; block < exit_; ++block) {
      for (const Node after : flow[block]) add_edge(block, after);
    }
    order_from_exit();
  }

  [[nodiscard]] Node exit() const { return exit_; }
  /// Reverse postorder from the exit.
  [[nodiscard]] const std::vector<Node>& order() const { return order_; }
  [[nodiscard]] const std::vector<Node>& successors(Node node) const { return successors_[node]; }

 private:
  void add_edge(Node from, Node to) {
    successors_[from].push_back(to);
    predecessors_[to].push_back(from);
  }
  /// Depth first without recursion: generated kernels have thousands of blocks in a row.
  void visit(Node root, std::vector<bool>& seen) {
    std::vector<std::pair<Node, std::size_t>> path{{root, 0}};
    seen[root] = true;
    while (!path.empty()) {
      auto& [node, next] = path.back();
      if (next == predecessors_[node].size()) {
        order_.push_back(node);
        path.pop_back();
        continue;
      }
      const Node before = predecessors_[node][next++];
      if (!seen[before]) {
        seen[before] = true;
        path.emplace_back(before, 0);
      }
    }
  }
  void order_from_exit() {
    // Blocks of a loop without end do not lead to the exit: an edge from the last one makes them.
    std::vector<bool> seen(successors_.size(), false);
    seen[exit_] = true;
    for (const Node before : std::vector<Node>(predecessors_[exit_])) {
      if (!seen[before]) visit(before, seen);
    }
    for (Node block = exit_; block-- > 0;) {
      if (seen[block]) continue;
      add_edge(block, exit_);
      visit(block, seen);
    }
    order_.push_back(exit_);
    std::reverse(order_.begin(), order_.end());
  }

  Node exit_;
  Edges successors_;
  Edges predecessors_;
  std::vector<Node> order_;
};

/// "A Simple, Fast Dominance Algorithm" (Cooper, Harvey, Kennedy 2001) against the flow.
std::vector<Node> post_dominators_of(const ReversedGraph& graph) {
  const std::vector<Node>& order = graph.order();
  std::vector<std::uint32_t> rank(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  constexpr Node kUnknown = ~Node{0};
  std::vector<Node> dominator(order.size(), kUnknown);
  dominator[graph.exit()] = graph.exit();
  const auto meet = [&](Node a, Node b) {
    while (a != b) {
      while (rank[a] > rank[b]) a = dominator[a];
      while (rank[b] > rank[a]) b = dominator[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 1; i < order.size(); ++i) {
      Node found = kUnknown;
      for (const Node after : graph.successors(order[i])) {
        if (dominator[after] == kUnknown) continue;
        found = found == kUnknown ? after : meet(found, after);
      }
      if (found != dominator[order[i]]) {
        dominator[order[i]] = found;
        changed = true;
      }
    }
  }
  return dominator;
}

}  // namespace

std::vector<std::uint32_t> block_successors(const Program& program, std::uint32_t block) {
  std::vector<Node> after;
  const auto add = [&](std::int32_t pc) {
    const auto at = static_cast<std::size_t>(pc);
    after.push_back(at < program.block_of.size() ? program.block_of[at]
                                                 : static_cast<Node>(program.blocks.size()));
  };
  const std::uint32_t end = program.blocks[block].end;
  const Instruction& last = program.code[end - 1];
  bool falls_through = last.guard != kNoSlot;
  switch (last.flow) {
    case Flow::branch: add(last.target); break;
    case Flow::branch_table:
      for (const auto pc : program.tables[static_cast<std::size_t>(last.target)]) add(pc);
      break;
    case Flow::exit:
    case Flow::ret: after.push_back(static_cast<Node>(program.blocks.size())); break;
    case Flow::next:
    case Flow::call:
    case Flow::barrier:
    case Flow::wait: falls_through = true; break;
  }
  if (falls_through) add(static_cast<std::int32_t>(end));
  return after;
}

std::vector<std::uint32_t> find_post_dominators(
    const std::vector<std::vector<std::uint32_t>>& successors) {
  return post_dominators_of(ReversedGraph(successors));
}

void analyse_control_flow(Program& program) {
  if (program.code.empty()) return;
  make_blocks(program);
  const auto exit = static_cast<Node>(program.blocks.size());
  Edges flow(exit);
  for (Node block = 0; block < exit; ++block) flow[block] = block_successors(program, block);
  const std::vector<Node> dominator = find_post_dominators(flow);
  for (Node block = 0; block < exit; ++block) {
    const bool is_exit = dominator[block] == exit;
    BasicBlock& filled = program.blocks[block];
    filled.immediate_post_dominator = is_exit ? -1 : static_cast<std::int32_t>(dominator[block]);
    Instruction& last = program.code[filled.end - 1];
    if (last.flow == Flow::branch || last.flow == Flow::branch_table) {
      last.reconvergence =
          is_exit ? -1 : static_cast<std::int32_t>(program.blocks[dominator[block]].begin);
    }
  }
}

}  // namespace warpmind::simulator
