#include "agents/builtin/forms/gather_form.h"

#include "agents/builtin/forms/thread_rows.h"
#include "agents/builtin/loops/parallel_loop.h"
#include "agents/builtin/loops/scene_loops.h"
#include "agents/builtin/pointwise/guarded_body.h"
#include "base/text.h"

#include <algorithm>
#include <optional>

namespace warpmind::agents::builtin {
namespace {

constexpr int kDeepest = 12;  // locals that are made of locals

/// Value that leaves every other as it is, and the statement that takes `b` into `a`.
struct Operation {
  std::string identity, take_in;
};

std::string lowest_of(const std::string& type, bool greatest) {
  const std::string sign = greatest ? "" : "-";
  if (type == "float") return sign + "__int_as_float(0x7f800000)";
  if (type == "double") return sign + "__longlong_as_double(0x7ff0000000000000ll)";
  const bool is_unsigned =
      type.find("unsigned") != std::string::npos || type.starts_with("uint") || type == "size_t";
  const bool is_long = size_of_type(type) == 8;
  std::string most =
      is_unsigned ? (is_long ? "~0ull" : "~0u") : (is_long ? "0x7fffffffffffffffll" : "0x7fffffff");
  if (greatest) return most;
  return is_unsigned ? "0" : "(-" + most + " - 1)";
}

Operation operation(const Reduction& reduction, const std::string& into, const std::string& from) {
  const std::string& type = reduction.variable->type;
  const auto assigned = [&](const char* op) { return into + " " + op + " " + from + ";"; };
  switch (reduction.how) {
    case Combining::sum: return {"0", assigned("+=")};
    case Combining::product: return {"1", assigned("*=")};
    case Combining::bit_and: return {"~0", assigned("&=")};
    case Combining::bit_or: return {"0", assigned("|=")};
    case Combining::bit_xor: return {"0", assigned("^=")};
    case Combining::maximum:
      return {lowest_of(type, false), "if (" + from + " > " + into + ") " + assigned("=")};
    case Combining::minimum:
      return {lowest_of(type, true), "if (" + from + " < " + into + ") " + assigned("=")};
  }
  return {};
}

/// The loop over a row's terms.
struct TermLoop {
  CountedLoop header;
  std::vector<Reduction> sums;
};

class GatherReader {
 public:
  GatherReader(const Scene& scene, ThreadRows rows)
      : scene_(scene), tree_(scene.tree()), rows_(std::move(rows)) {}

  /// The clause that says why it is none, or empty.
  std::string read() {
    if (auto why = find_loop(); !why.empty()) return why;
    for (const RowItem& item : rows_.items()) {
      if (item.is_guard || item.node == loop_.header.node) continue;
      for (const std::string_view kind : {"for_statement", "while_statement", "do_statement"}) {
        const bool around = tree_.contains(item.node, loop_.header.node);
        if (!around && !tree_.descendants(item.node, kind).empty()) return "a row has other loops";
      }
    }
    if (auto why = obstacle_in_memory(); !why.empty()) return why;
    for (const Reduction& sum : loop_.sums) {
      const std::string& type = sum.variable->type;
      const int bytes = size_of_type(type);
      if ((bytes != 4 && bytes != 8) || sum.variable->is_array || sum.variable->is_reference) {
        return "'" + sum.variable->name + "' is no number of 32 or 64 bits";
      }
      const NodeId declaration = tree_.ancestor(sum.variable->identifier, "declaration");
      if (only_declarator(tree_, declaration) == kNoNode) {
        return "'" + sum.variable->name + "' is declared together with others";
      }
      if (!may_reorder(scene_, type, sum.how)) {
        return "the order in which '" + sum.variable->name + "' adds must stay";
      }
    }
    return find_streams();
  }

