#include "agents/builtin/probe/kernel_prober.h"

#include "agents/builtin/probe/path_to_node.h"
#include "agents/builtin/probe/probe_points.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace warpmind::agents::builtin {
namespace {

IntegerInterpreter interpreter_at(const ProbeProgram& program, const Function& function,
                                  const SceneLaunch& launch, const ThreadPosition& thread) {
  IntegerInterpreter interpreter(program);
  std::array<std::int64_t, 3> block{};
  std::array<std::int64_t, 3> grid{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    block.at(axis) = launch.shape.block.at(axis);
    grid.at(axis) = launch.shape.grid.at(axis);
  }
  interpreter.set_position({thread.thread, thread.block, block, grid});
  std::int64_t buffer = 0;
  for (const auto& parameter : function.parameters) {
    ++buffer;
    if (parameter.is_pointer) {
      const ValueType type = value_type(parameter.type, program.aliases());
      interpreter.declare(parameter.name, Value::buffer(buffer, type.bytes));
      continue;
    }
    const ValueType type = value_type(parameter.type, program.aliases());
    const auto scalar = launch.scalars.find(parameter.name);
    const Value given = scalar == launch.scalars.end()
                            ? Value::unknown(type)
                            : Value::exactly(scalar->second, {ValueType::Kind::integer, true, 8});
    interpreter.declare(parameter.name, converted(given, type));
  }
  return interpreter;
}

std::shared_ptr<const ProbeProgram> program_of(const CudaSource& source,
                                               const SceneLaunch& launch) {
  if (launch.program != nullptr && launch.program->is_of(source)) return launch.program;
  return std::make_shared<const ProbeProgram>(source, launch.constants);
}

std::string buffer_name(const CudaSource& source, const Function& function, std::int64_t number) {
  if (number >= 1 && static_cast<std::size_t>(number) <= function.parameters.size()) {
    return function.parameters[static_cast<std::size_t>(number) - 1].name;
  }
  for (const NodeId name : source.tree.descendants(function.body, "identifier")) {
    if (256 + static_cast<std::int64_t>(name % 200000U) == number) {
      return std::string(source.tree.text(name));
    }
  }
  return {};
}

/// The declarator with a value that declares the variable at `node`, or kNoNode.
NodeId declarator_of(const SyntaxTree& tree, NodeId node) {
  if (!tree.is(node, "identifier")) return kNoNode;
  for (NodeId at = node; tree.node(at).field == "declarator"; at = tree.node(at).parent) {
    if (tree.is(tree.node(at).parent, "init_declarator")) return tree.node(at).parent;
  }
  return kNoNode;
}

}  // namespace

KernelProber::KernelProber(const CudaSource& source, const Function& function,
                           const SceneLaunch& launch)
    : source_(&source),
      function_(&function),
      launch_(&launch),
      program_(program_of(source, launch)) {}

std::int64_t KernelProber::threads() const {
  std::int64_t threads = 1;
  for (const auto extent : launch_->shape.grid) threads *= extent;
  for (const auto extent : launch_->shape.block) threads *= extent;
  return threads;
}

ThreadPosition KernelProber::position(std::int64_t flat) const {
  ThreadPosition position;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t block = launch_->shape.block.at(axis);
    const std::int64_t across = block * launch_->shape.grid.at(axis);
    position.block.at(axis) = flat % across / block;
    position.thread.at(axis) = flat % across % block;
    flat /= across;
  }
  return position;
}

Probe KernelProber::probe(NodeId expression, const ThreadPosition& thread,
                          const Iterations& at) const {
  auto interpreter = interpreter_at(*program_, *function_, *launch_, thread);
  const NodeId declarator = declarator_of(source_->tree, expression);
  const NodeId place = declarator == kNoNode ? expression : declarator;
  const auto arrives = PathToNode(interpreter, at).walk(function_->body, place);
  if (!arrives) return {};
  if (!*arrives) return {ProbeState::absent, 0};
  if (declarator != kNoNode) {
    interpreter.declare_from(declarator, source_->tree.node(declarator).parent);
  }
  const Value value = interpreter.evaluate(expression);
  if (!value.known) return {};
  return {ProbeState::found, value.type.is_pointer() ? value.elements() : value.number};
}

std::optional<std::int64_t> KernelProber::value(NodeId expression, const ThreadPosition& thread,
                                                const Iterations& at) const {
  const Probe found = probe(expression, thread, at);
  if (found.state != ProbeState::found) return std::nullopt;
  return found.value;
}

std::optional<Access> KernelProber::access(NodeId expression, const ThreadPosition& thread,
                                           const Iterations& at) const {
  auto interpreter = interpreter_at(*program_, *function_, *launch_, thread);
  const auto arrives = PathToNode(interpreter, at).walk(function_->body, expression);
  if (!arrives || !*arrives) return std::nullopt;
  const Value pointer = interpreter.address(expression);
  if (!pointer.known) return std::nullopt;
  return Access{buffer_name(*source_, *function_, pointer.buffer_number()), pointer.elements()};
}

std::optional<std::map<std::string, std::int64_t, std::less<>>> KernelProber::integers_at(
    NodeId place, const ThreadPosition& thread, const Iterations& at) const {
  auto interpreter = interpreter_at(*program_, *function_, *launch_, thread);
  const auto arrives = PathToNode(interpreter, at).walk(function_->body, place);
  if (!arrives || !*arrives) return std::nullopt;
  return interpreter.known_integers();
}

