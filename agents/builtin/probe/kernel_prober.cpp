#include "agents/builtin/probe/kernel_prober.h"

#include "agents/builtin/probe/path_to_node.h"

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
                            : Value::of(scalar->second, {ValueType::Kind::integer, true, 8});
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

}  // namespace warpmind::agents::builtin
