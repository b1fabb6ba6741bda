#include "agents/builtin/forms/scatter_form.h"

#include "agents/builtin/contraction/uniform_expressions.h"
#include "agents/builtin/forms/moved_code.h"
#include "agents/builtin/forms/scatter_launch.h"
#include "agents/builtin/loops/parallel_loop.h"
#include "agents/builtin/pointwise/pure_code.h"
#include "base/text.h"

#include <algorithm>
#include <limits>

namespace warpmind::agents::builtin {
namespace {

constexpr int kPieceBytes = 16;  ///< of one wide load
/// Measured on an H200 with 256 bins of equal use: what one atomic add to memory takes.
constexpr double kGlobalAddNs = 0.23;

tl::unexpected<Error> refuse(std::string why) { return fail(Errc::not_found, std::move(why)); }

/// Writes the problem of one launch and its facts.
class ScatterForm {
 public:
  ScatterForm(const Scene& scene, const ScatterLaunch& found)
      : scene_(scene),
        tree_(scene.tree()),
        found_(found),
        launches_(scene.launches_of(found.launch)),
        parameters_(*found.function) {}

  Result<NormalForm> write() {
    form_.kind = FormKind::scatter;
    form_.launches = {found_.launch};
    form_.kernel = found_.function->name;
    value_ = found_.function->parameter(found_.counters)->base_type;
    form_.types["value"] = value_;
    WARPMIND_CHECK(write_facts());
    WARPMIND_TRY(const std::string element, element_text());
    const auto bound = closed_value(*found_.body, found_.elements.bound, {});
    if (!bound) return refuse("the number of elements is no plain expression");
    parameters_.use(element);
    parameters_.use(*bound);
    parameters_.use(found_.counters);
    for (const auto& stream : found_.streams) parameters_.use(stream.parameter);
    form_.problem = functions_text(element, *bound) + problem_text();
    form_.parameters = parameters_.declarations();
    form_.arguments = parameters_.arguments(scene_.plan().launches[found_.launch].arguments);
    form_.summary = summary();
    return std::move(form_);
  }

 private:
  Result<void> write_facts() {
    const UniformExpressions uniform(scene_, *found_.function, launches_);
    const auto bound = uniform.closed_text(found_.elements.bound);
    const auto count = bound ? uniform.plan_text(*bound) : std::nullopt;
    const auto counts = bound ? uniform.values(*bound) : std::nullopt;
    if (!count || !counts) return refuse("the number of elements cannot be said in a launch plan");
    FormFact bins{"bins", bins_text(), {}};
    FormFact elements{"count", *count, {}};
    std::int64_t adds = 0;
    for (std::size_t i = 0; i < launches_.size(); ++i) {
      const SceneLaunch& launch = launches_[i];
      const auto extent = launch.extents.find(found_.counters);
      if (extent == launch.extents.end() || bins.plan.empty()) {
        return refuse("the extent of '" + found_.counters + "' is not known");
      }
      if (extent->second > std::numeric_limits<std::int32_t>::max()) {
        return refuse("'" + found_.counters + "' has more counters than an int can number");
      }
      form_.workloads.push_back(launch.workload);
      if (launch.timed) {
        ++form_.timed;
        adds += std::max<std::int64_t>(counts->at(i), 0);
      }
      elements.values.push_back(std::max<std::int64_t>(counts->at(i), 0));
      bins.values.push_back(extent->second);
    }
    if (found_.body->locals().end() ==
        std::find_if(found_.body->locals().begin(), found_.body->locals().end(),
                     [](const Local& local) { return local.is_shared; })) {
      form_.given_ns = kGlobalAddNs * static_cast<double>(adds);
    }
    int bytes = 0;
    int least = kPieceBytes;
    for (const auto& stream : found_.streams) {
      bytes += size_of_type(stream.type);
      least = std::min(least, size_of_type(stream.type));
    }
    pack_ = kPieceBytes / least;
    const auto same = [&](std::string name, std::int64_t value) {
      form_.facts.push_back({std::move(name), std::to_string(value),
                             std::vector<std::int64_t>(launches_.size(), value)});
    };
    form_.facts.push_back(std::move(elements));
    form_.facts.push_back(std::move(bins));
    same("pack", pack_);
    same("element_bytes", bytes);
    same("is_weighted", is_weighted() ? 1 : 0);
    const bool is_word = is_integer_type(value_) && size_of_type(value_) == 4;
    same("adds_by_loops", is_word ? 0 : 1);
    return {};
  }