std::optional<bool> KernelProber::reaches(NodeId node, const ThreadPosition& thread,
                                          const Iterations& at) const {
  auto interpreter = interpreter_at(*program_, *function_, *launch_, thread);
  const auto arrives = PathToNode(interpreter, at).walk(function_->body, node);
  // Not getting there on the way that was taken for granted says nothing about the other ways.
  if (!interpreter.certain) return std::nullopt;
  return arrives;
}

std::optional<std::int64_t> KernelProber::trips(NodeId loop, const ThreadPosition& thread,
                                                const Iterations& at) const {
  auto interpreter = interpreter_at(*program_, *function_, *launch_, thread);
  const auto arrives = PathToNode(interpreter, at).walk_into(function_->body, loop);
  if (!arrives || !*arrives) return std::nullopt;
  return count_trips(interpreter, loop);
}

namespace {

constexpr int kThreads = 20;
constexpr int kIterations = 2;

/// Calls `visit` with every probe of `expression` until it answers false. False: a value was not
/// known, or `visit` ended it.
bool for_each_probe(
    const KernelProber& prober, NodeId expression,
    const std::function<bool(const ThreadPosition&, const Iterations&, std::int64_t)>& visit) {
  for (const auto& thread : probe_threads(prober, expression, kThreads)) {
    for (const auto& at : probe_iterations(prober, expression, thread, kIterations)) {
      const Probe found = prober.probe(expression, thread, at);
      if (found.state == ProbeState::unknown) return false;
      if (found.state == ProbeState::absent) continue;
      if (!visit(thread, at, found.value)) return false;
    }
  }
  return true;
}

/// Keeps a number that must be the same whenever it is seen.
class SameNumber {
 public:
  bool see(std::int64_t number) {
    if (seen_ && *seen_ != number) return false;
    seen_ = number;
    return true;
  }
  [[nodiscard]] std::optional<std::int64_t> number() const { return seen_; }

 private:
  std::optional<std::int64_t> seen_;
};

}  // namespace

std::optional<std::int64_t> stride_along_thread(const KernelProber& prober, NodeId expression,
                                                int axis) {
  const auto which = static_cast<std::size_t>(axis);
  const std::int64_t extent = prober.launch().shape.block.at(which);
  SameNumber stride;
  const bool whole =
      for_each_probe(prober, expression,
                     [&](const ThreadPosition& thread, const Iterations& at, std::int64_t value) {
                       // A neighbour on either side: the last active thread has none after it.
                       for (const int side : {1, -1}) {
                         ThreadPosition next = thread;
                         next.thread.at(which) += side;
                         if (next.thread.at(which) < 0 || next.thread.at(which) >= extent) continue;
                         const Probe neighbour = prober.probe(expression, next, at);
                         if (neighbour.state == ProbeState::unknown) return false;
                         if (neighbour.state == ProbeState::absent) continue;
                         if (!stride.see((neighbour.value - value) * side)) return false;
                       }
                       return true;
                     });
  return whole ? stride.number() : std::nullopt;
}

std::optional<std::int64_t> stride_along_loop(const KernelProber& prober, NodeId expression,
                                              NodeId loop) {
  SameNumber stride;
  const bool whole =
      for_each_probe(prober, expression,
                     [&](const ThreadPosition& thread, const Iterations& at, std::int64_t value) {
                       for (const int side : {1, -1}) {
                         Iterations next = at;
                         const std::int64_t iteration = next[loop] += side;
                         if (iteration < 0) continue;
                         const Probe neighbour = prober.probe(expression, thread, next);
                         if (neighbour.state == ProbeState::unknown) return false;
                         if (neighbour.state == ProbeState::absent) continue;
                         if (!stride.see((neighbour.value - value) * side)) return false;
                       }
                       return true;
                     });
  return whole ? stride.number() : std::nullopt;
}

std::optional<bool> is_uniform(const KernelProber& prober, NodeId expression) {
  const auto threads = probe_threads(prober, expression, kThreads);
  bool any = false;
  for (const auto& at : probe_iterations(prober, expression, threads.front(), kIterations)) {
    SameNumber same;
    for (const auto& thread : threads) {
      const Probe found = prober.probe(expression, thread, at);
      if (found.state == ProbeState::unknown) return std::nullopt;
      if (found.state == ProbeState::absent) continue;
      any = true;
      if (!same.see(found.value)) return false;
    }
  }
  return any ? std::optional<bool>(true) : std::nullopt;
}

std::optional<bool> is_flat_thread(const KernelProber& prober, NodeId expression) {
  const auto& shape = prober.launch().shape;
  bool any = false;
  bool differs = false;
  const bool whole = for_each_probe(
      prober, expression,
      [&](const ThreadPosition& thread, const Iterations& /*at*/, std::int64_t value) {
        std::int64_t flat = 0;
        for (std::size_t axis = 3; axis-- > 0;) {
          const std::int64_t block = shape.block.at(axis);
          flat = flat * block * shape.grid.at(axis) + thread.block.at(axis) * block +
                 thread.thread.at(axis);
        }
        any = true;
        differs |= flat != value;
        return !differs;
      });
  if (differs) return false;
  return whole && any ? std::optional<bool>(true) : std::nullopt;
}

std::optional<std::int64_t> largest_value(const KernelProber& prober, NodeId expression) {
  std::optional<std::int64_t> largest;
  const bool whole = for_each_probe(
      prober, expression,
      [&](const ThreadPosition& /*thread*/, const Iterations& /*at*/, std::int64_t value) {
        largest = std::max(largest.value_or(value), value);
        return true;
      });
  return whole ? largest : std::nullopt;
}

}  // namespace warpmind::agents::builtin
