#include "agents/builtin/forms/scan_problem.h"

#include "agents/builtin/loops/lane_edits.h"
#include "agents/builtin/loops/scan_loop.h"
#include "agents/builtin/loops/scene_loops.h"
#include "agents/builtin/loops/strided_loop.h"
#include "agents/builtin/probe/integer_value.h"
#include "base/sequence.h"

#include <algorithm>
#include <array>

namespace warpmind::agents::builtin {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kThreadNames{
    {{"threadIdx", "wm_thread"}, {"blockIdx", "wm_block"}, {"blockDim", "wm_block_dim"}}};

class ProblemWriter {
 public:
  ProblemWriter(const Scene& scene, const KernelBody& body, const ScanSite& site)
      : scene_(scene),
        body_(body),
        tree_(body.tree()),
        site_(site),
        loop_(site.loop),
        text_(body, site.loop.values) {
    for (const auto& [given, ours] : kThreadNames) {
      for (const NodeId use : tree_.uses(body_.function().body, given)) {
        renames_.push_back({tree_.node(use).range, std::string(ours)});
      }
    }
    find_streams();
  }

  ScanProblem write() {
    ScanProblem problem = text_.head(site_.walkers != ScanWalkers::one,
                                     size_of_type(loop_.header.variable->type) == 8);
    std::string& text = problem.text;
    text += "  __device__ unsigned rows() const { return " +
            std::string(problem.needs_rows ? kScanRows : "1") + "; }\n";
    text += text_.method("index length(unsigned wm_row) const", length_lines());
    text += text_.method("value load(unsigned wm_row, index wm_at) const", load_lines());
    text += text_.method(
        "void store(unsigned wm_row, index wm_at, value wm_before, value wm_with) const",
        store_lines());
    text += wide_text();
    text += text_.method("void begin(unsigned wm_row) const", begin_lines());
    text += text_.method(
        "void finish(unsigned wm_row, value wm_total, unsigned wm_lane, unsigned wm_lanes) const",
        finish_lines());
    text += "};";
    return problem;
  }

 private:
  [[nodiscard]] std::string code(NodeId node, const std::vector<TextEdit>& edits) const {
    const Range range{begin_with_pragma(tree_, node), tree_.node(node).range.end};
    return edited_part(tree_.source(), range, edits);
  }
  [[nodiscard]] std::string code(NodeId node) const {
    return edited_part(tree_.source(), tree_.node(node).range, renames_);
  }

  [[nodiscard]] std::string thread_lines(const std::string& inner) const {
    std::string text;
    const auto xyz = [](const std::string& x) { return "(" + x + ", 0u, 0u);\n"; };
    const std::string width = std::to_string(site_.block[0]) + "u";
    const bool every = site_.walkers == ScanWalkers::every_thread;
    const bool in_blocks = site_.walkers == ScanWalkers::one_a_block;
    if (has_word(inner, "wm_thread")) {
      text += "const uint3 wm_thread = make_uint3" + xyz(every ? "wm_row % " + width : "0u");
    }
    if (has_word(inner, "wm_block")) {
      text += "const uint3 wm_block = make_uint3" + xyz(every       ? "wm_row / " + width
                                                        : in_blocks ? "wm_row"
                                                                    : "0u");
    }
    if (has_word(inner, "wm_block_dim")) {
      text += joined({"const dim3 wm_block_dim(", width, ", ", std::to_string(site_.block[1]),
                      "u, ", std::to_string(site_.block[2]), "u);\n"});
    }
    return text;
  }

  /// What stands in front of the loop. `leave`: what a thread without a row does; empty: it is
  /// known to have one.
  [[nodiscard]] std::string before_lines(const std::string& leave, bool with_stores) const {
    std::string text;
    for (const NodeId node : site_.before) {
      if (is_condition(tree_, node)) {
        if (!leave.empty()) text += "if (!" + in_parentheses(code(node)) + ") " + leave + "\n";
        continue;
      }
      if (tree_.is(node, "preproc_call")) continue;
      if (is_guard(tree_, node)) {
        const NodeId condition = tree_.field(node, "condition");
        if (!leave.empty()) text += "if " + in_parentheses(code(condition)) + " " + leave + "\n";
        continue;
      }
      if (!with_stores && has_store(body_, node)) continue;
      text += code(node) + "\n";
    }
    return thread_lines(text + code(loop_.header.start) + code(loop_.header.bound) + body_code_) +
           text;
  }

