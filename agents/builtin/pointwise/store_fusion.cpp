#include "agents/builtin/pointwise/store_fusion.h"

#include "agents/builtin/pointwise/launch_pair.h"
#include "agents/builtin/pointwise/pointwise_kernel.h"
#include "agents/builtin/probe/kernel_prober.h"

#include <algorithm>
#include <array>

namespace warpmind::agents::builtin {
namespace {

/// The only statement that touches the buffer.
struct OnlyStore {
  NodeId statement = kNoNode;  ///< expression_statement
  NodeId index = kNoNode;
  NodeId value = kNoNode;
  std::vector<NodeId> loops;  ///< around it, outermost first
};

/// Counts which elements a store writes.
class StoreCoverage {
 public:
  StoreCoverage(const Scene& scene, const Function& function, const OnlyStore& store)
      : scene_(scene), function_(function), store_(store) {}

  /// Whether each of the `bound` elements is written once; nullopt when there are too many.
  [[nodiscard]] std::optional<bool> counted(const SceneLaunch& launch, std::int64_t bound) const {
    const KernelProber prober(scene_.source(), function_, launch);
    if (bound > kMost || prober.threads() > kMost) return std::nullopt;
    std::vector<int> writes(static_cast<std::size_t>(bound), 0);
    std::int64_t budget = kMost;
    for (std::int64_t thread = 0; thread < prober.threads(); ++thread) {
      const auto done = visit(prober, prober.position(thread), {}, 0, writes, budget);
      if (!done) return std::nullopt;
      if (!*done) return false;
    }
    return std::all_of(writes.begin(), writes.end(), [](int count) { return count == 1; });
  }

  /// Whether no thread that was looked at writes outside of the elements.
  [[nodiscard]] bool probed(const SceneLaunch& launch, std::int64_t bound) const {
    const KernelProber prober(scene_.source(), function_, launch);
    const auto largest = largest_value(prober, store_.index);
    return largest && *largest < bound;
  }

 private:
  static constexpr std::int64_t kMost = 3000;

  /// nullopt: it cannot be told, or it takes too long.
  std::optional<bool> visit(const KernelProber& prober, const ThreadPosition& thread,
                            const Iterations& at, std::size_t depth, std::vector<int>& writes,
                            std::int64_t& budget) const {
    if (--budget < 0) return std::nullopt;
    if (depth < store_.loops.size()) {
      const auto reached = prober.reaches(store_.loops[depth], thread, at);
      if (!reached) return std::nullopt;
      if (!*reached) return true;
      const auto trips = prober.trips(store_.loops[depth], thread, at);
      if (!trips) return std::nullopt;
      for (std::int64_t trip = 0; trip < *trips; ++trip) {
        Iterations next = at;
        next[store_.loops[depth]] = trip;
        const auto done = visit(prober, thread, next, depth + 1, writes, budget);
        if (!done || !*done) return done;
      }
      return true;
    }
    const auto reached = prober.reaches(store_.statement, thread, at);
    if (!reached) return std::nullopt;
    if (!*reached) return true;
    const auto element = prober.value(store_.index, thread, at);
    if (!element) return std::nullopt;
    if (*element < 0 || *element >= static_cast<std::int64_t>(writes.size())) return false;
    return ++writes[static_cast<std::size_t>(*element)] == 1;
  }

  const Scene& scene_;
  const Function& function_;
  const OnlyStore& store_;
};

class StoreFusion {
 public:
  StoreFusion(const Scene& scene, std::size_t first)
      : scene_(scene), tree_(scene.tree()), pair_(scene, first) {}

  Fusion fuse_launches() {
    if (!read_consumer() || !find_buffer() || !find_store() || !check_coverage()) {
      return {std::nullopt, refusal_};
    }
    return pair_.fused(written_, [&](const std::string& name, FusedParameters& parameters) {
      return rewritten(name, parameters);
    });
  }

 private:
  bool fail_with(std::string why) {
    refusal_ = std::move(why);
    return false;
  }