  [[nodiscard]] bool is_weighted() const {
    return std::any_of(found_.adds.begin(), found_.adds.end(), [&](const ScatterAdd& add) {
      return add.value != kNoNode && integer_literal(tree_, add.value) != 1;
    });
  }

  /// Elements of the counters' buffer in the language of plans.
  [[nodiscard]] std::string bins_text() const {
    const auto& bound = launches_.front().buffers;
    const auto buffer = bound.find(found_.counters);
    if (buffer == bound.end()) return {};
    for (const auto& scratch : scene_.plan().scratch) {
      if (scratch.name == buffer->second) return scratch.elements;
    }
    for (const auto& argument : scene_.context().task.arguments) {
      if (argument.name != buffer->second) continue;
      return join_text(argument.shape, " * ",
                       [](const std::string& extent) { return "(" + extent + ")"; });
    }
    return {};
  }

  /// Of an add by an element: what the sink gets.
  [[nodiscard]] std::string add_text(const ScatterAdd& add, const NodeTexts& replaced) const {
    const auto part = [&](NodeId node) {
      return moved_text(tree_, tree_.node(node).range, replaced);
    };
    const std::string value = add.value == kNoNode ? "1" : part(add.value);
    return "wm_sink.add(static_cast<int>(" + part(add.bin) + "), static_cast<" + value_ + ">(" +
           value + "))";
  }

  /// The statements of one element, a sink in place of the counters.
  [[nodiscard]] Result<std::string> element_text() const {
    NodeTexts streams;
    for (const auto& stream : found_.streams) {
      for (const NodeId node : stream.nodes) streams[node] = "wm_at_" + stream.parameter;
    }
    NodeTexts replaced = streams;
    for (const ScatterAdd& add : found_.adds) replaced[add.node] = add_text(add, streams);
    for (const NodeId leave : found_.leaves) replaced[leave] = "return;";
    std::string text;
    const auto append = [&](std::string& to, NodeId statement) {
      to += "  " + moved_text(tree_, tree_.node(statement).range, replaced) + "\n";
    };
    for (const NodeId statement : found_.elements.derived) append(text, statement);
    for (const NodeId statement : found_.elements.work) append(text, statement);
    // Values that are the same for all elements, where the text needs them.
    std::string front;
    const auto& uniform = found_.elements.uniform;
    for (auto at = uniform.rbegin(); at != uniform.rend(); ++at) {
      const bool is_needed = std::any_of(
          found_.body->locals().begin(), found_.body->locals().end(), [&](const Local& local) {
            return tree_.contains(*at, local.identifier) && contains_word(front + text, local.name);
          });
      if (!is_needed) continue;
      if (auto why = obstacle_in(scene_.source(), *at); !why.empty()) return refuse(why);
      std::string line;
      append(line, *at);
      front = line + front;
    }
    return front + text;
  }

  [[nodiscard]] std::string name(const char* what) const {
    return "wm_" + form_.kernel + "_" + what;
  }

  [[nodiscard]] std::string stream_list(const char* between, bool with_types) const {
    std::string text;
    for (const auto& stream : found_.streams) {
      text += between;
      if (with_types) text += "const " + stream.type + " ";
      text += "wm_at_" + stream.parameter;
    }
    return text;
  }

  /// The given code, as functions.
  [[nodiscard]] std::string functions_text(const std::string& element,
                                           const std::string& bound) const {
    const std::string list = parameters_.declared_list();
    std::string text = "/// What one element of " + form_.kernel + " adds.\n";
    text += "template <class WmSink>\n__device__ __forceinline__ void " + name("element") + "(" +
            list + ", const " + found_.elements.index_type + " " + found_.elements.index +
            stream_list(", ", true) + ", const WmSink& wm_sink) {\n" + element + "}\n";
    text += "__device__ __forceinline__ long long " + name("elements") + "(" + list +
            ") {\n  return static_cast<long long>(" + bound + ");\n}\n";
    text += "__device__ __forceinline__ void " + name("add") + "(" + list +
            ", const int wm_bin, const " + value_ + " wm_value) {\n  atomicAdd(&" +
            found_.counters + "[wm_bin], wm_value);\n}\n";
    return text;
  }

  [[nodiscard]] std::string call(const std::string& index, const std::string& streams) const {
    return name("element") + "(" + parameters_.passed_list() + ", static_cast<" +
           found_.elements.index_type + ">(" + index + ")" + streams + ", wm_sink);";
  }