  static std::string in_parentheses(const std::string& text) {
    return text.starts_with("(") && text.ends_with(")") ? text : "(" + text + ")";
  }

  [[nodiscard]] std::string length_lines() const {
    const CountedLoop& header = loop_.header;
    const std::string& type = header.variable->type;
    std::string text = before_lines("return 0;", false);
    text += "const " + type + " wm_start = " + code(header.start) + ";\n";
    text += "const " + type + " wm_bound = " + code(header.bound) + ";\n";
    const bool down = loop_.counts_down;
    const std::string low = down ? "wm_bound" : "wm_start";
    const std::string high = down ? "wm_start" : "wm_bound";
    text += joined({"if (", high, header.is_inclusive ? " < " : " <= ", low, ") return 0;\n"});
    std::string count =
        joined({"static_cast<wm_index>(", high, ") - static_cast<wm_index>(", low, ")"});
    if (header.is_inclusive) count += " + 1u";
    if (loop_.step > 1) {
      const std::string step = std::to_string(loop_.step) + "u";
      count = joined({"(", count, " - 1u) / ", step, " + 1u"});
    }
    return text + "return " + count + ";\n";
  }

  /// The loop's variable for the term `at`.
  [[nodiscard]] std::string variable_line(const std::string& at) const {
    const std::string& type = loop_.header.variable->type;
    std::string offset = "static_cast<" + type + ">(" + at + ")";
    if (loop_.step > 1) offset += " * " + std::to_string(loop_.step);
    return joined({"const ", type, " ", loop_.header.variable->name, " = wm_start",
                   loop_.counts_down ? " - " : " + ", offset, ";\n"});
  }

  [[nodiscard]] std::string start_line() const {
    return "const " + loop_.header.variable->type + " wm_start = " + code(loop_.header.start) +
           ";\n";
  }

  /// The loop's body; `continue` ends it.
  [[nodiscard]] std::string body_lines(const std::vector<TextEdit>& edits) const {
    const NodeId inside = loop_.header.body;
    std::string lines =
        tree_.is(inside, "compound_statement")
            ? body_text(tree_, loop_.header, edits, "  ")
            : "  " + edited_part(tree_.source(), tree_.node(inside).range, edits) + "\n";
    const bool jumps = !tree_.descendants(inside, "continue_statement").empty();
    return (jumps ? "do {\n" : "{\n") + lines + (jumps ? "} while (false);\n" : "}\n");
  }

  static bool is_inside(const TextEdit& edit, const Range& range) {
    return range.begin <= edit.range.begin && edit.range.end <= range.end;
  }

  static void replace(std::vector<TextEdit>& edits, const Range& range, std::string text) {
    std::erase_if(edits, [&](const TextEdit& edit) { return is_inside(edit, range); });
    edits.push_back({range, std::move(text)});
  }

  /// The part of the body that computes the amounts.
  [[nodiscard]] std::vector<TextEdit> amount_edits(std::vector<TextEdit> edits) const {
    for (const NodeId statement : loop_.beside) {
      replace(edits, tree_.node(statement).range, statement_gap(statement));
    }
    for (const auto& counted : loop_.counted) replace(edits, counted.range, counted.text);
    return edits;
  }

  [[nodiscard]] std::string statement_gap(NodeId statement) const {
    return tree_.is(tree_.node(statement).parent, "compound_statement") ? "" : ";";
  }

  /// The body with what is in front, and with the term, given.
  [[nodiscard]] std::vector<TextEdit> store_edits(std::vector<TextEdit> edits,
                                                  const std::string& with) const {
    for (const NodeId statement : loop_.updates_alone) {
      std::string text;
      for (const auto& value : loop_.values) {
        if (!tree_.contains(statement, value.updates.front())) continue;
        text += (text.empty() ? "" : " ") +
                text_.taking_in(value, "wm_first_" + value.variable->name, with);
      }
      if (!tree_.is(tree_.node(statement).parent, "compound_statement")) {
        text.insert(0, "{ ").append(" }");
      }
      replace(edits, tree_.node(statement).range, text);
    }
    return edits;
  }

