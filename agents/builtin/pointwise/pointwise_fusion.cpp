#include "agents/builtin/pointwise/pointwise_fusion.h"

#include "agents/builtin/pointwise/fused_parameters.h"
#include "agents/builtin/pointwise/pointwise_kernel.h"
#include "agents/builtin/pointwise/pure_code.h"

#include <algorithm>
#include <array>

namespace warpmind::agents::builtin {
namespace {

class ElementFusion {
 public:
  ElementFusion(const Scene& scene, std::size_t first)
      : scene_(scene), tree_(scene.tree()), launches_{first, first + 1} {}

  Fusion run() {
    if (!read_parts() || !check_ranges() || !check_buffers()) return {std::nullopt, refusal_};
    FusedParameters parameters(scene_, launches_, written_);
    if (!parameters.refusal().empty()) return {std::nullopt, parameters.refusal()};
    Kernel fused = scene_.kernel();
    const auto& kernels = scene_.plan().launches;
    const std::string name =
        unused_name(tree_, kernels[launches_[0]].kernel + "_" + kernels[launches_[1]].kernel);
    fused.source = rewritten(name, parameters);
    auto& launches = fused.plan.launches;
    Launch& launch = launches[launches_[0]];
    launch.kernel = name;
    launch.arguments.clear();
    for (const auto& parameter : parameters.parameters()) {
      launch.arguments.push_back(parameter.argument);
    }
    launches.erase(launches.begin() + static_cast<std::ptrdiff_t>(launches_[1]));
    std::erase_if(fused.plan.scratch, [&](const ScratchBuffer& scratch) {
      return std::none_of(launches.begin(), launches.end(), [&](const Launch& other) {
        return std::find(other.arguments.begin(), other.arguments.end(), scratch.name) !=
               other.arguments.end();
      });
    });
    return {std::move(fused), {}};
  }

 private:
  bool fail_with(std::string why) {
    refusal_ = std::move(why);
    return false;
  }
  [[nodiscard]] const std::string& name(std::size_t which) const {
    return scene_.plan().launches[launches_[which]].kernel;
  }

  bool read_parts() {
    if (launches_[1] >= scene_.plan().launches.size()) return fail_with("no launch follows");
    for (std::size_t which = 0; which < 2; ++which) {
      auto found = find_pointwise(scene_, launches_[which]);
      if (!found.kernel) return fail_with(found.refusal);
      if (found.kernel->is_loop) {
        return fail_with("'" + name(which) + "' loops over all threads");
      }
      parts_[which] = std::move(*found.kernel);
    }
    for (const NodeId declaration : parts_[1].uniform) {
      if (auto why = obstacle_in(scene_.source(), declaration); !why.empty()) {
        return fail_with(why + " in '" + name(1) + "'");
      }
    }
    if (parts_[0].index == parts_[1].index && parts_[0].index_type != parts_[1].index_type) {
      return fail_with("'" + parts_[0].index + "' has two types");
    }
    return !head(0).empty() || fail_with("'" + name(0) + "' is not declared as __global__ void");
  }

  /// " __launch_bounds__(256) void " of a kernel; empty when it is written another way.
  [[nodiscard]] std::string head(std::size_t which) const {
    const Function& function = *parts_[which].function;
    const auto begin = function.attribute_end;
    const auto text =
        tree_.source().substr(begin, tree_.node(function.name_node).range.begin - begin);
    return text.find("void") == std::string::npos ? std::string() : text;
  }

  bool check_ranges() {
    const auto first = bounds_of(scene_, launches_[0], parts_[0]);
    const auto second = bounds_of(scene_, launches_[1], parts_[1]);
    if (!first || !second || *first != *second) {
      return fail_with("'" + name(0) + "' and '" + name(1) + "' do not cover the same elements");
    }
    for (const std::size_t index : launches_) {
      for (const auto& launch : scene_.launches_of(index)) {
        if (std::int64_t{launch.shape.grid[0]} * launch.shape.block[0] <
            first->at(launch.workload)) {
          return fail_with("a launch of '" + scene_.plan().launches[index].kernel +
                           "' leaves elements out");
        }
      }
    }
    return true;
  }