  [[nodiscard]] NormalForm form() const {
    NormalForm form;
    form.kind = FormKind::gather;
    form.launches = {rows_.launch()};
    form.kernel = rows_.function().name;
    form.parameters = parameters();
    form.arguments = rows_.arguments();
    if (gathered_ != nullptr) form.arguments.push_back("i64:" + rows_.elements_of(gathered_->name));
    form.problem = problem();
    std::vector<std::string> kinds;
    for (const Reduction& sum : loop_.sums) {
      kinds.push_back(sum.variable->type + " '" + sum.variable->name + "'");
    }
    form.types.emplace("value", loop_.sums.front().variable->type);
    FormFact count{"rows", rows_.count(), {}};
    FormFact length{"length", "", {}};
    FormFact bytes{"term_bytes", "", {}};
    FormFact words{"state_words", "", {}};
    FormFact gathered{"gathered", "0", {}};
    FormFact gathered_bytes{"gathered_bytes", "4", {}};
    if (gathered_ != nullptr) {
      gathered.plan = rows_.elements_of(gathered_->name);
      gathered_bytes.plan = std::to_string(size_of_type(gathered_->base_type));
    }
    std::int64_t state_words = 0;
    for (const Reduction& sum : loop_.sums) state_words += size_of_type(sum.variable->type) / 4;
    for (const SceneLaunch& launch : scene_.launches_of(rows_.launch())) {
      const std::int64_t rows = rows_.count_of(launch);
      form.workloads.push_back(launch.workload);
      form.timed += launch.timed ? 1 : 0;
      count.values.push_back(rows);
      length.values.push_back(typical_length(launch, rows));
      bytes.values.push_back(term_bytes_);
      words.values.push_back(state_words);
      gathered.values.push_back(gathered_ == nullptr ? 0 : extent_of(launch, gathered_->name));
      gathered_bytes.values.push_back(gathered_ == nullptr ? 4
                                                           : size_of_type(gathered_->base_type));
    }
    form.summary = "rows of terms between bounds that data name, into " + join_text(kinds, ", ") +
                   "; rows=" + std::to_string(count.values.front()) + ", about " +
                   std::to_string(length.values.front()) + " terms of " +
                   std::to_string(term_bytes_) + " bytes each";
    form.facts = {std::move(count), std::move(length),   std::move(bytes),
                  std::move(words), std::move(gathered), std::move(gathered_bytes)};
    form.given_ns = nanoseconds_one_by_one(scene_, form, {"rows", "length"});
    return form;
  }

 private:
  /// Whether memory is read for it, where it stands or where its variables come from.
  [[nodiscard]] bool reads_memory(NodeId expression, int depth = 0) const {
    if (expression == kNoNode || depth > kDeepest) return false;
    for (const MemoryAccess& access : rows_.body().accesses()) {
      if (!access.is_private && tree_.contains(expression, access.node)) return true;
    }
    for (const NodeId name : tree_.descendants(expression, "identifier")) {
      const Local* local = rows_.body().local_of(name);
      if (local != nullptr && reads_memory(local->value, depth + 1)) return true;
    }
    return false;
  }

  std::string find_loop() {
    std::string why = "no loop of '" + rows_.function().name + "' ends where data say";
    for (const RowItem& item : rows_.items()) {
      if (item.is_guard || !tree_.is(item.node, "for_statement")) continue;
      const auto header = counted_loop(rows_.body(), item.node);
      if (!header) {
        why = header.error().message;
        continue;
      }
      if (!reads_memory(header->start) && !reads_memory(header->bound)) continue;
      if (header->step != kNoNode) return "the terms of a row do not stand side by side";
      const auto facts = loop_facts(rows_.body(), *header, buffer_names(scene_, rows_.function()),
                                    injective_by_probing(scene_, rows_.function()));
      if (!facts.obstacle.empty())
        return "the loop over '" + header->variable->name + "' keeps its order: " + facts.obstacle;
      if (!facts.stores.empty()) return "the loop over the terms stores";
      if (facts.reductions.empty()) return "the loop over the terms sums nothing up";
      loop_ = {*header, facts.reductions};
      return {};
    }
    return why;
  }