  [[nodiscard]] std::string load_lines() const {
    return before_lines("", false) + start_line() + variable_line("wm_at") + text_.neutral_lines() +
           body_lines(amount_edits(renames_)) + "return " + text_.values_brace() + ";\n";
  }

  /// Values as they were in front of the loop, then with what was carried up to here.
  [[nodiscard]] std::string first_lines() const {
    std::string text;
    for (const auto& value : loop_.values) {
      const auto& name = value.variable->name;
      text.append("const ").append(value.variable->type).append(" wm_first_").append(name);
      text.append(" = ").append(name).append(";\n");
    }
    return text;
  }

  [[nodiscard]] std::string carried_lines(const std::string& from) const {
    std::string text;
    for (const auto& value : loop_.values) {
      const auto& name = value.variable->name;
      text += text_.taking_in(value, "wm_first_" + name, from) + "\n";
    }
    return text;
  }

  [[nodiscard]] std::string store_lines() const {
    return before_lines("", false) + start_line() + first_lines() + variable_line("wm_at") +
           carried_lines("wm_before") + body_lines(store_edits(renames_, "wm_with"));
  }

  void find_streams() {
    body_code_ = code(loop_.header.body);
    for (const NodeId node : site_.after) body_code_ += code(node);
    if (loop_.counts_down || loop_.step != 1) return;
    LoopFacts facts;
    facts.header = loop_.header;
    facts.loads = loop_.loads;
    facts.stores = loop_.stores;
    streams_ = streams_of(body_, facts);
    std::erase_if(streams_, [&](const Stream& stream) {
      return std::any_of(stream.nodes.begin(), stream.nodes.end(), [&](NodeId node) {
        return !tree_.is(node, "subscript_expression") || !tree_.uses(node, "blockDim").empty();
      });
    });
  }

  [[nodiscard]] std::string address(const Stream& stream, const std::string& position) const {
    std::string text = address_of(body_, loop_.header, stream, position);
    for (const auto& [given, ours] : kThreadNames) {
      for (auto at = text.find(given); at != std::string::npos; at = text.find(given, at + 1)) {
        text.replace(at, given.size(), ours);
      }
    }
    return text;
  }

  [[nodiscard]] static std::string piece(const Stream& stream) {
    return "wm_piece<" + stream.type + ", wm_N>";
  }

  /// Pieces of the streams that `is_used` picks stand for their elements.
  [[nodiscard]] std::vector<TextEdit> stream_edits(const std::vector<bool>& is_used) const {
    std::vector<TextEdit> edits = renames_;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      if (!is_used[i]) continue;
      for (const NodeId node : streams_[i].nodes) {
        replace(edits, tree_.node(node).range, "wm_piece_" + std::to_string(i) + ".at[wm_i]");
      }
    }
    return edits;
  }

