#include "agents/builtin/hosting/launch_sites.h"

#include "agents/builtin/hosting/host_statements.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

bool is_in_class_or_namespace(const SyntaxTree& tree, NodeId node) {
  if (tree.ancestor(node, "field_declaration_list") != kNoNode) return true;
  for (NodeId at = tree.ancestor(node, "namespace_definition"); at != kNoNode;
       at = tree.ancestor(at, "namespace_definition")) {
    if (tree.field(at, "name") != kNoNode) return true;
  }
  return false;
}

std::string reason_against_parameters(const CudaSource& program, const Function& kernel) {
  for (const auto& parameter : kernel.parameters) {
    const auto text = program.tree.text(parameter.node);
    if (parameter.name.empty()) return "a parameter has no name";
    if (text.find_first_of("([&=") != std::string_view::npos) {
      return "parameter '" + parameter.name + "' is no plain value or pointer";
    }
  }
  return {};
}

std::string reason_against_launch(const CudaSource& program, const HostLaunch& launch,
                                  const Function& kernel) {
  const SyntaxTree& tree = program.tree;
  if (tree.node(launch.call).has_error) return "a launch holds text that is not understood";
  if (tree.plain_text(tree.field(launch.call, "function")) != kernel.name) {
    return "a launch names it as '" + tree.plain_text(tree.field(launch.call, "function")) + "'";
  }
  if (launch.configuration.size() < 2 || launch.configuration.size() > 4) {
    return "a launch has a configuration that is not understood";
  }
  if (launch.arguments.size() != kernel.parameters.size()) {
    return "a launch passes " + std::to_string(launch.arguments.size()) + " arguments to " +
           std::to_string(kernel.parameters.size()) + " parameters";
  }
  return {};
}

/// The statement that is the launch and nothing else.
NodeId statement_of(const SyntaxTree& tree, const HostLaunch& launch) {
  const NodeId parent = tree.node(launch.call).parent;
  const bool is_plain = tree.is(parent, "expression_statement") &&
                        tree.is(tree.node(parent).parent, "compound_statement");
  return is_plain ? parent : kNoNode;
}

/// Evaluating it early, and before other launches, changes nothing.
bool is_pure(const SyntaxTree& tree, NodeId node) {
  for (const NodeId below : tree.descendants(node)) {
    const auto kind = tree.node(below).kind;
    if (kind == "call_expression") {
      const auto callee = tree.text(tree.field(below, "function"));
      if (callee != "dim3") return false;
    }
    if (kind == "assignment_expression" || kind == "update_expression" ||
        kind == "subscript_expression" || kind == "lambda_expression" || kind == "new_expression") {
      return false;
    }
    if (kind == "pointer_expression" && tree.operator_of(below) == "*") return false;
    if (kind == "field_expression" && tree.text(below).find("->") != std::string_view::npos) {
      return false;
    }
  }
  return true;
}

bool is_pure(const SyntaxTree& tree, const HostLaunch& launch) {
  const auto pure = [&](NodeId node) { return is_pure(tree, node); };
  return std::all_of(launch.configuration.begin(), launch.configuration.end(), pure) &&
         std::all_of(launch.arguments.begin(), launch.arguments.end(), pure);
}

/// Whether `second` may run as part of one call that takes the place of `first`.
bool follows(const CudaSource& program, const HostLaunch& first, const HostLaunch& second) {
  const SyntaxTree& tree = program.tree;
  const NodeId from = statement_of(tree, first);
  const NodeId to = statement_of(tree, second);
  if (from == kNoNode || to == kNoNode || tree.node(from).parent != tree.node(to).parent) {
    return false;
  }
  if (configuration_of(program, first)[3] != configuration_of(program, second)[3]) return false;
  if (!is_pure(tree, first) || !is_pure(tree, second)) return false;
  const auto statements = tree.children(tree.node(from).parent);
  auto at = std::find(statements.begin(), statements.end(), from);
  for (++at; at != statements.end() && *at != to; ++at) {
    if (!only_asks_or_waits(tree, *at)) return false;
  }
  return at != statements.end();
}

}  // namespace

std::vector<std::string> LaunchRun::kernels() const {
  std::vector<std::string> names;
  for (const auto* const launch : launches) names.push_back(launch->kernel);
  return names;
}

std::vector<std::string> configuration_of(const CudaSource& program, const HostLaunch& launch) {
  std::vector<std::string> texts;
  for (const NodeId node : launch.configuration) texts.emplace_back(program.tree.text(node));
  texts.resize(4, "0");
  return texts;
}

std::string reason_not_to_host(const CudaSource& program, std::string_view name) {
  const Function* const kernel = program.kernel(name);
  if (kernel == nullptr) return "the file does not define it, or more than once";
  if (kernel->is_template) return "it is a template";
  if (kernel->has_error) return "it holds text that is not understood";
  if (is_in_class_or_namespace(program.tree, kernel->node)) return "it lies in a named namespace";
  if (auto reason = reason_against_parameters(program, *kernel); !reason.empty()) return reason;
  bool is_launched = false;
  for (const auto& launch : program.launches) {
    const auto callee = program.tree.plain_text(program.tree.field(launch.call, "function"));
    if (launch.kernel != name && !callee.ends_with("::" + std::string(name))) continue;
    is_launched = true;
    if (auto reason = reason_against_launch(program, launch, *kernel); !reason.empty()) {
      return reason;
    }
  }
  if (is_launched) return {};
  return "no launch '" + std::string(name) +
         "<<<…>>>(…)' stands in the file; one in a macro, another file or through "
         "cudaLaunchKernel is not found";
}

std::vector<LaunchRun> launch_runs(const CudaSource& program) {
  std::vector<LaunchRun> runs;
  for (const auto& launch : program.launches) {
    if (!reason_not_to_host(program, launch.kernel).empty()) continue;
    if (!runs.empty() && follows(program, *runs.back().launches.back(), launch)) {
      runs.back().launches.push_back(&launch);
    } else {
      runs.push_back({{&launch}});
    }
  }
  return runs;
}

}  // namespace warpmind::agents::builtin
