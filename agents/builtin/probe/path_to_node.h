#pragma once
/// \file
/// Brings one thread to a place of a function: runs what stands before it on the way.

#include "agents/builtin/probe/integer_interpreter.h"

#include <optional>

namespace warpmind::agents::builtin {

using LoopIterations = std::map<NodeId, std::int64_t>;

class PathToNode {
 public:
  /// Both must outlive it. `iterations` may name loops that are not on the way.
  PathToNode(IntegerInterpreter& interpreter, const LoopIterations& iterations)
      : interpreter_(&interpreter), iterations_(&iterations) {}

  /// Whether the thread gets to `target` below `body`, as far as it is known; the interpreter then
  /// stands just before it. nullopt: `target` lies in code that cannot be followed.
  [[nodiscard]] std::optional<bool> walk(NodeId body, NodeId target);
  /// As walk(), to a loop, and its initializer is run too.
  [[nodiscard]] std::optional<bool> walk_into(NodeId body, NodeId loop);

 private:
  [[nodiscard]] const SyntaxTree& tree() const { return interpreter_->program().tree(); }
  /// Between `outer` and its child `inner`. Same answers.
  std::optional<bool> step(NodeId outer, NodeId inner);
  bool run_before(NodeId block, NodeId child);
  bool pass(const Value& condition, bool wanted);
  bool enter_loop(NodeId loop, NodeId child);
  void initialise(NodeId loop);
  bool iterate(NodeId loop, std::int64_t count);
  bool jump(NodeId loop, std::int64_t count);

  IntegerInterpreter* interpreter_;
  const LoopIterations* iterations_;
};

/// `i += step` as the update of a loop: the variable, and the expression of its step.
struct LoopStep {
  std::string_view variable;
  NodeId amount = kNoNode;  ///< kNoNode: 1
  bool down = false;
};
/// nullopt when the update is of another form.
[[nodiscard]] std::optional<LoopStep> step_of(const SyntaxTree& tree, NodeId loop);

/// How often the loop at which the interpreter stands runs, its initializer done; nullopt when that
/// hangs on something unknown or on what the body does.
[[nodiscard]] std::optional<std::int64_t> count_trips(IntegerInterpreter& interpreter, NodeId loop);

}  // namespace warpmind::agents::builtin