  /// Ranges and terms are computed by other threads than the one that stores a row's results.
  [[nodiscard]] std::string obstacle_in_memory() const {
    auto needed = range_names();
    needed.merge(term_names());
    std::vector<NodeId> parts{loop_.header.node};
    for (const RowItem& item : rows_.items_before(loop_.header.node, needed, true)) {
      if (!tree_.contains(item.node, loop_.header.node)) parts.push_back(item.node);
    }
    for (const NodeId part : parts) {
      for (const MemoryAccess& access : rows_.body().accesses()) {
        if (access.is_store && !access.is_private && tree_.contains(part, access.node)) {
          return "'" + tree_.plain_text(access.node) + "' is stored for the range of a row";
        }
      }
      if (auto why = rows_.obstacle_to_reading(part); !why.empty()) return why;
    }
    return {};
  }

  [[nodiscard]] std::set<std::string_view> range_names() const {
    auto names = rows_.names_in(loop_.header.start);
    names.merge(rows_.names_in(loop_.header.bound));
    return names;
  }

  [[nodiscard]] std::set<std::string_view> term_names() const {
    auto names = rows_.names_in(loop_.header.body);
    for (const Reduction& sum : loop_.sums) names.erase(sum.variable->name);
    names.erase(loop_.header.variable->name);
    return names;
  }

  /// Loads that move on by one element a term, and what tells that lanes along a row are no gain.
  std::string find_streams() {
    const NodeId loop = loop_.header.node;
    for (const MemoryAccess& access : rows_.body().accesses()) {
      if (!access.is_load || access.is_private || !tree_.contains(loop_.header.body, access.node)) {
        continue;
      }
      const auto step = access.index == kNoNode
                            ? std::nullopt
                            : coefficient(rows_.body(), access.index, *loop_.header.variable, loop);
      if (step == 1) {
        streams_.push_back(&access);
        term_bytes_ += size_of_type(rows_.body().element_type(access.pointer));
      } else if (access.index != kNoNode && step != 0 && varies_by_row(access.index)) {
        return "rows side by side read '" + tree_.plain_text(access.node) +
               "' side by side already";
      }
    }
    find_gathered();
    return streams_.empty() ? "no term stands behind the one before it" : std::string();
  }

  /// The parameter that terms read at places which data name, when there is one.
  void find_gathered() {
    for (const MemoryAccess& access : rows_.body().accesses()) {
      if (access.is_private || !tree_.contains(loop_.header.body, access.node)) continue;
      const bool is_stream = std::find(streams_.begin(), streams_.end(), &access) != streams_.end();
      if (is_stream || !reads_memory(access.index)) continue;
      const Parameter* parameter = rows_.function().parameter(access.root);
      const bool is_plain = parameter != nullptr && parameter->is_pointer && parameter->is_const &&
                            size_of_type(parameter->base_type) > 0 &&
                            !rows_.elements_of(parameter->name).empty();
      if (!is_plain || (gathered_ != nullptr && gathered_ != parameter)) {
        gathered_ = nullptr;
        return;
      }
      gathered_ = parameter;
    }
    if (gathered_ != nullptr && !may_lie_elsewhere()) gathered_ = nullptr;
  }

  /// Whether every access to what is gathered from would do with a copy in another memory. The
  /// terms' loads through the cache for constants become plain ones.
  bool may_lie_elsewhere() {
    for (const MemoryAccess& access : rows_.body().accesses()) {
      if (access.root != gathered_->name) continue;
      if (tree_.is(access.node, "subscript_expression")) continue;
      if (access.node < loop_.header.node) return false;  // moved as it stands
      const auto arguments = tree_.children(tree_.field(access.node, "arguments"));
      const NodeId taken = arguments.size() == 1 ? tree_.bare(arguments[0]) : kNoNode;
      const NodeId element = tree_.bare(tree_.field(taken, "argument"));
      if (!tree_.text(access.node).starts_with("__ldg") || tree_.operator_of(taken) != "&" ||
          !tree_.is(element, "subscript_expression")) {
        return false;
      }
      plain_loads_.push_back({tree_.node(access.node).range, std::string(tree_.text(element))});
    }
    return true;
  }

