#include "agents/builtin/forms/reduction_text.h"

#include "agents/builtin/loops/lane_edits.h"
#include "agents/builtin/loops/parallel_loop.h"
#include "agents/builtin/loops/strided_loop.h"
#include "base/text.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kGivenNames{
    {{"threadIdx", "wm_thread"},
     {"blockIdx", "wm_block"},
     {"blockDim", "wm_block_dim"},
     {"gridDim", "wm_grid_dim"}}};
constexpr std::array<std::string_view, 3> kAxes{"x", "y", "z"};

/// Code of the kernel for a thread that does not run: its numbers are variables.
std::string with_given_names(std::string_view text) {
  std::string result;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = at;
    while (end < text.size() && is_word_character(text[end])) ++end;
    if (end == at) {
      result += text[at++];
      continue;
    }
    std::string_view word = text.substr(at, end - at);
    for (const auto& [given, own] : kGivenNames) {
      if (word == given) word = own;
    }
    result += word;
    at = end;
  }
  return result;
}

/// The value that changes nothing.
std::string identity_of(const Reduction& reduction) {
  const std::string& type = reduction.variable->type;
  auto neutral = neutral_of(reduction.how, type);
  if (!neutral.empty()) return neutral;
  const bool is_maximum = reduction.how == Combining::maximum;
  if (type == "float")
    return is_maximum ? "-__int_as_float(0x7f800000)" : "__int_as_float(0x7f800000)";
  if (type == "double") {
    const std::string infinity = "__longlong_as_double(0x7ff0000000000000ll)";
    return is_maximum ? "-" + infinity : infinity;
  }
  const std::string bits = std::to_string(8 * size_of_type(type) - 1);
  const std::string cast = "static_cast<" + type + ">(";
  const bool is_unsigned =
      type.find("unsigned") != std::string::npos || type.starts_with("uint") || type == "size_t";
  if (is_unsigned) return cast + (is_maximum ? "0)" : "~0ull)");
  const std::string least = cast + "1ull << " + bits + ")";
  return is_maximum ? least : "~" + least;
}

std::string combine_text(const Reduction& reduction, const std::string& left,
                         const std::string& right) {
  const std::string& type = reduction.variable->type;
  const auto infix = [&](std::string_view op) { return joined({left, " ", op, " ", right}); };
  switch (reduction.how) {
    case Combining::sum: return infix("+");
    case Combining::product: return infix("*");
    case Combining::bit_and: return infix("&");
    case Combining::bit_or: return infix("|");
    case Combining::bit_xor: return infix("^");
    default: break;
  }
  const bool is_maximum = reduction.how == Combining::maximum;
  if (type == "float") return joined({is_maximum ? "fmaxf(" : "fminf(", left, ", ", right, ")"});
  if (type == "double") return joined({is_maximum ? "fmax(" : "fmin(", left, ", ", right, ")"});
  return joined({left, is_maximum ? " > " : " < ", right, " ? ", left, " : ", right});
}

class ProblemWriter {
 public:
  ProblemWriter(const KernelBody& body, const Reductions& what)
      : body_(body), tree_(body.tree()), what_(what) {}

  [[nodiscard]] std::string text() const {
    std::string result = "struct wm_problem_" + body_.function().name + " {\n";
    for (const auto& parameter : body_.function().parameters) {
      result += "  " + parameter.type + " " + parameter.name + ";\n";
    }
    for (const std::size_t axis : grid_members(body_, what_)) {
      result += joined(
          {"  unsigned wm_grid_", kAxes.at(axis), ";  // blocks of ", body_.function().name, "\n"});
    }
    result += joined({"\n  using wm_index = ", index(), ";\n"});
    result += what_.helpers + states() + rows() + length() + fold() + along() + beside() + finish();
    return result + "};\n";
  }

 private:
  [[nodiscard]] std::string index() const {
    return what_.is_wide_index ? "unsigned long long" : "unsigned";
  }
  [[nodiscard]] const CountedLoop& loop() const { return what_.loop.header; }

  static std::string method(const std::string& head, const std::string& lines) {
    return "\n  __device__ __forceinline__ " + head + " {\n" + lines + "  }\n";
  }

  [[nodiscard]] std::string states() const {
    std::string members;
    std::string identity;
    std::string combine;
    for (const Reduction& one : what_.loop.reductions) {
      const std::string& name = one.variable->name;
      members += joined({"    ", one.variable->type, " ", name, ";\n"});
      identity += joined({"    wm_none.", name, " = ", identity_of(one), ";\n"});
      combine += joined({"    wm_left.", name, " = ",
                         combine_text(one, "wm_left." + name, "wm_right." + name), ";\n"});
    }
    return "  struct wm_state {\n" + members + "  };\n\n  static" +
           method("wm_state wm_identity()",
                  "    wm_state wm_none;\n" + identity + "    return wm_none;\n")
               .substr(2) +
           "\n  static" +
           method("wm_state wm_combine(wm_state wm_left, const wm_state& wm_right)",
                  combine + "    return wm_left;\n")
               .substr(2);
  }