  bool read_consumer() {
    const auto& launches = pair_.launches();
    if (launches[1] >= scene_.plan().launches.size()) return fail_with("no launch follows");
    producer_ = scene_.function_of(launches[0]);
    if (producer_ == nullptr) return fail_with("'" + pair_.kernel(0) + "' is not known");
    if (auto why = reason_not_to_edit(scene_.source(), *producer_); !why.empty()) {
      return fail_with(why);
    }
    auto found = pair_.element_part(1);
    if (!found.kernel) return fail_with(found.refusal);
    consumer_ = std::move(*found.kernel);
    return true;
  }

  /// Whether the producer may write through that parameter.
  [[nodiscard]] bool may_write(const Parameter& parameter) const {
    return parameter.is_pointer && !parameter.is_const;
  }

  /// The buffer that both use; no other may carry anything between elements.
  bool find_buffer() {
    std::set<std::string> read;
    for (const auto& access : consumer_.accesses) {
      const auto buffer = pair_.argument_of(1, access.parameter);
      read.insert(buffer);
      if (access.is_store) written_.insert(buffer);
    }
    const std::set<std::string> by_consumer = written_;
    for (const auto& parameter : producer_->parameters) {
      if (!parameter.is_pointer) continue;
      const auto buffer = pair_.argument_of(0, parameter.name);
      if (may_write(parameter)) written_.insert(buffer);
      if (may_write(parameter) && read.contains(buffer) && buffer_.empty()) {
        buffer_ = buffer;
        pointer_ = &parameter;
      } else if ((may_write(parameter) && read.contains(buffer)) || by_consumer.contains(buffer)) {
        return fail_with("'" + buffer + "' is used by both in more than one way");
      }
    }
    if (buffer_.empty()) {
      return fail_with("'" + pair_.kernel(1) + "' uses nothing that '" + pair_.kernel(0) +
                       "' writes");
    }
    for (const auto& parameter : producer_->parameters) {
      if (&parameter != pointer_ && pair_.argument_of(0, parameter.name) == buffer_) {
        return fail_with("'" + buffer_ + "' is bound twice in '" + pair_.kernel(0) + "'");
      }
    }
    for (const auto& access : consumer_.accesses) {
      if (pair_.argument_of(1, access.parameter) == buffer_ && !access.is_flat) {
        return fail_with("'" + buffer_ + "' is used at another index in '" + pair_.kernel(1) + "'");
      }
    }
    return true;
  }

  bool find_store() {
    const auto uses = tree_.uses(producer_->body, pointer_->name);
    const std::string where =
        "'" + pair_.kernel(0) + "' does not write '" + buffer_ + "' by one plain store alone";
    if (uses.size() != 1) return fail_with(where);
    const NodeId subscript = tree_.node(uses[0]).parent;
    const NodeId assignment = tree_.node(subscript).parent;
    const NodeId statement = tree_.node(assignment).parent;
    const auto indices = tree_.children(tree_.field(subscript, "indices"));
    if (!tree_.is(subscript, "subscript_expression") || indices.size() != 1 ||
        tree_.field(subscript, "argument") != uses[0] ||
        !tree_.is(assignment, "assignment_expression") || tree_.operator_of(assignment) != "=" ||
        tree_.field(assignment, "left") != subscript ||
        !tree_.is(statement, "expression_statement") ||
        !tree_.descendants(indices[0], "update_expression").empty() ||
        !tree_.descendants(indices[0], "assignment_expression").empty()) {
      return fail_with(where);
    }
    store_ = {statement, indices[0], tree_.field(assignment, "right"), {}};
    for (NodeId up = tree_.node(statement).parent; up != producer_->body;
         up = tree_.node(up).parent) {
      if (tree_.is(up, "for_statement")) store_.loops.insert(store_.loops.begin(), up);
      if (tree_.is(up, "while_statement") || tree_.is(up, "do_statement") ||
          tree_.is(up, "switch_statement")) {
        return fail_with("'" + pair_.kernel(0) + "' stores in a loop that is not counted");
      }
    }
    return true;
  }