  [[nodiscard]] std::string argument_of(std::size_t which, const std::string& parameter) const {
    const auto& all = parts_[which].function->parameters;
    const auto& arguments = scene_.plan().launches[launches_[which]].arguments;
    for (std::size_t p = 0; p < all.size() && p < arguments.size(); ++p) {
      if (all[p].name == parameter) return arguments[p];
    }
    return {};
  }

  bool check_buffers() {
    for (std::size_t which = 0; which < 2; ++which) {
      for (const auto& access : parts_[which].accesses) {
        if (access.is_store) written_.insert(argument_of(which, access.parameter));
      }
    }
    std::set<std::string> of_first;
    for (std::size_t which = 0; which < 2; ++which) {
      for (const auto& access : parts_[which].accesses) {
        const auto buffer = argument_of(which, access.parameter);
        // An element of another thread may not be written yet, or be overwritten already.
        if (written_.contains(buffer) && !access.is_flat) {
          return fail_with("'" + buffer + "' is written and used at another index in '" +
                           name(which) + "'");
        }
        if (which == 0 && access.is_store) of_first.insert(buffer);
        if (which == 1 && of_first.contains(buffer)) shared_.insert(buffer);
      }
    }
    return !shared_.empty() ||
           fail_with("'" + name(1) + "' uses nothing that '" + name(0) + "' writes");
  }

  /// Whether anybody looks at the buffer after the two launches.
  [[nodiscard]] bool survives(const std::string& buffer) const {
    const auto& scratch = scene_.plan().scratch;
    const bool is_scratch = std::any_of(scratch.begin(), scratch.end(),
                                        [&](const auto& known) { return known.name == buffer; });
    if (!is_scratch) return true;
    for (std::size_t i = 0; i < scene_.plan().launches.size(); ++i) {
      if (i == launches_[0] || i == launches_[1]) continue;
      const auto& arguments = scene_.plan().launches[i].arguments;
      if (std::find(arguments.begin(), arguments.end(), buffer) != arguments.end()) return true;
    }
    return false;
  }

  /// Whether the element in memory is looked at before both launches have surely written it.
  [[nodiscard]] bool needs_old_value(const std::string& buffer) const {
    for (std::size_t which = 0; which < 2; ++which) {
      for (const auto& access : parts_[which].accesses) {
        if (argument_of(which, access.parameter) != buffer) continue;
        const NodeId up = tree_.ancestor(access.node, "assignment_expression");
        if (access.is_load) return true;
        if (!access.is_store || !access.is_certain) return true;
        // `x[i] = x[i] + 1`: what stands on the right is read first.
        for (const auto& other : parts_[which].accesses) {
          if (other.is_load && argument_of(which, other.parameter) == buffer &&
              tree_.contains(up, other.node)) {
            return true;
          }
        }
        return false;
      }
    }
    return true;
  }

  struct Register {
    std::string buffer;
    std::string name;
    std::string element;
    bool is_read_first = false;
    bool is_written_back = false;
  };

  std::vector<TextEdit> edits_of(std::size_t which, const FusedParameters& parameters,
                                 const std::vector<Register>& registers) const {
    std::vector<TextEdit> edits;
    std::vector<Range> replaced;
    for (const auto& access : parts_[which].accesses) {
      const auto buffer = argument_of(which, access.parameter);
      for (const auto& held : registers) {
        if (held.buffer != buffer) continue;
        edits.push_back({tree_.node(access.node).range, held.name});
        replaced.push_back(tree_.node(access.node).range);
      }
    }
    const auto is_replaced = [&](const TextEdit& edit) {
      return std::any_of(replaced.begin(), replaced.end(), [&](const Range& range) {
        return edit.range.begin >= range.begin && edit.range.end <= range.end;
      });
    };
    for (auto& edit :
         renaming_edits(tree_, parts_[which].function->body, parameters.renaming(which))) {
      if (!is_replaced(edit)) edits.push_back(std::move(edit));
    }
    return edits;
  }

