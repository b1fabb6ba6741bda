#include "agents/builtin/pointwise/pointwise_kernel.h"
#include "agents/builtin/pointwise/pure_code.h"
#include "agents/builtin/techniques/all_techniques.h"
#include "agents/builtin/techniques/vector_row_loops.h"
#include "agents/builtin/templates/device_templates.h"
#include "base/sequence.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace warpmind::agents::builtin {
namespace {

constexpr std::array<std::int64_t, 3> kWidths{8, 4, 2};

/// A pointer whose elements are held in a pack.
struct PackedPointer {
  std::string name;
  std::string pack;
  std::string type;
  std::int64_t bytes = 0;  ///< of an element
  bool loads = false;
  bool stores = false;
};

/// End of the expression that surely wrote the element before what follows it.
std::size_t certain_store_end(const SyntaxTree& tree, const PointwiseKernel& kernel,
                              const std::string& parameter) {
  for (const auto& access : kernel.accesses) {
    if (access.parameter != parameter || !access.is_flat || !access.is_store) continue;
    if (!access.is_certain || access.is_load) continue;
    return tree.node(tree.ancestor(access.node, "assignment_expression")).range.end;
  }
  return std::string::npos;
}

/// nullopt: each element stays on its own.
std::optional<PackedPointer> packed_pointer(const Scene& scene, const PointwiseKernel& kernel,
                                            const Parameter& parameter) {
  const SyntaxTree& tree = scene.tree();
  const auto bytes = type_bytes(parameter.base_type);
  if (!bytes || parameter.type.find("**") != std::string::npos) return std::nullopt;
  PackedPointer packed{parameter.name, unused_name(tree, "wm_" + parameter.name),
                       parameter.base_type, *bytes};
  const std::size_t written = certain_store_end(tree, kernel, parameter.name);
  bool loads_for_sure = false;
  bool stores_for_sure = false;
  for (const auto& access : kernel.accesses) {
    if (access.parameter != parameter.name || !access.is_flat) continue;
    packed.stores |= access.is_store;
    stores_for_sure |= access.is_store && access.is_certain;
    const bool is_covered = tree.node(access.node).range.begin > written;
    if (!access.is_load || is_covered) continue;
    packed.loads = true;
    loads_for_sure |= access.is_certain;
  }
  // Neither a load nor a store may touch what the given kernel leaves alone.
  if (packed.loads && !loads_for_sure) return std::nullopt;
  if (packed.stores && !stores_for_sure) return std::nullopt;
  if (!packed.loads && !packed.stores) return std::nullopt;
  return packed;
}

/// Why elements depend on each other through memory, or empty.
std::string dependence(const Scene& scene, const PointwiseKernel& kernel) {
  const SyntaxTree& tree = scene.tree();
  for (const auto* launch : scene.launches_of(*kernel.function)) {
    for (const auto& store : kernel.accesses) {
      if (!store.is_store) continue;
      const auto buffer = launch->buffers.find(store.parameter);
      if (buffer == launch->buffers.end()) return "'" + store.parameter + "' is bound to no buffer";
      const NodeId assignment = tree.ancestor(store.node, "assignment_expression");
      for (const auto& other : kernel.accesses) {
        const auto bound = launch->buffers.find(other.parameter);
        if (bound == launch->buffers.end() || bound->second != buffer->second) continue;
        const bool is_same = other.parameter == store.parameter;
        if (!store.is_flat || !other.is_flat) {
          return "'" + buffer->second + "' is written and used at another index";
        }
        // Packs of two pointers do not see each other's stores.
        const bool is_before = other.node < store.node ||
                               (assignment != kNoNode && tree.contains(assignment, other.node));
        if (!is_same && (other.is_store || !is_before)) {
          return "'" + buffer->second + "' is written and read through two pointers";
        }
      }
    }
  }
  return {};
}

struct VectorPlan {
  PointwiseKernel kernel;
  std::vector<PackedPointer> packed;
};

/// What can be done with the function of launch `index`; the reason otherwise.
std::optional<VectorPlan> plan_for(const Scene& scene, std::size_t index, std::string& refusal) {
  auto found = find_pointwise(scene, index);
  if (!found.kernel) {
    refusal = found.refusal;
    return std::nullopt;
  }
  VectorPlan plan{std::move(*found.kernel), {}};
  refusal = dependence(scene, plan.kernel);
  if (!refusal.empty()) return std::nullopt;
  if (scene.tree().text(plan.kernel.function->node).find("wm_pack<") != std::string_view::npos) {
    refusal = "'" + plan.kernel.function->name + "' moves packs already";
    return std::nullopt;
  }
  for (const auto& parameter : plan.kernel.function->parameters) {
    if (!parameter.is_pointer) continue;
    if (auto packed = packed_pointer(scene, plan.kernel, parameter)) {
      plan.packed.push_back(std::move(*packed));
    }
  }
  if (!plan.packed.empty()) return plan;
  refusal = "no pointer of '" + plan.kernel.function->name + "' is surely used at the flat index";
  return std::nullopt;
}

/// The launches of the plan by function, with what can be done with it.
std::map<const Function*, VectorPlan> vector_plans(const Scene& scene, std::string& refusal) {
  std::map<const Function*, VectorPlan> plans;
  std::set<const Function*> seen;
  for (std::size_t i = 0; i < scene.plan().launches.size(); ++i) {
    const Function* function = scene.function_of(i);
    if (function != nullptr && !seen.insert(function).second) continue;
    std::string why;
    if (auto plan = plan_for(scene, i, why)) {
      plans.emplace(function, std::move(*plan));
    } else if (refusal.empty()) {
      refusal = why;
    }
  }
  return plans;
}

/// Text of the rewritten loop or guard, in pieces.
class PackWriter {
 public:
  PackWriter(const Scene& scene, const VectorPlan& plan, std::int64_t width)
      : scene_(scene),
        tree_(scene.tree()),
        plan_(plan),
        width_(std::to_string(width)),
        number_(width) {
    first_ = unused_name(tree_, "wm_first");
    count_ = unused_name(tree_, "wm_count");
    lane_ = unused_name(tree_, "wm_lane");
  }