  bool check_coverage() {
    const auto bounds = bounds_of(scene_, pair_.launches()[1], consumer_);
    if (!bounds) return fail_with("the elements of '" + pair_.kernel(1) + "' cannot be counted");
    if (auto why = pair_.elements_left_out(1, *bounds); !why.empty()) return fail_with(why);
    const StoreCoverage coverage(scene_, *producer_, store_);
    bool is_proven = false;
    for (const auto& launch : scene_.launches_of(pair_.launches()[0])) {
      const std::int64_t bound = bounds->at(launch.workload);
      const auto counted = coverage.counted(launch, bound);
      is_proven |= counted == true && bound > 1;
      if (counted == false || (!counted && !coverage.probed(launch, bound))) {
        return fail_with("'" + pair_.kernel(0) + "' does not write each element of '" + buffer_ +
                         "' once");
      }
    }
    return is_proven ||
           fail_with("no workload is small enough to count what '" + pair_.kernel(0) + "' writes");
  }

  [[nodiscard]] std::string text_of(NodeId node, const std::vector<TextEdit>& edits) const {
    return edited_part(tree_.source(), tree_.node(node).range, edits);
  }

  /// Renamings, with the elements of the buffer in a variable.
  [[nodiscard]] std::vector<TextEdit> consumer_edits(const FusedParameters& parameters,
                                                     const std::string& held) const {
    std::vector<TextEdit> edits;
    std::vector<Range> replaced;
    for (const auto& access : consumer_.accesses) {
      if (pair_.argument_of(1, access.parameter) != buffer_) continue;
      edits.push_back({tree_.node(access.node).range, held});
      replaced.push_back(tree_.node(access.node).range);
    }
    for (auto& edit : renaming_edits(tree_, consumer_.function->body, parameters.renaming(1))) {
      const bool is_inside = std::any_of(replaced.begin(), replaced.end(), [&](const Range& range) {
        return edit.range.begin >= range.begin && edit.range.end <= range.end;
      });
      if (!is_inside) edits.push_back(std::move(edit));
    }
    return edits;
  }

  std::string rewritten(const std::string& name, FusedParameters& parameters) const {
    const std::string pointer = parameters.name_of(buffer_);
    const std::string element = parameters.element_of(buffer_);
    const bool is_kept = pair_.survives(buffer_);
    const std::string held = parameters.fresh("wm_" + pointer);
    const std::string at = parameters.fresh("wm_at");
    if (!is_kept) parameters.drop(buffer_);
    auto edits = renaming_edits(tree_, producer_->body, parameters.renaming(0));
    const auto consumer = consumer_edits(parameters, held);
    const std::size_t begin = tree_.node(store_.statement).range.begin;
    const std::size_t line = begin == 0 ? 0 : tree_.source().rfind('\n', begin - 1) + 1;
    const std::string in(begin - line, ' ');
    const std::string& type = consumer_.index_type;
    std::string text = "{\n" + in + "  const " + type + " " + at + " = static_cast<" + type + ">(" +
                       text_of(store_.index, edits) + ");\n" + in + "  " + element + " " + held +
                       " = " + text_of(store_.value, edits) + ";\n" + in + "  {\n";
    for (const NodeId declaration : consumer_.uniform) {
      text += in + "    " + text_of(declaration, consumer) + "\n";
    }
    text += in + "    const " + type + " " + consumer_.index + " = " + at + ";\n" + in +
            "    if (" + consumer_.index + " < " + text_of(consumer_.bound, consumer) + ") {\n" +
            work_text(scene_, consumer_, consumer, in + "      ") + in + "    }\n" + in + "  }\n";
    if (is_kept) text += in + "  " + pointer + "[" + at + "] = " + held + ";\n";
    text += in + "}";
    const Range whole = tree_.node(store_.statement).range;
    std::erase_if(edits, [&](const TextEdit& edit) {
      return edit.range.begin >= whole.begin && edit.range.end <= whole.end;
    });
    edits.push_back({whole, text});
    return "extern \"C\" __global__" + pair_.head(0) + name + "(" + parameter_text(parameters) +
           ") " + text_of(producer_->body, edits);
  }

  const Scene& scene_;
  const SyntaxTree& tree_;
  LaunchPair pair_;
  const Function* producer_ = nullptr;
  PointwiseKernel consumer_;
  std::string buffer_;
  const Parameter* pointer_ = nullptr;
  OnlyStore store_;
  std::set<std::string> written_;
  std::string refusal_;
};

}  // namespace

Fusion fuse_into_store(const Scene& scene, std::size_t first) {
  return StoreFusion(scene, first).fuse_launches();
}

}  // namespace warpmind::agents::builtin