  [[nodiscard]] std::string text_of(NodeId node, const std::vector<TextEdit>& edits) const {
    return edited_part(tree_.source(), tree_.node(node).range, edits);
  }

  std::string rewritten(const std::string& name, FusedParameters& parameters) const {
    std::vector<Register> registers;
    for (const auto& buffer : shared_) {
      Register held{buffer, parameters.fresh("wm_" + parameters.name_of(buffer)),
                    parameters.element_of(buffer), needs_old_value(buffer), survives(buffer)};
      if (!held.is_read_first && !held.is_written_back) parameters.drop(buffer);
      registers.push_back(std::move(held));
    }
    const std::array edits{edits_of(0, parameters, registers), edits_of(1, parameters, registers)};
    const PointwiseKernel& first = parts_[0];
    std::string list;
    for (const auto& parameter : parameters.parameters()) {
      list += (list.empty() ? "" : ", ") + parameter.declaration;
    }
    std::string out = "extern \"C\" __global__" + head(0) + name + "(" + list + ") {\n";
    for (const NodeId declaration : first.uniform) {
      out += "  " + text_of(declaration, edits[0]) + "\n";
    }
    out += "  const " + first.index_type + " " + first.index + " = " +
           text_of(first.first, edits[0]) + ";\n";
    out += "  if (" + first.index + " < " + text_of(first.bound, edits[0]) + ") {\n";
    for (const auto& held : registers) {
      const std::string element = parameters.name_of(held.buffer) + "[" + first.index + "]";
      out += "    " + held.element + " " + held.name + (held.is_read_first ? " = " + element : "") +
             ";\n";
    }
    out += "    {\n" + work_text(scene_, first, edits[0], "      ") + "    }\n    {\n";
    if (parts_[1].index != first.index) {
      out += "      const " + parts_[1].index_type + " " + parts_[1].index + " = static_cast<" +
             parts_[1].index_type + ">(" + first.index + ");\n";
    }
    for (const NodeId declaration : parts_[1].uniform) {
      out += "      " + text_of(declaration, edits[1]) + "\n";
    }
    out += work_text(scene_, parts_[1], edits[1], "      ") + "    }\n";
    for (const auto& held : registers) {
      if (!held.is_written_back) continue;
      out +=
          "    " + parameters.name_of(held.buffer) + "[" + first.index + "] = " + held.name + ";\n";
    }
    return placed(out + "  }\n}\n\n");
  }

  /// The definition with its `extern "C"`.
  [[nodiscard]] Range definition(const Function& function) const {
    const NodeId parent = tree_.node(function.node).parent;
    return tree_.node(tree_.is(parent, "linkage_specification") ? parent : function.node).range;
  }

  [[nodiscard]] bool is_launched_elsewhere(const Function& function) const {
    for (std::size_t i = 0; i < scene_.plan().launches.size(); ++i) {
      if (i == launches_[0] || i == launches_[1]) continue;
      if (scene_.plan().launches[i].kernel == function.name) return true;
    }
    return false;
  }

  /// The source with the new function below the two; those that nobody launches any more go.
  [[nodiscard]] std::string placed(const std::string& function) const {
    std::vector<TextEdit> edits;
    std::size_t end = 0;
    std::set<const Function*> olds{parts_[0].function, parts_[1].function};
    for (const Function* old : olds) {
      Range range = definition(*old);
      while (range.end < tree_.source().size() && tree_.source()[range.end] == '\n') ++range.end;
      end = std::max(end, range.end);
      if (is_launched_elsewhere(*old)) continue;
      edits.push_back({range, ""});
    }
    edits.push_back({{end, end}, function});
    return apply_edits(tree_.source(), std::move(edits));
  }

  const Scene& scene_;
  const SyntaxTree& tree_;
  std::array<std::size_t, 2> launches_;
  std::array<PointwiseKernel, 2> parts_;
  std::set<std::string> written_;
  std::set<std::string> shared_;
  std::string refusal_;
};

}  // namespace

Fusion fuse_elements(const Scene& scene, std::size_t first) {
  return ElementFusion(scene, first).run();
}

}  // namespace warpmind::agents::builtin
