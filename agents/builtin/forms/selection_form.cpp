#include "agents/builtin/forms/selection_form.h"

#include "agents/builtin/contraction/uniform_expressions.h"
#include "agents/builtin/forms/selection_loops.h"
#include "base/sequence.h"

#include <algorithm>
#include <array>

namespace warpmind::agents::builtin {
namespace {

/// Those that a skill can bring in order.
constexpr std::array<std::string_view, 7> kKeyTypes{
    "float", "double", "int", "unsigned", "unsigned int", "long long", "unsigned long long"};

class SelectionReader {
 public:
  SelectionReader(const Scene& scene, ThreadRows rows)
      : scene_(scene), tree_(scene.tree()), rows_(std::move(rows)) {}

  /// The clause that says why it is none, or empty.
  std::string read() {
    auto loops = selection_loops(scene_, rows_);
    if (!loops) return loops.error().message;
    loops_ = std::move(*loops);
    if (!contains(kKeyTypes, loops_.key_type)) {
      return "keys of type '" + loops_.key_type + "' are not brought in order";
    }
    if (auto why = obstacle_in_memory(); !why.empty()) return why;
    const KernelBody& body = rows_.body();
    for (const NodeId part : {loops_.columns.bound, loops_.ranks.bound}) {
      for (const NodeId name : tree_.descendants(part, "identifier")) {
        const Local* local = body.local_of(name);
        if (local != nullptr && body.declared_in(*local, loops_.ranks.node)) {
          return "'" + local->name + "' differs from pass to pass";
        }
      }
    }
    for (const NodeId name : key_names()) {
      const Local* local = body.local_of(name);
      if (local == nullptr || local == loops_.columns.variable || local == &rows_.row()) {
        continue;
      }
      const bool is_inner = body.declared_in(*local, loops_.columns.node);
      if (!is_inner && body.declared_in(*local, loops_.ranks.node)) {
        return "a key depends on '" + local->name + "', which differs from pass to pass";
      }
      if (body.written_in(*local, rows_.function().body)) {
        return "a key depends on '" + local->name + "', which changes";
      }
    }
    find_piece();
    return find_sizes();
  }

  [[nodiscard]] NormalForm form() const {
    NormalForm form;
    form.kind = FormKind::selection;
    form.launches = {rows_.launch()};
    form.kernel = rows_.function().name;
    form.parameters = rows_.parameters();
    form.arguments = rows_.arguments();
    form.problem = problem();
    form.types.emplace("key", loops_.key_type);
    FormFact rows{"rows", rows_.count(), {}};
    FormFact columns{"columns", columns_plan_, columns_};
    FormFact k{"k", k_plan_, k_};
    for (const SceneLaunch& launch : scene_.launches_of(rows_.launch())) {
      form.workloads.push_back(launch.workload);
      form.timed += launch.timed ? 1 : 0;
      rows.values.push_back(rows_.count_of(launch));
    }
    form.summary = std::string("the ") + (loops_.is_largest ? "largest" : "smallest") + " " +
                   std::to_string(k.values.front()) + " " + loops_.key_type +
                   " of each row, of equal ones the " +
                   (loops_.is_earlier_first ? "earlier" : "later") +
                   "; rows=" + std::to_string(rows.values.front()) +
                   ", columns=" + std::to_string(columns.values.front());
    form.facts = {std::move(rows), std::move(columns), std::move(k)};
    // A pass over the columns for each that is selected.
    form.given_ns = nanoseconds_one_by_one(scene_, form, {"rows", "columns", "k"});
    return form;
  }

 private:
  /// Identifiers of the key, those inside of locals of the columns' loop included.
  [[nodiscard]] std::vector<NodeId> key_names() const {
    std::vector<NodeId> all;
    std::vector<NodeId> open{loops_.key};
    while (!open.empty()) {
      const NodeId part = open.back();
      open.pop_back();
      for (const NodeId name : tree_.descendants(part, "identifier")) {
        if (contains(all, name)) continue;
        all.push_back(name);
        const Local* local = rows_.body().local_of(name);
        if (local != nullptr && rows_.body().declared_in(*local, loops_.columns.body) &&
            local->value != kNoNode) {
          open.push_back(local->value);
        }
      }
    }
    return all;
  }