  [[nodiscard]] std::string piece_lines(const std::vector<bool>& is_used) const {
    std::string text;
    const std::string position =
        "(wm_start + static_cast<" + loop_.header.variable->type + ">(wm_at))";
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      if (!is_used[i]) continue;
      const std::string name = "wm_piece_" + std::to_string(i);
      text += joined({"auto* const ", name, "_at = ", address(streams_[i], position), ";\n"});
      text += joined({piece(streams_[i]), " ", name});
      if (streams_[i].loads) {
        text += joined({" = *reinterpret_cast<const ", piece(streams_[i]), "*>(", name, "_at)"});
      }
      text += ";\n";
    }
    return text;
  }

  /// Streams that are met in text which `edits` leave.
  [[nodiscard]] std::vector<bool> used_streams(bool for_store) const {
    const auto gone = for_store ? store_edits({}, "") : amount_edits({});
    std::vector<bool> used;
    for (const auto& stream : streams_) {
      const bool met = std::any_of(stream.nodes.begin(), stream.nodes.end(), [&](NodeId node) {
        const TextEdit place{tree_.node(node).range, ""};
        return std::none_of(gone.begin(), gone.end(),
                            [&](const TextEdit& edit) { return is_inside(place, edit.range); });
      });
      used.push_back(met && (for_store || stream.loads));
    }
    return used;
  }

  [[nodiscard]] std::string wide_text() const {
    const auto loaded = used_streams(false);
    const auto stored = used_streams(true);
    std::string aligned;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      if (!loaded[i] && !stored[i]) continue;
      aligned +=
          joined({aligned.empty() ? "" : " &&\n       ", "reinterpret_cast<size_t>(",
                  address(streams_[i], "wm_start"), ") % sizeof(", piece(streams_[i]), ") == 0"});
    }
    std::string text = ScanText::piece_type();
    const std::string head = "  template <int wm_N>\n";
    text += head + text_.method("bool wide(unsigned wm_row) const",
                                aligned.empty() ? "return false;\n"
                                                : before_lines("", false) + start_line() +
                                                      "return " + aligned + ";\n");
    const std::string each =
        "#pragma unroll\nfor (int wm_i = 0; wm_i < wm_N; ++wm_i) {\n  const wm_index wm_term = "
        "wm_at + "
        "wm_i;\n";
    std::string load = before_lines("", false) + start_line() + piece_lines(loaded) + each;
    load += reindented(variable_line("wm_term") + text_.neutral_lines() +
                           body_lines(amount_edits(stream_edits(loaded))) +
                           "wm_out[wm_i] = " + text_.values_brace() + ";\n",
                       "  ") +
            "}\n";
    text += head +
            text_.method(
                "void load_piece(unsigned wm_row, index wm_at, value (&wm_out)[wm_N]) const", load);
    std::string store =
        before_lines("", false) + start_line() + first_lines() + piece_lines(stored) + each;
    store += reindented(variable_line("wm_term") + carried_lines("wm_before[wm_i]") +
                            body_lines(store_edits(stream_edits(stored), "wm_with[wm_i]")),
                        "  ") +
             "}\n";
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      if (!stored[i] || !streams_[i].stores) continue;
      const std::string name = "wm_piece_" + std::to_string(i);
      store +=
          joined({"*reinterpret_cast<", piece(streams_[i]), "*>(", name, "_at) = ", name, ";\n"});
    }
    return text + head +
           text_.method(
               "void store_piece(unsigned wm_row, index wm_at, const value (&wm_before)[wm_N],\n"
               "                   const value (&wm_with)[wm_N]) const",
               store);
  }

  [[nodiscard]] std::string begin_lines() const {
    const bool any = std::any_of(site_.before.begin(), site_.before.end(),
                                 [&](NodeId node) { return has_store(body_, node); });
    return any ? before_lines("return;", true) : "";
  }

  /// One lane does what stands behind the loop; loops there are shared by all.
  [[nodiscard]] std::string finish_lines() const {
    if (site_.after.empty()) return {};
    const auto buffer = buffer_names(scene_, body_.function());
    const auto injective = injective_by_probing(scene_, body_.function());
    std::string text = before_lines("return;", false) + first_lines() + carried_lines("wm_total");
    for (const NodeId node : site_.after) {
      if (tree_.is(node, "preproc_call")) continue;
      if (const auto loop = shared_tail_loop(body_, node, buffer, injective)) {
        auto edits = renames_;
        const std::string& type = loop->variable->type;
        const std::string step =
            loop->step == kNoNode ? "" : " * " + in_parentheses(code(loop->step));
        replace(edits, tree_.node(loop->start).range,
                joined({code(loop->start), " + static_cast<", type, ">(wm_lane)", step}));
        replace(edits, tree_.node(loop->update).range,
                joined({loop->variable->name, " += static_cast<", type, ">(wm_lanes)", step}));
        text += code(node, edits) + "\n";
      } else if (has_store(body_, node)) {
        text += "if (wm_lane == 0) {\n" + reindented(code(node), "  ") + "}\n";
      } else {
        text += code(node) + "\n";
      }
    }
    return text;
  }

  const Scene& scene_;
  const KernelBody& body_;
  const SyntaxTree& tree_;
  const ScanSite& site_;
  const CarriedLoop& loop_;
  ScanText text_;
  std::vector<TextEdit> renames_;
  std::vector<Stream> streams_;
  std::string body_code_;  ///< of the loop and what stands behind it: what may name a thread
};

}  // namespace

ScanProblem scan_problem(const Scene& scene, const KernelBody& body, const ScanSite& site) {
  return ProblemWriter(scene, body, site).write();
}

}  // namespace warpmind::agents::builtin
