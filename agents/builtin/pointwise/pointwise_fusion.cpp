#include "agents/builtin/pointwise/pointwise_fusion.h"

#include "agents/builtin/pointwise/launch_pair.h"
#include "agents/builtin/pointwise/pointwise_kernel.h"

#include <algorithm>
#include <array>

namespace warpmind::agents::builtin {
namespace {

class ElementFusion {
 public:
  ElementFusion(const Scene& scene, std::size_t first)
      : scene_(scene), tree_(scene.tree()), pair_(scene, first), launches_(pair_.launches()) {}

  Fusion fuse_launches() {
    if (!read_parts() || !check_ranges() || !check_buffers()) return {std::nullopt, refusal_};
    return pair_.fused(written_, [&](const std::string& name, FusedParameters& parameters) {
      return rewritten(name, parameters);
    });
  }

 private:
  bool fail_with(std::string why) {
    refusal_ = std::move(why);
    return false;
  }
  bool read_parts() {
    if (launches_[1] >= scene_.plan().launches.size()) return fail_with("no launch follows");
    for (std::size_t which = 0; which < 2; ++which) {
      auto found = pair_.element_part(which);
      if (!found.kernel) return fail_with(found.refusal);
      parts_[which] = std::move(*found.kernel);
    }
    if (parts_[0].index == parts_[1].index && parts_[0].index_type != parts_[1].index_type) {
      return fail_with("'" + parts_[0].index + "' has two types");
    }
    return true;
  }

  bool check_ranges() {
    const auto first = bounds_of(scene_, launches_[0], parts_[0]);
    const auto second = bounds_of(scene_, launches_[1], parts_[1]);
    if (!first || !second || *first != *second) {
      return fail_with("'" + pair_.kernel(0) + "' and '" + pair_.kernel(1) +
                       "' do not cover the same elements");
    }
    for (std::size_t which = 0; which < 2; ++which) {
      if (auto why = pair_.elements_left_out(which, *first); !why.empty()) return fail_with(why);
    }
    return true;
  }

  bool check_buffers() {
    for (std::size_t which = 0; which < 2; ++which) {
      for (const auto& access : parts_[which].accesses) {
        if (access.is_store) written_.insert(pair_.argument_of(which, access.parameter));
      }
    }
    std::set<std::string> of_first;
    for (std::size_t which = 0; which < 2; ++which) {
      for (const auto& access : parts_[which].accesses) {
        const auto buffer = pair_.argument_of(which, access.parameter);
        // An element of another thread may not be written yet, or be overwritten already.
        if (written_.contains(buffer) && !access.is_flat) {
          return fail_with("'" + buffer + "' is written and used at another index in '" +
                           pair_.kernel(which) + "'");
        }
        if (which == 0 && access.is_store) of_first.insert(buffer);
        if (which == 1 && of_first.contains(buffer)) shared_.insert(buffer);
      }
    }
    return !shared_.empty() || fail_with("'" + pair_.kernel(1) + "' uses nothing that '" +
                                         pair_.kernel(0) + "' writes");
  }

  /// Whether the element in memory is looked at before both launches have surely written it.
  [[nodiscard]] bool needs_old_value(const std::string& buffer) const {
    for (std::size_t which = 0; which < 2; ++which) {
      for (const auto& access : parts_[which].accesses) {
        if (pair_.argument_of(which, access.parameter) != buffer) continue;
        const NodeId up = tree_.ancestor(access.node, "assignment_expression");
        if (access.is_load) return true;
        if (!access.is_store || !access.is_certain) return true;
        // `x[i] = x[i] + 1`: what stands on the right is read first.
        for (const auto& other : parts_[which].accesses) {
          if (other.is_load && pair_.argument_of(which, other.parameter) == buffer &&
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

  [[nodiscard]] std::vector<TextEdit> edits_of(std::size_t which, const FusedParameters& parameters,
                                               const std::vector<Register>& registers) const {
    std::vector<TextEdit> edits;
    std::vector<Range> replaced;
    for (const auto& access : parts_[which].accesses) {
      const auto buffer = pair_.argument_of(which, access.parameter);
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
                    parameters.element_of(buffer), needs_old_value(buffer), pair_.survives(buffer)};
      if (!held.is_read_first && !held.is_written_back) parameters.drop(buffer);
      registers.push_back(std::move(held));
    }
    const std::array edits{edits_of(0, parameters, registers), edits_of(1, parameters, registers)};
    const PointwiseKernel& first = parts_[0];
    std::string out = "extern \"C\" __global__" + pair_.head(0) + name + "(" +
                      parameter_text(parameters) + ") {\n";
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
    return out + "  }\n}";
  }

  const Scene& scene_;
  const SyntaxTree& tree_;
  LaunchPair pair_;
  std::array<std::size_t, 2> launches_;
  std::array<PointwiseKernel, 2> parts_;
  std::set<std::string> written_;
  std::set<std::string> shared_;
  std::string refusal_;
};

}  // namespace

Fusion fuse_elements(const Scene& scene, std::size_t first) {
  return ElementFusion(scene, first).fuse_launches();
}

}  // namespace warpmind::agents::builtin