  [[nodiscard]] std::string obstacle_in_memory() const {
    const auto is_in_stores = [&](NodeId node) {
      return std::any_of(loops_.stores.begin(), loops_.stores.end(),
                         [&](NodeId statement) { return tree_.contains(statement, node); });
    };
    for (const MemoryAccess& access : rows_.body().accesses()) {
      if (access.is_store && !access.is_private && !is_in_stores(access.node)) {
        return "'" + tree_.plain_text(access.node) + "' is stored besides the selection";
      }
    }
    std::vector<NodeId> reading = loops_.stores;
    reading.push_back(loops_.key);
    reading.push_back(loops_.columns.bound);
    reading.push_back(loops_.ranks.bound);
    for (const Local& local : rows_.body().locals()) {
      if (local.value != kNoNode && rows_.body().declared_in(local, loops_.columns.body)) {
        reading.push_back(local.value);
      }
    }
    for (const RowItem& item : rows_.items()) {
      if (item.is_guard || item.node < std::min(loops_.columns.node, loops_.ranks.node)) {
        reading.push_back(item.node);
      }
    }
    for (const NodeId node : reading) {
      if (auto why = rows_.obstacle_to_reading(node); !why.empty()) return why;
    }
    return {};
  }

  /// The access that moves with the columns, when neighbours stand side by side.
  void find_piece() {
    const KernelBody& body = rows_.body();
    std::vector<const MemoryAccess*> moving;
    for (const MemoryAccess& access : body.accesses()) {
      const bool is_in_key =
          tree_.contains(loops_.key, access.node) ||
          std::any_of(body.locals().begin(), body.locals().end(), [&](const Local& local) {
            return local.value != kNoNode && body.declared_in(local, loops_.columns.body) &&
                   tree_.contains(local.value, access.node) &&
                   !body.uses_of(local, loops_.key).empty();
          });
      if (is_in_key && !access.is_private) moving.push_back(&access);
    }
    if (moving.size() != 1 || !tree_.is(moving[0]->node, "subscript_expression") ||
        moving[0]->index == kNoNode) {
      return;
    }
    const std::string element = body.element_type(moving[0]->pointer);
    const auto step =
        coefficient(body, moving[0]->index, *loops_.columns.variable, loops_.columns.node);
    const int bytes = size_of_type(element);
    if (step == 1 && bytes > 0 && bytes <= 8) piece_ = moving[0];
  }

  std::string find_sizes() {
    const auto launches = scene_.launches_of(rows_.launch());
    const UniformExpressions expressions(scene_, rows_.function(), launches);
    const auto numbers = [&](NodeId bound, std::string& plan) -> std::vector<std::int64_t> {
      const auto closed = expressions.closed_text(bound);
      if (!closed) return {};
      if (auto text = expressions.plan_text(*closed)) plan = *text;
      auto values = expressions.values(*closed);
      return values ? *values : std::vector<std::int64_t>{};
    };
    columns_ = numbers(loops_.columns.bound, columns_plan_);
    k_ = numbers(loops_.ranks.bound, k_plan_);
    if (k_.empty()) return "it is not known how many are selected";
    if (columns_.empty()) return "it is not known how many columns a row has";
    return {};
  }

  [[nodiscard]] std::string problem() const {
    const std::string& name = rows_.function().name;
    std::string text =
        "// What '" + name + "' selects in each row.\nstruct wm_problem_" + name + " {\n";
    for (const auto& parameter : rows_.parameters()) text += "  " + parameter + ";\n";
    const std::string element =
        piece_ == nullptr ? loops_.key_type : rows_.body().element_type(piece_->pointer);
    text += "  using wm_index = " + rows_.index_type() + ";\n  using wm_key = " + loops_.key_type +
            ";\n  using wm_element = " + element +
            ";\n  static constexpr bool wm_largest = " + (loops_.is_largest ? "true" : "false") +
            ";\n  static constexpr bool wm_earlier_first = " +
            (loops_.is_earlier_first ? "true" : "false") + ";\n";
    return text + tests() + shape() + loads() + store() + given() + "};";
  }

  [[nodiscard]] std::string tests() const {
    const std::string op =
        std::string(loops_.is_largest ? ">" : "<") + (loops_.takes_equal ? "=" : "");
    const bool always = loops_.sentinel.empty();
    return "  static __device__ __forceinline__ bool wm_is_comparable(const wm_key wm_a) {\n"
           "    return " +
           std::string(always ? "wm_a == wm_a" : "true") +
           ";\n  }\n"
           "  __device__ __forceinline__ bool wm_is_eligible(const wm_key wm_a) const {\n"
           "    return " +
           (always ? "true" : "wm_a " + op + " static_cast<wm_key>(" + loops_.sentinel + ")") +
           ";\n  }\n"
           "  __device__ __forceinline__ wm_index wm_rows() const { return wm_row_count; }\n";
  }

