#include "agents/builtin/forms/output_problem.h"

#include "agents/builtin/forms/edge_tests.h"
#include "agents/builtin/probe/integer_interpreter.h"
#include "agents/builtin/probe/probe_points.h"
#include "base/sequence.h"
#include "base/text.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

constexpr std::array<char, 3> kLetters{'x', 'y', 'z'};
constexpr std::array<std::string_view, 3> kIndexNames{"threadIdx", "blockIdx", "blockDim"};
constexpr std::array<std::string_view, 3> kVirtualNames{"wm_thread", "wm_block", "wm_block_dim"};
/// Sizes up to this are worth to be written down as numbers: radii, strides, windows.
constexpr std::int64_t kSmallSize = 16;
constexpr std::int64_t kMostUnrolled = 64;

/// Whether the extent is a parameter that the given kernel does not have.
bool is_added(const IndependentOutputs& outputs, const OutputAxis& axis) {
  return outputs.is_whole_grid || axis.grid_dimension;
}

class ProblemWriter {
 public:
  ProblemWriter(const Scene& scene, const IndependentOutputs& outputs)
      : tree_(scene.tree()),
        source_(scene.source()),
        outputs_(outputs),
        function_(*outputs.function),
        program_(scene.source(), scene.plan().constants),
        tests_(find_edge_tests(scene, outputs, box())) {
    replace_digits();
    find_typical();
  }

  [[nodiscard]] std::string text() const {
    std::string members;
    for (const auto& parameter : function_.parameters) {
      members += "  " + parameter.type + " " + parameter.name + ";\n";
    }
    for (const auto& axis : outputs_.outputs.axes) {
      if (is_added(outputs_, axis)) members += "  unsigned " + axis.extent + ";\n";
    }
    std::string text = "// The outputs of '" + function_.name +
                       "', computed by its own code.\nstruct wm_problem_" + function_.name +
                       " {\n" + members + "\n  struct wm_three {\n    unsigned x, y, z;\n  };\n";
    for (std::size_t c = 0; c <= kNamedAxes; ++c) text += extent(c);
    return text + compute("compute", {}) + is_inner() + compute("compute_inner", tests_.edits) +
           "};";
  }

 private:
  [[nodiscard]] EdgeBox box() const {
    EdgeBox box(outputs_.outputs.axes.size());
    for (std::size_t c = 0; c <= kNamedAxes; ++c) {
      const std::string number = std::to_string(c);
      for (const std::size_t axis : outputs_.axes_of(c)) {
        box[axis] = c < kNamedAxes ? std::pair{"wm_first" + number, "wm_last" + number}
                                   : std::pair{digit_name(axis), digit_name(axis)};
      }
    }
    return box;
  }

  [[nodiscard]] std::string extent(std::size_t coordinate) const {
    std::vector<std::string> factors;
    for (const std::size_t axis : outputs_.axes_of(coordinate)) {
      factors.push_back(extent_text(outputs_.outputs.axes[axis]));
    }
    return "  __device__ __forceinline__ unsigned extent" + std::to_string(coordinate) +
           "() const {\n    return " + (factors.empty() ? "1u" : join_text(factors, " * ")) +
           ";\n  }\n";
  }

  /// Locals that number the outputs get their digit in place of what they are computed from.
  void replace_digits() {
    for (std::size_t axis = 0; axis < outputs_.outputs.axes.size(); ++axis) {
      const auto& name = outputs_.outputs.axes[axis].variable;
      if (program_.written(function_.body).contains(name)) continue;
      const Local* found = nullptr;
      int count = 0;
      for (const auto& local : outputs_.body->locals()) {
        if (local.name != name) continue;
        ++count;
        found = &local;
      }
      if (count != 1 || found->value == kNoNode || !is_integer_type(found->type)) continue;
      if (tree_.is(found->value, "initializer_list") || tree_.is(found->value, "argument_list")) {
        continue;
      }
      replaced_.push_back(found->value);
      edits_.push_back({tree_.node(found->value).range,
                        "static_cast<" + found->type + ">(" + digit_name(axis) + ")"});
    }
    for (std::size_t i = 0; i < kIndexNames.size(); ++i) {
      for (const NodeId use : tree_.uses(function_.body, kIndexNames.at(i))) {
        if (std::any_of(replaced_.begin(), replaced_.end(),
                        [&](NodeId value) { return tree_.contains(value, use); })) {
          continue;
        }
        edits_.push_back({tree_.node(use).range, std::string(kVirtualNames.at(i))});
      }
    }
  }