  [[nodiscard]] std::string problem_text() const {
    const bool is_long = size_of_type(found_.elements.index_type) > 4;
    const std::string pack = std::to_string(pack_);
    std::string pieces, aligned = "true", loads, elements, single;
    for (const auto& stream : found_.streams) {
      const std::string& array = stream.parameter;
      const std::string vectors = std::to_string(pack_ * size_of_type(stream.type) / kPieceBytes);
      pieces += "    alignas(16) " + stream.type + " wm_at_" + array + "[" + pack + "];\n";
      aligned += " && reinterpret_cast<size_t>(given_" + array + ") % 16 == 0";
      loads += "#pragma unroll\n    for (int wm_k = 0; wm_k < " + vectors +
               "; ++wm_k) {\n      reinterpret_cast<uint4*>(wm_piece.wm_at_" + array +
               ")[wm_k] = reinterpret_cast<const uint4*>(given_" + array +
               " + wm_i)[wm_k];\n    }\n";
      elements += ", wm_piece.wm_at_" + array + "[wm_k]";
      single += ", given_" + array + "[wm_i]";
    }
    if (found_.streams.empty()) aligned = "false";
    std::string text = "struct wm_problem_" + form_.kernel + " {\n" + parameters_.members();
    text += "  using value = " + value_ +
            ";\n  using index = " + (is_long ? "unsigned long long" : "unsigned") +
            ";\n  static constexpr int pack = " + pack + ";\n  struct piece {\n" + pieces +
            "  };\n";
    text +=
        "  __device__ __forceinline__ index count() const {\n    return static_cast<index>(max(" +
        name("elements") + "(" + parameters_.passed_list() + "), 0ll));\n  }\n";
    text += "  __device__ __forceinline__ bool wide() const { return " + aligned + "; }\n";
    text += "  __device__ __forceinline__ void load(const index wm_i, piece& wm_piece) const {\n" +
            loads + "  }\n";
    text +=
        "  template <class WmSink>\n  __device__ __forceinline__ void take(const piece& "
        "wm_piece, const index wm_i, const WmSink& wm_sink) const {\n#pragma unroll\n"
        "    for (int wm_k = 0; wm_k < pack; ++wm_k) {\n      " +
        call("wm_i + wm_k", elements) + "\n    }\n  }\n";
    text +=
        "  template <class WmSink>\n  __device__ __forceinline__ void element(const index wm_i, "
        "const WmSink& wm_sink) const {\n    " +
        call("wm_i", single) + "\n  }\n";
    text +=
        "  __device__ __forceinline__ void add(const int wm_bin, const value wm_value) const "
        "{\n    " +
        name("add") + "(" + parameters_.passed_list() + ", wm_bin, wm_value);\n  }\n};";
    return text;
  }

  [[nodiscard]] std::string summary() const {
    std::string text = is_weighted() ? "weighted histogram" : "histogram";
    text += " of " + value_ + " counters";
    if (!found_.streams.empty()) {
      text += " from " + join_text(found_.streams, ", ",
                                   [](const ElementStream& stream) { return stream.type; });
    }
    return text + "; count=" + std::to_string(form_.facts[0].values.front()) +
           ", bins=" + std::to_string(form_.facts[1].values.front());
  }

  const Scene& scene_;
  const SyntaxTree& tree_;
  const ScatterLaunch& found_;
  const std::vector<SceneLaunch> launches_;
  MovedParameters parameters_;
  NormalForm form_;
  std::string value_;
  int pack_ = 1;
};

}  // namespace

Result<std::vector<NormalForm>> find_scatter_forms(const Scene& scene) {
  std::vector<NormalForm> forms;
  std::string refusal;
  for (std::size_t i = 0; i < scene.plan().launches.size(); ++i) {
    const auto found = find_scatter_launch(scene, i);
    Result<NormalForm> form =
        found ? ScatterForm(scene, *found).write() : refuse(found.error().message);
    if (form) {
      forms.push_back(std::move(*form));
      continue;
    }
    // A launch that adds by atomics is the one that somebody asks about.
    const Function* function = scene.function_of(i);
    const bool adds = function != nullptr &&
                      scene.tree().text(function->body).find("atomic") != std::string_view::npos;
    if (refusal.empty() || adds) refusal = form.error().message;
  }
  if (forms.empty()) return refuse(refusal.empty() ? "no launch of a kernel is known" : refusal);
  return forms;
}

}  // namespace warpmind::agents::builtin