  [[nodiscard]] std::string shape() const {
    auto needed = rows_.names_in(loops_.columns.bound);
    needed.merge(rows_.names_in(loops_.ranks.bound));
    const auto count = [&](const char* into, NodeId bound) {
      const std::string text(tree_.text(bound));
      return std::string("    ") + into + " = (" + text + ") > 0 ? static_cast<unsigned>(" + text +
             ") : 0u;\n";
    };
    return "  __device__ __forceinline__ void wm_shape(const wm_index wm_row, unsigned& "
           "wm_columns,\n                                           unsigned& wm_k) const {\n" +
           rows_.before(std::min(loops_.columns.node, loops_.ranks.node), needed, true) +
           count("wm_columns", loops_.columns.bound) + count("wm_k", loops_.ranks.bound) + "  }\n";
  }

  /// Statements that make the key of `column`, its expression last; `edits` inside of it.
  [[nodiscard]] std::string key_code(const std::string& column,
                                     const std::vector<TextEdit>& edits) const {
    const KernelBody& body = rows_.body();
    std::set<std::string_view> needed;
    for (const NodeId name : key_names()) needed.insert(tree_.text(name));
    needed.erase(loops_.columns.variable->name);
    std::string inner;
    for (const Local& local : body.locals()) {
      if (!body.declared_in(local, loops_.columns.body) || !needed.contains(local.name)) continue;
      inner +=
          "    const " + local.type + (local.is_pointer ? "* " : " ") + local.name + " = " +
          edited_part(tree_.source(), tree_.node(local.value).range, inside(local.value, edits)) +
          ";\n";
    }
    return rows_.before(std::min(loops_.columns.node, loops_.ranks.node), needed, false) +
           "    const " + loops_.columns.variable->type + " " + loops_.columns.variable->name +
           " = static_cast<" + loops_.columns.variable->type + ">(" + column + ");\n" + inner;
  }

  [[nodiscard]] std::vector<TextEdit> inside(NodeId node, std::vector<TextEdit> edits) const {
    const Range range = tree_.node(node).range;
    std::erase_if(edits, [&](const TextEdit& edit) {
      return edit.range.begin < range.begin || edit.range.end > range.end;
    });
    return edits;
  }

  [[nodiscard]] std::string key_value(const std::vector<TextEdit>& edits) const {
    return edited_part(tree_.source(), tree_.node(loops_.key).range, inside(loops_.key, edits));
  }

  [[nodiscard]] std::string loads() const {
    std::string text =
        "  __device__ __forceinline__ wm_key wm_load(const wm_index wm_row,\n"
        "                                            const unsigned wm_column) const {\n" +
        key_code("wm_column", {}) + "    return " + key_value({}) + ";\n  }\n";
    const std::string wide =
        "  template <int wm_n>\n  __device__ __forceinline__ bool wm_wide(const wm_index wm_row) "
        "const {\n";
    const std::string piece =
        "  template <int wm_n>\n  __device__ __forceinline__ void wm_load_piece(const wm_index "
        "wm_row, const unsigned wm_column,\n                                                wm_key "
        "(&wm_keys)[wm_n]) const {\n";
    if (piece_ == nullptr) {
      return text + wide + "    return false;\n  }\n" + piece +
             "    for (int wm_i = 0; wm_i < wm_n; ++wm_i) {\n      wm_keys[wm_i] = wm_load(wm_row, "
             "wm_column + wm_i);\n    }\n  }\n";
    }
    const std::string place = "&" + std::string(tree_.text(piece_->node));
    const std::vector<TextEdit> of_piece{{tree_.node(piece_->node).range, "wm_raw.of[wm_i]"}};
    text +=
        "  template <int wm_n>\n  struct alignas(wm_n * sizeof(wm_element)) wm_pack {\n"
        "    wm_element of[wm_n];\n  };\n";
    text += wide + address_code("0") + "    return reinterpret_cast<unsigned long long>(" + place +
            ") % (wm_n * sizeof(wm_element)) == 0u;\n  }\n";
    text += piece + address_code("wm_column") +
            "    const wm_pack<wm_n> wm_raw = *reinterpret_cast<const wm_pack<wm_n>*>(" + place +
            ");\n#pragma unroll\n    for (int wm_i = 0; wm_i < wm_n; ++wm_i) {\n" +
            key_of_piece(of_piece) + "    }\n  }\n";
    return text;
  }