  /// Sizes of windows that are the same in all timed workloads.
  void find_typical() {
    const auto& launches = *outputs_.launches;
    const std::size_t timed = std::max<std::size_t>(outputs_.timed, 1);
    for (const auto& parameter : function_.parameters) {
      if (parameter.is_pointer || !is_integer_type(parameter.base_type) ||
          parameter.type.find('&') != std::string::npos ||
          program_.written(function_.body).contains(parameter.name)) {
        continue;
      }
      std::optional<std::int64_t> same;
      bool differs = false;
      for (std::size_t i = 0; i < timed; ++i) {
        const auto value = launches[i].scalars.find(parameter.name);
        differs |= value == launches[i].scalars.end() || (same && *same != value->second);
        if (!differs) same = value->second;
      }
      if (differs || !same || *same < 0 || *same > kSmallSize) continue;
      typical_.push_back({&parameter, *same});
    }
  }

  [[nodiscard]] bool is_typical(std::string_view name) const {
    return std::any_of(typical_.begin(), typical_.end(),
                       [&](const auto& one) { return one.first->name == name; });
  }

  /// The loops of a window become straight code.
  [[nodiscard]] std::vector<TextEdit> unrolling() const {
    const KernelProber prober(source_, function_, outputs_.launches->front());
    std::vector<TextEdit> edits;
    for (const NodeId loop : tree_.descendants(function_.body, "for_statement")) {
      if (loop == outputs_.stride_loop) continue;
      std::int64_t product = 1;
      bool is_known = true;
      auto loops = loops_around(source_, function_, loop);
      if (!contains(loops, loop)) loops.push_back(loop);
      std::erase(loops, outputs_.stride_loop);
      for (const NodeId one : loops) {
        const auto trips = prober.trips(one, outputs_.middle(0));
        is_known = is_known && trips && *trips > 0 && has_typical_head(one);
        if (is_known) product *= *trips;
      }
      if (!is_known || product > kMostUnrolled || has_pragma(loop)) continue;
      const std::size_t at = tree_.node(loop).range.begin;
      edits.push_back({{at, at}, "\n#pragma unroll\n"});
    }
    return edits;
  }

