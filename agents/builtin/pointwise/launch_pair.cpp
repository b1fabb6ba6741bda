#include "agents/builtin/pointwise/launch_pair.h"

#include "agents/builtin/pointwise/pure_code.h"
#include "base/sequence.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

bool takes(const Launch& launch, const std::string& argument) {
  return contains(launch.arguments, argument);
}

/// The definition with its `extern "C"` and the empty lines below it.
Range whole_definition(const SyntaxTree& tree, const Function& function) {
  const NodeId parent = tree.node(function.node).parent;
  Range range = tree.node(tree.is(parent, "linkage_specification") ? parent : function.node).range;
  while (range.end < tree.source().size() && tree.source()[range.end] == '\n') ++range.end;
  return range;
}

}  // namespace

const std::string& LaunchPair::kernel(std::size_t which) const {
  return scene_.plan().launches[launches_[which]].kernel;
}

std::string LaunchPair::argument_of(std::size_t which, std::string_view parameter) const {
  const auto& parameters = scene_.function_of(launches_[which])->parameters;
  const auto& arguments = scene_.plan().launches[launches_[which]].arguments;
  for (std::size_t p = 0; p < parameters.size() && p < arguments.size(); ++p) {
    if (parameters[p].name == parameter) return arguments[p];
  }
  return {};
}

PointwiseFinding LaunchPair::element_part(std::size_t which) const {
  auto found = find_one_element(scene_, launches_[which]);
  if (!found.kernel || which == 0) return found;
  for (const NodeId declaration : found.kernel->uniform) {
    if (auto why = obstacle_in(scene_.source(), declaration); !why.empty()) {
      return {std::nullopt, why + " in '" + kernel(which) + "'"};
    }
  }
  return found;
}

std::string LaunchPair::elements_left_out(std::size_t which,
                                          const std::map<std::string, std::int64_t>& bounds) const {
  for (const auto& launch : scene_.launches_of(launches_[which])) {
    const std::int64_t threads = std::int64_t{launch.shape.grid[0]} * launch.shape.block[0];
    if (threads < bounds.at(launch.workload)) {
      return "a launch of '" + kernel(which) + "' leaves elements out";
    }
  }
  return {};
}

bool LaunchPair::survives(const std::string& buffer) const {
  const auto& scratch = scene_.plan().scratch;
  const bool is_scratch = std::any_of(scratch.begin(), scratch.end(),
                                      [&](const auto& known) { return known.name == buffer; });
  if (!is_scratch) return true;
  for (std::size_t i = 0; i < scene_.plan().launches.size(); ++i) {
    if (i == launches_[0] || i == launches_[1]) continue;
    if (takes(scene_.plan().launches[i], buffer)) return true;
  }
  return false;
}

std::string LaunchPair::head(std::size_t which) const {
  const Function& function = *scene_.function_of(launches_[which]);
  const SyntaxTree& tree = scene_.tree();
  const auto begin = function.attribute_end;
  const auto text = tree.source().substr(begin, tree.node(function.name_node).range.begin - begin);
  return text.find("void") == std::string::npos ? std::string() : text;
}

std::string LaunchPair::joined_name() const {
  return unused_name(scene_.tree(), kernel(0) + "_" + kernel(1));
}

std::string LaunchPair::source_with(const std::string& definition) const {
  const SyntaxTree& tree = scene_.tree();
  std::vector<TextEdit> edits;
  std::size_t end = 0;
  for (const Function* old :
       std::set{scene_.function_of(launches_[0]), scene_.function_of(launches_[1])}) {
    const Range range = whole_definition(tree, *old);
    end = std::max(end, range.end);
    bool is_launched = false;
    for (std::size_t i = 0; i < scene_.plan().launches.size(); ++i) {
      if (i == launches_[0] || i == launches_[1]) continue;
      is_launched |= scene_.plan().launches[i].kernel == old->name;
    }
    if (!is_launched) edits.push_back({range, ""});
  }
  const bool is_open = end > 0 && tree.source()[end - 1] != '\n';
  edits.push_back({{end, end}, (is_open ? "\n\n" : "") + definition + "\n\n"});
  return apply_edits(tree.source(), std::move(edits));
}

Fusion LaunchPair::fused(const std::set<std::string>& written, const Writer& write) const {
  if (head(0).empty()) {
    return {std::nullopt, "'" + kernel(0) + "' is not declared as __global__ void"};
  }
  FusedParameters parameters(scene_, launches_, written);
  if (!parameters.refusal().empty()) return {std::nullopt, parameters.refusal()};
  const std::string name = joined_name();
  const std::string definition = write(name, parameters);
  return {joined(name, definition, parameters), {}};
}

Kernel LaunchPair::joined(const std::string& name, const std::string& definition,
                          const FusedParameters& parameters) const {
  Kernel fused = scene_.kernel();
  fused.source = source_with(definition);
  auto& launches = fused.plan.launches;
  launches[launches_[0]].kernel = name;
  launches[launches_[0]].arguments.clear();
  for (const auto& parameter : parameters.parameters()) {
    launches[launches_[0]].arguments.push_back(parameter.argument);
  }
  launches.erase(launches.begin() + static_cast<std::ptrdiff_t>(launches_[1]));
  std::erase_if(fused.plan.scratch, [&](const ScratchBuffer& scratch) {
    return std::none_of(launches.begin(), launches.end(),
                        [&](const Launch& launch) { return takes(launch, scratch.name); });
  });
  return fused;
}

std::string parameter_text(const FusedParameters& parameters) {
  std::string list;
  for (const auto& parameter : parameters.parameters()) {
    list += (list.empty() ? "" : ", ") + parameter.declaration;
  }
  return list;
}

}  // namespace warpmind::agents::builtin