  [[nodiscard]] std::string rows() const {
    std::string count = "1";
    if (!what_.group.is_grid) {
      count = std::to_string(what_.rows_a_block());
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (is_literal(what_.grid.at(axis))) {
          if (what_.grid.at(axis) != "1") count += " * " + what_.grid.at(axis);
        } else {
          count += joined({" * static_cast<wm_index>(wm_grid_", kAxes.at(axis), ")"});
        }
      }
    }
    return method("wm_index wm_rows() const", "    return " + count + ";\n");
  }

  static bool is_literal(const std::string& expression) {
    return expression.find_first_not_of("0123456789") == std::string::npos;
  }

  [[nodiscard]] std::string blocks(std::size_t axis) const {
    return is_literal(what_.grid.at(axis)) ? what_.grid.at(axis) + "u"
                                           : "wm_grid_" + std::string(kAxes.at(axis));
  }

  /// `values` as one of the built-in variables, if the code names it.
  static std::string built_in(const std::string& code, std::string_view name,
                              const std::array<std::string, 3>& values) {
    if (code.find(std::string(name) + ".") == std::string::npos) return {};
    return joined(
        {"    const uint3 ", name, "{", values[0], ", ", values[1], ", ", values[2], "};\n"});
  }

  /// The thread whose code `code` is: the first one of the row's group.
  [[nodiscard]] std::string position(const std::string& code) const {
    const std::string per = std::to_string(what_.rows_a_block()) + "u";
    const std::string row = "static_cast<unsigned>(wm_row";
    std::string block = per == "1u" ? row + ")" : row + " / " + per + ")";
    std::string flat = per == "1u" ? "0u" : row + " % " + per + ")";
    if (what_.group.is_grid) block = flat = "0u";
    if (flat != "0u" && what_.group.lanes > 1)
      flat += " * " + std::to_string(what_.group.lanes) + "u";
    const auto digits = [](const std::string& number, const std::string& x, const std::string& y,
                           bool is_row) -> std::array<std::string, 3> {
      if (number == "0u" || is_row) return {number, "0u", "0u"};
      return {number + " % " + x, number + " / " + x + " % " + y, number + " / " + x + " / " + y};
    };
    const auto& given = what_.block;
    const std::array<std::string, 3> extents{std::to_string(given[0]) + "u",
                                             std::to_string(given[1]) + "u",
                                             std::to_string(given[2]) + "u"};
    const bool is_flat_grid = what_.grid[1] == "1" && what_.grid[2] == "1";
    return built_in(code, "wm_thread",
                    digits(flat, extents[0], extents[1], given[1] == 1 && given[2] == 1)) +
           built_in(code, "wm_block", digits(block, blocks(0), blocks(1), is_flat_grid)) +
           built_in(code, "wm_block_dim", extents) +
           built_in(code, "wm_grid_dim", {blocks(0), blocks(1), blocks(2)});
  }

  /// Edits for all methods: what a method returns where the kernel returns.
  [[nodiscard]] std::vector<TextEdit> common_edits(const std::string& returned) const {
    std::vector<TextEdit> edits;
    for (const NodeId leave : tree_.descendants(body_.function().body, "return_statement")) {
      edits.push_back({tree_.node(leave).range, returned});
    }
    for (const NodeId declaration : tree_.descendants(body_.function().body, "declaration")) {
      for (const NodeId part : tree_.all_children(declaration)) {
        if (tree_.text(part) != "__shared__") continue;
        edits.push_back({tree_.node(declaration).range, ";"});
        break;
      }
    }
    return edits;
  }

  /// Whether a statement declares nothing but the sums.
  [[nodiscard]] bool declares_sums(NodeId declaration) const {
    bool any = false;
    for (const NodeId part : tree_.all_children(declaration)) {
      if (tree_.node(part).field != "declarator") continue;
      const NodeId identifier = tree_.declared(part);
      const auto& sums = what_.loop.reductions;
      any = std::any_of(sums.begin(), sums.end(), [&](const Reduction& one) {
        return one.variable->identifier == identifier;
      });
      if (!any) return false;
    }
    return any;
  }

  /// What stands in front of the loop, `inside`, and the braces that are open there.
  [[nodiscard]] std::string around(const std::string& returned, const std::string& inside) const {
    const std::size_t begin = tree_.node(body_.function().body).range.begin + 1;
    const std::size_t end = begin_with_pragma(tree_, loop().node);
    auto edits = common_edits(returned);
    // Where a term is only looked for, nothing is summed.
    if (returned != "return;") {
      for (const NodeId declaration : tree_.descendants(body_.function().body, "declaration")) {
        if (declares_sums(declaration)) edits.push_back({tree_.node(declaration).range, ""});
      }
    }
    std::string text = reindented(edited_part(tree_.source(), {begin, end}, edits), "    ");
    text += inside;
    for (NodeId up = tree_.node(loop().node).parent; up != body_.function().body;
         up = tree_.node(up).parent) {
      if (tree_.is(up, "compound_statement")) text += "    }\n";
    }
    text = with_given_names(text);
    return position(text) + text;
  }

  /// Declares the loop's variable for a term.
  [[nodiscard]] std::string term(const std::string& number) const {
    std::string value = "static_cast<" + loop().variable->type + ">(" + number + ")";
    if (what_.group.lanes == 1 && loop().step != kNoNode) {
      value += joined({" * (", tree_.text(loop().step), ")"});
    }
    if (integer_literal(tree_, loop().start) != 0) {
      value = joined({"(", tree_.text(loop().start), ") + ", value});
    }
    return joined(
        {"    const ", loop().variable->type, " ", loop().variable->name, " = ", value, ";\n"});
  }

  [[nodiscard]] std::string length() const {
    std::string inside =
        joined({"    const long long wm_from = ", tree_.text(loop().start),
                ";\n    const long long wm_to = ", tree_.text(loop().bound), ";\n"});
    std::string count = loop().is_inclusive ? "wm_to - wm_from + 1" : "wm_to - wm_from";
    const std::string none = loop().is_inclusive ? "wm_to < wm_from" : "wm_to <= wm_from";
    if (what_.group.lanes == 1 && loop().step != kNoNode) {
      inside += joined({"    const long long wm_step = ", tree_.text(loop().step), ";\n"});
      count = "(" + count + " + wm_step - 1) / wm_step";
    }
    inside += joined({"    return ", none, " ? 0 : static_cast<wm_index>(", count, ");\n"});
    std::string lines = around("return 0;", inside);
    if (tree_.node(loop().node).parent != body_.function().body) lines += "    return 0;\n";
    return method("wm_index wm_length(wm_index wm_row) const", lines);
  }

  /// The body of the loop for the term that its variable names.
  [[nodiscard]] std::string taken(const std::vector<TextEdit>& loads,
                                  const std::string& into) const {
    std::string before;
    std::string after;
    for (const Reduction& one : what_.loop.reductions) {
      const std::string& name = one.variable->name;
      before += joined({"    ", name, " = ", into, ".", name, ";\n"});
      after += joined({"    ", into, ".", name, " = ", name, ";\n"});
    }
    return before + "    do {\n" + body_text(tree_, loop(), loads, "      ") +
           "    } while (false);\n" + after;
  }

  [[nodiscard]] std::string fold() const {
    return method("void wm_fold(wm_index wm_row, wm_index wm_term, wm_state& wm_sum) const",
                  around("return;", term("wm_term") + taken({}, "wm_sum")));
  }

  [[nodiscard]] std::string place_name(std::size_t stream) const {
    return "wm_place_" + std::to_string(stream + 1);
  }

  [[nodiscard]] std::string place(std::size_t number) const {
    const ReductionStream& stream = what_.streams[number];
    std::string pointer(tree_.text(stream.pointer));
    if (!tree_.is(tree_.bare(stream.pointer), "identifier")) pointer = "(" + pointer + ")";
    std::string lines = around("return nullptr;", term("wm_term") + "    return &" + pointer + "[" +
                                                      stream.index + "];\n");
    if (tree_.node(loop().node).parent != body_.function().body) lines += "    return nullptr;\n";
    return method(joined({"const ", stream.type, "* ", place_name(number),
                          "(wm_index wm_row, wm_index wm_term) const"}),
                  lines);
  }

  /// The struct of the loads, a line for each to fill it, and the edits that use it.
  struct Loads {
    std::string members, lines;
    std::vector<TextEdit> edits;
    std::vector<std::size_t> streams;
  };
  [[nodiscard]] Loads loads(bool is_along, int count, const std::string& item) const {
    Loads all;
    for (std::size_t i = 0; i < what_.streams.size(); ++i) {
      const ReductionStream& stream = what_.streams[i];
      if (is_along ? !stream.is_along : !stream.is_beside) continue;
      const std::string name = "wm_load_" + std::to_string(i + 1);
      const std::string run = joined({"wm_run<", stream.type, ", ", std::to_string(count), ">"});
      all.members += joined({"    ", run, " ", name, ";\n"});
      all.lines += joined({"    wm_loads.", name, " = *reinterpret_cast<const ", run, "*>(",
                           place_name(i), "(wm_row, wm_term));\n"});
      for (const NodeId node : stream.nodes) {
        all.edits.push_back(
            {tree_.node(node).range, joined({"wm_loads.", name, ".at[", item, "]"})});
      }
      all.streams.push_back(i);
    }
    return all;
  }

  [[nodiscard]] std::string along() const {
    const int count = what_.along();
    std::string text = "\n  static constexpr int wm_along = " + std::to_string(count) + ";\n";
    if (count > 1 || what_.beside() > 1) {
      text +=
          "  template <class wm_type, int wm_count>\n"
          "  struct alignas(sizeof(wm_type) * wm_count) wm_run {\n    wm_type at[wm_count];\n  "
          "};\n";
      for (std::size_t i = 0; i < what_.streams.size(); ++i) {
        if (what_.streams[i].is_along || what_.streams[i].is_beside) text += place(i);
      }
    }
    if (count == 1) return text;
    const Loads all = loads(true, count, "wm_item");
    std::string lead;
    std::string first;
    for (const std::size_t i : all.streams) {
      const std::string name = place_name(i);
      lead.append("    if (").append(name).append("(wm_row, 1) - ").append(name);
      lead.append("(wm_row, 0) != 1) return wm_length(wm_row);\n");
      const std::string element =
          joined({"reinterpret_cast<size_t>(", name, "(wm_row, 0)) / sizeof(",
                  what_.streams[i].type, ") % wm_along"});
      if (first.empty()) {
        first = element;
        lead += "    const size_t wm_first = " + element + ";\n";
      } else {
        lead += "    if (" + element + " != wm_first) return wm_length(wm_row);\n";
      }
    }
    lead += "    return static_cast<wm_index>((wm_along - wm_first) % wm_along);\n";
    text += "\n  struct wm_piece {\n" + all.members + "  };\n";
    text +=
        "\n  // Terms in front of the first from which wm_along lie on a boundary of their size.";
    text += method("wm_index wm_lead(wm_index wm_row) const", lead);
    text += method("void wm_load(wm_index wm_row, wm_index wm_term, wm_piece& wm_loads) const",
                   all.lines);
    const std::string inside =
        joined({"#pragma unroll\n    for (int wm_item = 0; wm_item < wm_along; ++wm_item) {\n",
                term("wm_term + wm_item"), taken(all.edits, "wm_sum"), "    }\n"});
    return text + method(
                      "void wm_fold_piece(wm_index wm_row, wm_index wm_term, const wm_piece& "
                      "wm_loads, wm_state& wm_sum) const",
                      around("return;", inside));
  }

  [[nodiscard]] std::string beside() const {
    const int count = what_.beside();
    std::string text = "\n  static constexpr int wm_beside = " + std::to_string(count) + ";\n";
    if (count == 1) return text;
    const Loads all = loads(false, count, "wm_item");
    std::string check =
        "    const wm_index wm_terms = wm_length(wm_row);\n"
        "    for (int wm_item = 1; wm_item < wm_beside; ++wm_item) {\n"
        "      if (wm_length(wm_row + wm_item) != wm_terms) return false;\n    }\n"
        "    if (wm_terms == 0) return true;\n";
    for (const std::size_t i : all.streams) {
      const std::string name = place_name(i);
      const std::string bytes = joined({"sizeof(wm_run<", what_.streams[i].type, ", wm_beside>)"});
      check += joined({"    if (reinterpret_cast<size_t>(", name, "(wm_row, 0)) % ", bytes,
                       " != 0 ||\n        reinterpret_cast<size_t>(", name, "(wm_row, 1)) % ",
                       bytes, " != 0) {\n      return false;\n    }\n",
                       "    for (int wm_item = 1; wm_item < wm_beside; ++wm_item) {\n      if (",
                       name, "(wm_row + wm_item, 0) - ", name,
                       "(wm_row, 0) != wm_item ||\n          ", name, "(wm_row + wm_item, 1) - ",
                       name, "(wm_row, 1) != wm_item) {\n        return false;\n      }\n    }\n"});
    }
    text += "\n  struct wm_piece_beside {\n" + all.members + "  };\n";
    text += "\n  // Whether the terms of wm_beside rows from wm_row on lie side by side.";
    text += method("bool wm_is_beside(wm_index wm_row) const", check + "    return true;\n");
    text += method(
        "void wm_load_beside(wm_index wm_row, wm_index wm_term, wm_piece_beside& wm_loads) const",
        all.lines);
    text += method(
        "void wm_fold_one_beside(wm_index wm_row, wm_index wm_term, int wm_item, const "
        "wm_piece_beside& wm_loads, wm_state& wm_sum) const",
        around("return;", term("wm_term") + taken(all.edits, "wm_sum")));
    return text + method(
                      "void wm_fold_beside(wm_index wm_row, wm_index wm_term, const "
                      "wm_piece_beside& wm_loads, wm_state (&wm_sums)[wm_beside]) const",
                      "#pragma unroll\n"
                      "    for (int wm_item = 0; wm_item < wm_beside; ++wm_item) {\n"
                      "      wm_fold_one_beside(wm_row + wm_item, wm_term, wm_item, wm_loads, "
                      "wm_sums[wm_item]);\n    }\n");
  }

  [[nodiscard]] std::string finish() const {
    const bool is_shared = what_.group.lanes > 1;
    std::string totals;
    for (const Reduction& one : what_.loop.reductions) {
      const std::string& name = one.variable->name;
      const std::string value = combine_text(one, name, "wm_sum." + name);
      totals +=
          is_shared
              ? joined({"const ", one.variable->type, " wm_total_", name, " = ", value, ";\n  "})
              : joined({name, " = ", value, ";\n  "});
    }
    auto edits = common_edits("return;");
    const Range loop_range{begin_with_pragma(tree_, loop().node),
                           tree_.node(loop().node).range.end};
    std::vector<Range> gone{loop_range};
    for (const NodeId statement : outermost(what_.totals.dropped)) {
      if (tree_.contains(body_.function().body, statement))
        gone.push_back(tree_.node(statement).range);
    }
    const auto is_gone = [&](const Range& range) {
      return std::any_of(gone.begin(), gone.end(), [&](const Range& one) {
        return one.begin <= range.begin && range.end <= one.end;
      });
    };
    std::erase_if(edits, [&](const TextEdit& edit) { return is_gone(edit.range); });
    for (const auto& [node, variable] : what_.totals.totals) {
      if (is_gone(tree_.node(node).range)) continue;
      edits.push_back({tree_.node(node).range, "wm_total_" + variable->name});
    }
    edits.push_back({loop_range, totals});
    for (std::size_t i = 1; i < gone.size(); ++i) edits.push_back({gone[i], ";"});
    const Range range = tree_.node(body_.function().body).range;
    const std::string text = with_given_names(
        reindented(edited_part(tree_.source(), {range.begin + 1, range.end - 1}, edits), "    "));
    return method("void wm_finish(wm_index wm_row, const wm_state& wm_sum) const",
                  position(text) + text);
  }

  [[nodiscard]] std::vector<NodeId> outermost(const std::set<NodeId>& nodes) const {
    std::vector<NodeId> found;
    for (const NodeId node : nodes) {
      const bool inside = std::any_of(nodes.begin(), nodes.end(), [&](NodeId other) {
        return other != node && tree_.contains(other, node);
      });
      if (!inside) found.push_back(node);
    }
    return found;
  }

  const KernelBody& body_;
  const SyntaxTree& tree_;
  const Reductions& what_;
};

}  // namespace