  /// Whether the head names no size but typical ones.
  [[nodiscard]] bool has_typical_head(NodeId loop) const {
    for (const NodeId part : tree_.all_children(loop)) {
      if (tree_.node(part).field == "body") continue;
      for (const NodeId use : tree_.descendants(part, "identifier")) {
        const Parameter* parameter = function_.parameter(tree_.text(use));
        if (parameter != nullptr && !is_typical(parameter->name)) return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool has_pragma(NodeId loop) const {
    const auto siblings = tree_.children(tree_.node(loop).parent);
    const auto at = std::find(siblings.begin(), siblings.end(), loop);
    return at != siblings.end() && at != siblings.begin() && tree_.is(*(at - 1), "preproc_call");
  }

  /// What `code` needs to know of the thread that had that output.
  [[nodiscard]] std::string virtual_thread(const std::string& code) const {
    const auto& block = outputs_.launches->front().shape.block;
    std::array<std::string, 3> threads, blocks, sizes;
    std::string text;
    for (std::size_t d = 0; d < 3; ++d) {
      const std::string name = std::string("wm_") + kLetters.at(d);
      std::string coordinate;
      std::string stride;
      for (std::size_t axis = 0; axis < outputs_.outputs.axes.size(); ++axis) {
        const auto& one = outputs_.outputs.axes[axis];
        if (one.dimension != d) continue;
        coordinate += (coordinate.empty() ? "" : " + ") + digit_name(axis) + stride;
        stride += " * " + extent_text(one);
      }
      text +=
          "    const unsigned " + name + " = " + (coordinate.empty() ? "0u" : coordinate) + ";\n";
      sizes.at(d) = std::to_string(block.at(d)) + "u";
      threads.at(d) = name + " % " + sizes.at(d);
      blocks.at(outputs_.outputs.mapping.blocks.at(d)) = name + " / " + sizes.at(d);
    }
    bool is_used = false;
    const auto structure = [&](std::string_view name, const std::array<std::string, 3>& parts) {
      if (code.find(std::string(name) + ".") == std::string::npos) return;
      is_used = true;
      text += "    const wm_three " + std::string(name) + "{" + parts[0] + ", " + parts[1] + ", " +
              parts[2] + "};\n";
    };
    structure(kVirtualNames[0], threads);
    structure(kVirtualNames[1], blocks);
    structure(kVirtualNames[2], sizes);
    return is_used ? text : std::string();
  }

  /// The digits of coordinate `c`, whose number stands in `number`.
  [[nodiscard]] std::string digits_of(std::size_t coordinate, const std::string& number) const {
    const auto axes = outputs_.axes_of(coordinate);
    std::string text;
    std::string rest = number;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      std::string value = rest;
      if (i + 1 < axes.size()) {
        const std::string above = number + "_above_" + std::to_string(i);
        const std::string size = extent_text(outputs_.outputs.axes[axes[i]]);
        text += "    const unsigned " + above + " = " + rest + " / " + size + ";\n";
        value = rest + " - " + above + " * " + size;
        rest = above;
      }
      text += "    const unsigned " + digit_name(axes[i]) + " = " + value + ";\n";
    }
    return text;
  }

  /// A loop over all threads is run once by each output.
  void add_stride_loop(std::vector<TextEdit>& edits) const {
    const NodeId loop = outputs_.stride_loop;
    if (loop == kNoNode) return;
    const Range whole = tree_.node(loop).range;
    const NodeId initializer = tree_.field(loop, "initializer");
    const NodeId condition = tree_.field(loop, "condition");
    const std::size_t body = tree_.node(tree_.field(loop, "body")).range.begin;
    edits.push_back({{whole.begin, tree_.node(initializer).range.begin}, "{\n    "});
    edits.push_back({{tree_.node(initializer).range.end, tree_.node(condition).range.begin},
                     tree_.is(initializer, "declaration") ? "\n    for (bool wm_once = "
                                                          : ";\n    for (bool wm_once = "});
    edits.push_back({{tree_.node(condition).range.end, body}, "; wm_once; wm_once = false) "});
    edits.push_back({{whole.end, whole.end}, "\n  }"});
    for (const NodeId use : tree_.uses(function_.body, "gridDim")) {
      edits.push_back({tree_.node(use).range, "wm_three{1u, 1u, 1u}"});
    }
  }

  [[nodiscard]] std::string compute(const std::string& name,
                                    const std::vector<TextEdit>& inner) const {
    std::vector<TextEdit> edits = edits_;
    add_stride_loop(edits);
    std::string head;
    for (const auto& parameter : function_.parameters) {
      // A parameter that the body changes is a variable of each output.
      if (!program_.written(function_.body).contains(parameter.name)) continue;
      head += "    " + parameter.type + " " + parameter.name + " = this->" + parameter.name + ";\n";
    }
    if (name == "compute_inner") {
      edits.insert(edits.end(), inner.begin(), inner.end());
      const auto unrolled = unrolling();
      edits.insert(edits.end(), unrolled.begin(), unrolled.end());
      for (const auto& [parameter, value] : typical_) {
        head += "    constexpr " + parameter->base_type + " " + parameter->name + " = " +
                std::to_string(value) + ";\n";
      }
    }
    // What stands inside of a replaced part is replaced with it.
    const auto all = edits;
    std::erase_if(edits, [&](const TextEdit& edit) {
      return std::any_of(all.begin(), all.end(), [&](const TextEdit& outer) {
        return !(outer.range == edit.range) && outer.range.begin <= edit.range.begin &&
               edit.range.end <= outer.range.end;
      });
    });
    const std::string code = edited_part(tree_.source(), tree_.node(function_.body).range, edits);
    std::string text = "  __device__ __forceinline__ void " + name +
                       "(unsigned wm_c3, unsigned wm_c2, unsigned wm_c1,\n                        "
                       "              unsigned wm_c0) const {\n";
    for (std::size_t c = 0; c <= kNamedAxes; ++c) text += digits_of(c, "wm_c" + std::to_string(c));
    return text + virtual_thread(code) + head + "    " + code + "\n  }\n";
  }

  [[nodiscard]] std::string is_inner() const {
    std::string text =
        "  // Whether compute_inner() may stand for compute() in the whole box: each test comes "
        "out\n"
        "  // alike at its corners, and the sizes are those that it was written for.\n"
        "  __device__ __forceinline__ bool is_inner(\n      unsigned wm_c3, unsigned wm_first2, "
        "unsigned wm_first1, unsigned wm_first0,\n      unsigned wm_last2, unsigned wm_last1, "
        "unsigned wm_last0) const {\n" +
        digits_of(kNamedAxes, "wm_c3");
    for (const auto& [parameter, value] : typical_) {
      text += "    if (" + parameter->name + " != " + std::to_string(value) + ") return false;\n";
    }
    for (std::size_t i = 0; i < tests_.tests.size(); ++i) {
      const EdgeTest& test = tests_.tests[i];
      const std::string number = std::to_string(i + 1);
      text += test_lambda(test, "wm_test_" + number, test.condition);
      std::string passes = at_corners(test, "wm_test_" + number);
      if (!test.opposite.empty()) {
        text += test_lambda(test, "wm_opposite_" + number, test.opposite);
        passes = "(" + passes + ") || (" + at_corners(test, "wm_opposite_" + number) + ")";
      }
      text += "    if (!(" + passes + ")) return false;\n";
    }
    return text + "    return true;\n  }\n";
  }

  [[nodiscard]] static std::string test_lambda(const EdgeTest& test, const std::string& name,
                                               const std::string& condition) {
    return "    const auto " + name + " = [&](" +
           join_text(test.variables, ", ",
                     [](const EdgeVariable& one) { return one.type + " " + one.name; }) +
           ") { return " + condition + "; };\n";
  }

  /// Whether the test of that name passes at all corners.
  [[nodiscard]] static std::string at_corners(const EdgeTest& test, const std::string& name) {
    std::vector<std::string> calls;
    for (std::size_t corner = 0; corner < std::size_t{1} << test.variables.size(); ++corner) {
      std::vector<std::string> arguments;
      bool is_new = true;
      for (std::size_t i = 0; i < test.variables.size(); ++i) {
        const auto& variable = test.variables[i];
        const bool high = (corner >> i & 1) != 0;
        is_new = is_new && (!high || variable.greatest != variable.least);
        arguments.push_back(high ? variable.greatest : variable.least);
      }
      if (is_new) calls.push_back(name + "(" + join_text(arguments, ", ") + ")");
    }
    return join_text(calls, " && ");
  }

  const SyntaxTree& tree_;
  const CudaSource& source_;
  const IndependentOutputs& outputs_;
  const Function& function_;
  ProbeProgram program_;
  EdgeTests tests_;
  std::vector<NodeId> replaced_;
  std::vector<TextEdit> edits_;
  std::vector<std::pair<const Parameter*, std::int64_t>> typical_;
};

/// "const float* __restrict__ x"
std::string parameter_text(const IndependentOutputs& outputs, const Parameter& parameter) {
  const bool is_plain = parameter.is_pointer && parameter.type.ends_with("*");
  return parameter.type + (is_plain && outputs.is_unaliased(parameter) ? " __restrict__ " : " ") +
         parameter.name;
}

}  // namespace

NormalForm output_form(const Scene& scene, const IndependentOutputs& outputs, FormKind kind) {
  NormalForm form;
  form.kind = kind;
  form.launches = {outputs.launch};
  form.kernel = outputs.function->name;
  form.timed = outputs.timed;
  for (const auto& launch : *outputs.launches) form.workloads.push_back(launch.workload);
  const Launch& launch = scene.plan().launches[outputs.launch];
  form.arguments = launch.arguments;
  for (const auto& parameter : outputs.function->parameters) {
    form.parameters.push_back(parameter_text(outputs, parameter));
  }
  for (std::size_t axis = 0; axis < outputs.outputs.axes.size(); ++axis) {
    const OutputAxis& one = outputs.outputs.axes[axis];
    if (!is_added(outputs, one)) continue;
    const auto place = std::find(outputs.order.begin(), outputs.order.end(), axis);
    form.parameters.push_back("unsigned " + one.extent);
    form.arguments.push_back("u32:" + outputs.plan_extents[place - outputs.order.begin()]);
  }
  form.problem = ProblemWriter(scene, outputs).text();
  for (std::size_t c = 0; c <= kNamedAxes; ++c) {
    FormFact fact{"extent" + std::to_string(c), "1", {}};
    for (std::size_t i = c; i < outputs.order.size() && (i == c || c == kNamedAxes); ++i) {
      fact.plan = i == c ? outputs.plan_extents[i] : fact.plan + " * " + outputs.plan_extents[i];
    }
    for (std::size_t at = 0; at < outputs.launches->size(); ++at) {
      fact.values.push_back(outputs.extent(c, at));
    }
    form.facts.push_back(std::move(fact));
  }
  return form;
}

}  // namespace warpmind::agents::builtin