  /// Of the problem; last of all how much terms are gathered from.
  [[nodiscard]] std::vector<std::string> parameters() const {
    auto all = rows_.parameters();
    if (gathered_ != nullptr) all.emplace_back("long long wm_gathered_elements");
    return all;
  }

  /// Whether an index that data name also moves with the row's number: outside of what is read for
  /// it.
  [[nodiscard]] bool varies_by_row(NodeId index) const {
    if (!reads_memory(index)) return false;
    for (const NodeId name : tree_.descendants(index, "identifier")) {
      const bool is_inner = std::any_of(
          rows_.body().accesses().begin(), rows_.body().accesses().end(),
          [&](const MemoryAccess& inner) {
            return tree_.contains(index, inner.node) && tree_.contains(inner.node, name);
          });
      const Local* local = is_inner ? nullptr : rows_.body().local_of(name);
      if (local == nullptr || local == loop_.header.variable) continue;
      if (local == &rows_.row()) return true;
      if (local->value != kNoNode && !reads_memory(local->value) &&
          rows_.depends_on_row(local->value)) {
        return true;
      }
    }
    return false;
  }

  /// The buffer of the terms holds that many a row.
  [[nodiscard]] std::int64_t typical_length(const SceneLaunch& launch, std::int64_t rows) const {
    std::int64_t longest = 0;
    for (const MemoryAccess* stream : streams_) {
      longest = std::max(longest, extent_of(launch, stream->root));
    }
    return std::max<std::int64_t>(longest / std::max<std::int64_t>(rows, 1), 1);
  }

  [[nodiscard]] std::string struct_name() const { return "wm_problem_" + rows_.function().name; }

  [[nodiscard]] std::string problem() const {
    std::string text = "// What '" + rows_.function().name + "' sums in each row.\nstruct " +
                       struct_name() + " {\n";
    for (const auto& parameter : parameters()) text += "  " + parameter + ";\n";
    text += "  struct wm_state {\n";
    for (const Reduction& sum : loop_.sums) {
      text += "    " + sum.variable->type + " " + sum.variable->name + ";\n";
    }
    text += "  };\n  using wm_index = " + rows_.index_type() +
            ";\n  using wm_position = " + loop_.header.variable->type + ";\n";
    return text + operators() + gathered() + range() + term() + finish() + "};";
  }

  [[nodiscard]] std::string operators() const {
    std::string identities, body;
    for (const Reduction& sum : loop_.sums) {
      const std::string& name = sum.variable->name;
      const Operation how = operation(sum, "wm_a." + name, "wm_b." + name);
      identities += (identities.empty() ? "" : ", ") +
                    ("static_cast<" + sum.variable->type + ">(" + how.identity + ")");
      body += "    " + how.take_in + "\n";
    }
    return "  static __device__ __forceinline__ wm_state wm_identity() {\n    return {" +
           identities + "};\n  }\n" +
           "  static __device__ __forceinline__ wm_state wm_combine(wm_state wm_a, const wm_state "
           "wm_b) {\n" +
           body + "    return wm_a;\n  }\n" +
           "  __device__ __forceinline__ wm_index wm_rows() const { return wm_row_count; }\n";
  }