std::int64_t Reductions::threads() const { return std::int64_t{block[0]} * block[1] * block[2]; }

std::int64_t Reductions::rows_a_block() const {
  return group.is_grid ? 1 : threads() / group.lanes;
}

namespace {

int elements_of_a_load(const std::vector<ReductionStream>& streams, bool is_along) {
  int bytes = 0;
  for (const auto& stream : streams) {
    if (is_along ? stream.is_along : stream.is_beside) {
      bytes = std::max(bytes, size_of_type(stream.type));
    }
  }
  return bytes == 0 ? 1 : 16 / bytes;
}

}  // namespace

int Reductions::along() const { return elements_of_a_load(streams, true); }
int Reductions::beside() const { return elements_of_a_load(streams, false); }

std::vector<std::size_t> grid_members(const KernelBody& body, const Reductions& what) {
  const bool reads_grid = !body.tree().uses(body.function().body, "gridDim").empty();
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const bool is_number = what.grid.at(axis).find_first_not_of("0123456789") == std::string::npos;
    if (!is_number && (!what.group.is_grid || reads_grid)) axes.push_back(axis);
  }
  return axes;
}

std::string problem_text(const KernelBody& body, const Reductions& what) {
  return ProblemWriter(body, what).text();
}

}  // namespace warpmind::agents::builtin