  [[nodiscard]] std::vector<TextEdit> edits() const {
    const PointwiseKernel& kernel = plan_.kernel;
    std::vector<TextEdit> all;
    if (!kernel.is_loop) all.push_back(removal(kernel.declaration));
    for (const NodeId derived : kernel.derived) all.push_back(removal(derived));
    Range range = tree_.node(kernel.guard).range;
    if (!kernel.work.empty()) {
      range.end = std::max(range.end, tree_.node(kernel.work.back()).range.end);
    }
    all.push_back({range, body()});
    return all;
  }

 private:
  [[nodiscard]] TextEdit removal(NodeId statement) const {
    return {whole_line(tree_, statement), ""};
  }

  [[nodiscard]] std::string text(NodeId node) const { return std::string(tree_.text(node)); }

  [[nodiscard]] std::string body() const {
    const PointwiseKernel& kernel = plan_.kernel;
    std::string out =
        "const long long " + count_ + " = static_cast<long long>(" + text(kernel.bound) + ");\n";
    const std::string start = "static_cast<long long>(" + text(kernel.first) + ") * " + width_;
    if (!kernel.is_loop) {
      out += "  const long long " + first_ + " = " + start + ";\n";
      return out + element_block("  ");
    }
    out += "  for (long long " + first_ + " = " + start + "; " + first_ + " < " + count_ + ";\n" +
           "       " + first_ + " += static_cast<long long>(" +
           text(tree_.field(kernel.update, "right")) + ") * " + width_ + ") {\n";
    return out + element_block("    ") + "\n  }";
  }

  /// The widest word that any pack moves, in bytes.
  [[nodiscard]] std::int64_t alignment() const {
    std::int64_t most = 1;
    for (const auto& packed : plan_.packed) {
      most = std::max(most, std::min<std::int64_t>(16, packed.bytes * number_));
    }
    return most;
  }