  [[nodiscard]] std::string gathered() const {
    const std::string type = gathered_ == nullptr ? "unsigned" : gathered_->base_type;
    const std::string name = gathered_ == nullptr ? "nullptr" : gathered_->name;
    const std::string problem = struct_name();
    return "  using wm_gathered = " + type +
           ";\n  __device__ __forceinline__ unsigned long long wm_gathered_count() const {\n"
           "    return " +
           (gathered_ == nullptr ? "0" : "wm_gathered_elements") +
           ";\n  }\n  __device__ __forceinline__ const wm_gathered* wm_gathered_from() const {\n"
           "    return " +
           name + ";\n  }\n  __device__ __forceinline__ " + problem +
           " wm_gathering_from(const wm_gathered* wm_copy) const {\n    " + problem +
           " wm_other = *this;\n" +
           (gathered_ == nullptr ? "" : "    wm_other." + name + " = wm_copy;\n") +
           "    return wm_other;\n  }\n";
  }

  [[nodiscard]] std::string range() const {
    const CountedLoop& loop = loop_.header;
    return "  __device__ __forceinline__ void wm_range(const wm_index wm_row, wm_position& "
           "wm_begin,\n                                           wm_position& wm_end) const {\n" +
           rows_.before(loop.node, range_names(), true) +
           "    wm_begin = " + std::string(tree_.text(loop.start)) +
           ";\n    wm_end = " + std::string(tree_.text(loop.bound)) +
           (loop.is_inclusive ? " + 1" : "") + ";\n  }\n";
  }

  [[nodiscard]] std::string term() const {
    const CountedLoop& loop = loop_.header;
    std::string sums, result;
    for (const Reduction& sum : loop_.sums) {
      sums += "    " + sum.variable->type + " " + sum.variable->name + " = wm_identity()." +
              sum.variable->name + ";\n";
      result += (result.empty() ? "" : ", ") + sum.variable->name;
    }
    return "  __device__ __forceinline__ wm_state wm_term(const wm_index wm_row,\n"
           "                                              const wm_position wm_at) const {\n" +
           rows_.before(loop.node, term_names(), false) + sums + "    const " +
           loop.variable->type + " " + loop.variable->name + " = wm_at;\n    do " +
           with_plain_loads(loop.body) + " while (false);\n    return {" + result + "};\n  }\n";
  }

  [[nodiscard]] std::string with_plain_loads(NodeId node) const {
    const Range whole = tree_.node(node).range;
    auto edits = plain_loads_;
    std::erase_if(edits, [&](const TextEdit& edit) {
      return edit.range.begin < whole.begin || edit.range.end > whole.end;
    });
    return edited_part(tree_.source(), whole, edits);
  }

  [[nodiscard]] std::string finish() const {
    const NodeId loop = loop_.header.node;
    std::string totals = "{\n";
    for (const Reduction& sum : loop_.sums) {
      const std::string& name = sum.variable->name;
      totals += "      " + operation(sum, name, "wm_total." + name).take_in + "\n";
    }
    totals += "    }";
    const Range whole{begin_with_pragma(tree_, loop), tree_.node(loop).range.end};
    std::vector<TextEdit> edits{{whole, totals}};
    for (const TextEdit& edit : plain_loads_) {
      if (edit.range.end <= whole.begin || edit.range.begin >= whole.end) edits.push_back(edit);
    }
    return "  __device__ __forceinline__ void wm_finish(const wm_index wm_row,\n"
           "                                            const wm_state wm_total) const {\n" +
           rows_.work(std::move(edits)) + "  }\n";
  }

  const Scene& scene_;
  const SyntaxTree& tree_;
  ThreadRows rows_;
  TermLoop loop_;
  std::vector<const MemoryAccess*> streams_;
  std::int64_t term_bytes_ = 0;
  const Parameter* gathered_ = nullptr;
  std::vector<TextEdit> plain_loads_;  ///< of what may be copied elsewhere
};

}  // namespace

Result<std::vector<NormalForm>> find_gather_forms(const Scene& scene) {
  return forms_of_thread_rows<GatherReader>(scene);
}

}  // namespace warpmind::agents::builtin