  /// What the address of the piece that begins at `column` needs.
  [[nodiscard]] std::string address_code(const std::string& column) const {
    std::set<std::string_view> needed = rows_.names_in(piece_->node);
    needed.erase(loops_.columns.variable->name);
    std::string inner;
    for (const Local& local : rows_.body().locals()) {
      if (!rows_.body().declared_in(local, loops_.columns.body) || !needed.contains(local.name)) {
        continue;
      }
      inner += "    const " + local.type + (local.is_pointer ? "* " : " ") + local.name + " = " +
               std::string(tree_.text(local.value)) + ";\n";
      needed.merge(rows_.names_in(local.value));
    }
    return rows_.before(std::min(loops_.columns.node, loops_.ranks.node), needed, false) +
           "    const " + loops_.columns.variable->type + " " + loops_.columns.variable->name +
           " = static_cast<" + loops_.columns.variable->type + ">(" + column + ");\n" + inner;
  }

  [[nodiscard]] std::string key_of_piece(const std::vector<TextEdit>& edits) const {
    std::string inner;
    for (const NodeId name : key_names()) {
      const Local* local = rows_.body().local_of(name);
      if (local == nullptr || !rows_.body().declared_in(*local, loops_.columns.body)) continue;
      if (!tree_.contains(local->value, piece_->node)) continue;
      std::string line = "      const ";
      line.append(local->type).append(" ").append(local->name).append(" = ");
      line +=
          edited_part(tree_.source(), tree_.node(local->value).range, inside(local->value, edits));
      line += ";\n";
      if (inner.find(line) == std::string::npos) inner.insert(0, line);
    }
    return inner + "      wm_keys[wm_i] = " + key_value(edits) + ";\n";
  }

  [[nodiscard]] std::string store() const {
    std::set<std::string_view> needed;
    std::string stores;
    for (const NodeId statement : loops_.stores) {
      for (const NodeId name : tree_.descendants(statement, "identifier")) {
        const Range at = tree_.node(name).range;
        const bool is_edited =
            std::any_of(loops_.edits.begin(), loops_.edits.end(), [&](const TextEdit& edit) {
              return edit.range.begin <= at.begin && at.end <= edit.range.end;
            });
        if (!is_edited) needed.insert(tree_.text(name));
      }
      stores += "    " +
                edited_part(tree_.source(), tree_.node(statement).range,
                            inside(statement, loops_.edits)) +
                "\n";
    }
    for (const std::string* own : {&loops_.at, &loops_.value, &loops_.ranks.variable->name}) {
      needed.erase(*own);
    }
    const std::string rank_type = loops_.ranks.variable->type;
    std::string text =
        "  __device__ __forceinline__ void wm_store(const wm_index wm_row, const unsigned "
        "wm_rank,\n                                           const unsigned wm_column) const {\n" +
        rows_.before(std::min(loops_.columns.node, loops_.ranks.node), needed, false) +
        "    const " + rank_type + " " + loops_.ranks.variable->name + " = static_cast<" +
        rank_type + ">(wm_rank);\n";
    text += "    const " + loops_.at_type + " " + loops_.at + " = static_cast<" + loops_.at_type +
            ">(wm_column);\n";
    if (!loops_.value.empty()) {
      text += "    const wm_key " + loops_.value + " = wm_load(wm_row, wm_column);\n";
    }
    return text + stores + "  }\n";
  }

  [[nodiscard]] std::string given() const {
    return "  // As '" + rows_.function().name +
           "' does it; for rows that have too few keys, or "
           "keys without an order.\n"
           "  __device__ __noinline__ void wm_as_given(const wm_index wm_row) const {\n" +
           rows_.work({}) + "  }\n";
  }

  const Scene& scene_;
  const SyntaxTree& tree_;
  ThreadRows rows_;
  SelectionLoops loops_;
  const MemoryAccess* piece_ = nullptr;  ///< of the key, when it can be read in pieces
  std::vector<std::int64_t> columns_, k_;
  std::string columns_plan_, k_plan_;
};

}  // namespace

Result<std::vector<NormalForm>> find_selection_forms(const Scene& scene) {
  return forms_of_thread_rows<SelectionReader>(scene);
}

}  // namespace warpmind::agents::builtin