  [[nodiscard]] std::string aligned(const std::string& in) const {
    std::string pointers;
    for (const auto& packed : plan_.packed) {
      if (!pointers.empty()) pointers += " |\n" + in + "      ";
      pointers += "reinterpret_cast<unsigned long long>(" + packed.name + ")";
    }
    return "((" + pointers + ") & " + std::to_string(alignment() - 1) + ") == 0";
  }

  [[nodiscard]] std::string element_block(const std::string& in) const {
    const PointwiseKernel& kernel = plan_.kernel;
    const std::string number = "const " + kernel.index_type + " " + kernel.index +
                               " = static_cast<" + kernel.index_type + ">(";
    std::string out = in + "if (" + first_ + " + " + width_ + " <= " + count_ + " &&\n" + in +
                      "    " + aligned(in) + ") {\n";
    for (const auto& packed : plan_.packed) {
      out += in + "  wm_pack<" + packed.type + ", " + width_ + "> " + packed.pack + ";\n";
      if (packed.loads) {
        out += in + "  " + packed.pack + ".load(" + packed.name + " + " + first_ + ");\n";
      }
    }
    out += "#pragma unroll\n" + in + "  for (int " + lane_ + " = 0; " + lane_ + " < " + width_ +
           "; ++" + lane_ + ") {\n" + in + "    " + number + first_ + " + " + lane_ + ");\n" +
           work_text(scene_, kernel, packed_accesses(), in + "    ") + in + "  }\n";
    for (const auto& packed : plan_.packed) {
      if (!packed.stores) continue;
      out += in + "  " + packed.pack + ".store(" + packed.name + " + " + first_ + ");\n";
    }
    out += in + "} else {\n" + in + "  for (int " + lane_ + " = 0; " + lane_ + " < " + width_ +
           " && " + first_ + " + " + lane_ + " < " + count_ + "; ++" + lane_ + ") {\n" + in +
           "    " + number + first_ + " + " + lane_ + ");\n" +
           work_text(scene_, kernel, {}, in + "    ") + in + "  }\n" + in + "}";
    return out;
  }

  [[nodiscard]] std::vector<TextEdit> packed_accesses() const {
    std::vector<TextEdit> all;
    for (const auto& access : plan_.kernel.accesses) {
      if (!access.is_flat) continue;
      for (const auto& packed : plan_.packed) {
        if (packed.name != access.parameter) continue;
        all.push_back({tree_.node(access.node).range, packed.pack + ".at[" + lane_ + "]"});
      }
    }
    return all;
  }

  const Scene& scene_;
  const SyntaxTree& tree_;
  const VectorPlan& plan_;
  std::string width_;
  std::int64_t number_;
  std::string first_;
  std::string count_;
  std::string lane_;
};

/// Whether a thread gets one element at most: then fewer threads are needed. A loop over all
/// threads works with any grid, and a small one is left as it is.
bool covers_at_once(const Scene& scene, std::size_t index, const PointwiseKernel& kernel) {
  if (!kernel.is_loop) return true;
  const auto bounds = bounds_of(scene, index, kernel);
  const auto launches = scene.launches_of(index);
  return bounds && std::all_of(launches.begin(), launches.end(), [&](const SceneLaunch& launch) {
           return std::int64_t{launch.shape.grid[0]} * launch.shape.block[0] >=
                  bounds->at(launch.workload);
         });
}

std::optional<Kernel> apply_vectorized_loads(const Scene& scene, std::string_view parameters) {
  if (parameter_text(parameters, "loops")) return apply_row_loop_vectors(scene, parameters);
  if (auto loops = apply_row_loop_vectors(scene, parameters)) return loops;
  const auto width = parameter_number(parameters, "width");
  if (!width || !contains(kWidths, *width)) {
    return std::nullopt;
  }
  std::string refusal;
  const auto plans = vector_plans(scene, refusal);
  if (plans.empty()) return std::nullopt;
  std::vector<TextEdit> edits;
  if (auto pasted = paste_template(scene.tree(), "vector_pack")) edits.push_back(*pasted);
  for (const auto& [function, plan] : plans) {
    const auto own = PackWriter(scene, plan, *width).edits();
    edits.insert(edits.end(), own.begin(), own.end());
  }
  Kernel edited = with_edits(scene, std::move(edits));
  for (std::size_t i = 0; i < edited.plan.launches.size(); ++i) {
    const auto plan = plans.find(scene.function_of(i));
    if (plan == plans.end() || !covers_at_once(scene, i, plan->second.kernel)) continue;
    auto& grid = edited.plan.launches[i].grid[0];
    grid = divided_text(grid, *width);
  }
  return edited;
}

/// Measured for 16-bit elements on an H200: 1.4, 1.7 and 2.0 for 2, 4 and 8 of them; nothing when
/// the launch is too short to be limited by memory. 4-byte elements have half as far to go.
double vector_gain(const Scene& scene, const std::map<const Function*, VectorPlan>& plans,
                   std::int64_t width) {
  const auto& workloads = scene.context().task.workloads;
  const auto timed = std::count_if(workloads.begin(), workloads.end(),
                                   [](const Workload& workload) { return workload.timed; });
  double rest = 1;
  for (const auto& launch : scene.launches()) {
    if (!launch.timed || !plans.contains(scene.function_of(launch.index))) continue;
    const VectorPlan& plan = plans.at(scene.function_of(launch.index));
    std::int64_t smallest = 16;
    double bytes = 0;
    for (const auto& packed : plan.packed) {
      smallest = std::min(smallest, packed.bytes);
      const auto extent = launch.extents.find(packed.name);
      if (extent != launch.extents.end()) {
        bytes += static_cast<double>(extent->second * packed.bytes);
      }
    }
    constexpr double kShort = 4e6;  // a microsecond of a fast device's memory
    if (bytes < kShort) continue;
    const double step =
        std::min<double>(static_cast<double>(width * smallest), 16) / static_cast<double>(smallest);
    double gain = step >= 8 ? 2.0 : step >= 4 ? 1.7 : 1.4;
    if (smallest >= 4) gain = 1 + (gain - 1) * 0.25;
    if (smallest >= 8) gain = 1.02;
    if (width * smallest > 16) gain *= 0.99;  // more registers for the same width
    const double share =
        scene.time_share(launch.index) / static_cast<double>(std::max<std::ptrdiff_t>(timed, 1));
    rest += share / gain - share;
  }
  return 1 / std::max(rest, 0.2);
}

Offer offer_vectorized_loads(const Scene& scene) {
  if (scene.plan().launches.empty()) return Offer::refuse(kNoLaunch);
  Offer offer;
  const auto plans = vector_plans(scene, offer.refusal);
  if (!plans.empty()) {
    for (const auto width : kWidths) {
      offer.moves.push_back(
          {"vectorized_loads", "width=" + std::to_string(width), vector_gain(scene, plans, width)});
    }
  }
  auto rows = row_loop_vector_offer(scene);
  offer.moves.insert(offer.moves.end(), rows.moves.begin(), rows.moves.end());
  if (offer.moves.empty()) {
    offer.refusal += "; " + rows.refusal;
    return offer;
  }
  offer.refusal.clear();
  std::stable_sort(offer.moves.begin(), offer.moves.end(),
                   [](const Move& a, const Move& b) { return a.prior_gain > b.prior_gain; });
  return offer;
}

}  // namespace

Technique vectorized_loads_technique() {
  return {"vectorized_loads",
          "several neighbouring elements a thread are moved by one instruction, so that fewer "
          "instructions carry the same bytes and more of them are in flight",
          "width=2, 4 or 8 elements a thread; loops=NAME, the kernel whose loops over rows are "
          "moved in pieces of 16 bytes",
          offer_vectorized_loads, apply_vectorized_loads};
}

}  // namespace warpmind::agents::builtin
