#include "agents/builtin/contraction/lift_text.h"

#include "agents/builtin/contraction/digit_text.h"
#include "agents/builtin/contraction/index_code.h"
#include "agents/builtin/contraction/wide_tail.h"
#include "base/sequence.h"
#include "base/text.h"

#include <algorithm>
#include <random>

namespace warpmind::agents::builtin {
namespace {

/// Members of a problem, which hide what the file calls so.
constexpr std::array<std::string_view, 12> kProblemMembers{
    "element",           "output",         "left_along_depth",
    "right_along_depth", "is_left_even",   "is_right_even",
    "is_wide",           "is_output_even", "rows",
    "columns",           "depth",          "batches"};
constexpr std::array<std::string_view, 3> kProblemFunctions{"left", "right", "finish"};
/// What the code of a problem stands on; in the problem, so that several fit one file.
constexpr std::string_view kProblemParts = R"(
  // The numbers of a thread of the kernel as it was before the rewrite.
  struct wm_index {
    unsigned x, y, z;
  };
  // Division of numbers below 2^31 by one that is known only at run time.
  struct wm_divider {
    unsigned factor = 1u, shift = 0u;
    __device__ __forceinline__ void set(unsigned by) {
      shift = by > 1u ? 32u - __clz(by - 1u) : 0u;
      const unsigned long long rest = (1ull << shift) - by;
      factor = by > 0u ? static_cast<unsigned>((rest << 32u) / by + 1u) : 1u;
    }
    __device__ __forceinline__ unsigned quotient(unsigned number) const {
      return (__umulhi(number, factor) + number) >> shift;
    }
  };
  // A loop that ends before it starts has no terms.
  static __device__ __forceinline__ unsigned wm_count(long long count) {
    return count > 0 ? static_cast<unsigned>(count) : 0u;
  }

)";

class LiftWriter {
 public:
  LiftWriter(const Scene& scene, const Contraction& what)
      : scene_(scene),
        tree_(scene.tree()),
        what_(what),
        digits_(what),
        index_(scene, what),
        tail_(find_wide_tail(scene.source(), *what.function, what.nest.top)) {}

  [[nodiscard]] std::string left_out() const { return index_.left_out(); }

  [[nodiscard]] std::string body(const ContractionTile& tile) const {
    const std::string outputs = tail_ ? "wm_wide_tail<" + tail_->element + ">" : "wm_single_tail";
    return "{\n" + sizes(tile, Order::tiles_first) + load(0, false) + load(1, false) + finish() +
           call(tile, "wm_depth", outputs);
  }

  /// Around a template that takes separable terms.
  [[nodiscard]] std::string gathered_body(const ContractionTile& tile,
                                          const SeparableTerms& terms) const {
    std::string outputs = "wm_single_tail";
    if (tail_)
      outputs = (terms.has_places ? "wm_placed_tail<" : "wm_wide_tail<") + tail_->element + ">";
    std::string text = "{\n" + sizes(tile, Order::batches_first);
    for (std::size_t side = 0; side < 2; ++side) {
      ContractionSide plain = what_.sides.at(side);
      plain.guards.clear();
      plain.operand.guards.clear();
      text += load(plain, side, false);
    }
    text += live(terms) + windows(terms) + finish();
    text += "  const auto wm_from = wm_separable_terms(\n      " + pointer(terms, 0) + ", " +
            pointer(terms, 1) + ", wm_left, wm_right, wm_live, wm_exists, wm_windows";
    for (std::size_t w = 0; w < kMostWindows; ++w) {
      text += ",\n      " +
              (w < terms.windows.size() ? extent_of(terms.windows[w]) : std::string("1u"));
    }
    text += ");\n";
    if (tile.by_taps) text += term_of_tap(terms);
    return text + "  " + tile.call + "(\n      wm_first_row, wm_rows, wm_place.column * " +
           std::to_string(tile.repeat) + "u, wm_column_boxes, wm_depth, " +
           (tile.by_taps ? "wm_taps, wm_from,\n      wm_taps_of(wm_from, wm_term, wm_channels), "
                         : "wm_from,\n      ") +
           outputs + "(wm_finish));\n}";
  }

  /// Of the kernel that sums part number `wm_part` of the terms.
  [[nodiscard]] std::string part_body(const ContractionTile& tile) const {
    const std::string depth = std::to_string(tile.depth) + "u";
    std::string text = "{\n" + sizes(tile, Order::tiles_first);
    text += "  const unsigned wm_batches = " + DigitText::product(what_.batch) +
            ";\n  const unsigned wm_part = blockIdx.x / wm_across / wm_down / wm_batches;\n"
            "  // Whole tiles of terms, so that wide loads stay aligned.\n"
            "  const unsigned wm_part_terms = ((wm_depth + wm_part_count - 1u) / wm_part_count + " +
            depth + " - 1u) / " + depth + " * " + depth +
            ";\n  const unsigned wm_first_term = min(wm_part * wm_part_terms, wm_depth);\n"
            "  const unsigned wm_terms = min(wm_part_terms, wm_depth - wm_first_term);\n";
    text += load(0, true) + load(1, true);
    const std::string batch = what_.batch.empty() ? "0u" : "wm_batch";
    text +=
        "  const auto wm_finish = [&](const unsigned wm_row, const unsigned wm_column, const "
        "float wm_sum,\n                             wm_output<float>& wm_out) {\n"
        "    const size_t wm_first = static_cast<size_t>(wm_part) * wm_batches + " +
        batch +
        ";\n    wm_out.at = wm_parts + (wm_first * wm_rows + wm_row) * wm_columns + wm_column;\n"
        "    wm_out.value = wm_sum;\n  };\n";
    return text + call(tile, "wm_terms", "wm_wide_tail<float>");
  }

  [[nodiscard]] ProblemText problem() const {
    const std::string name = "wm_problem_" + what_.function->name;
    const std::string device = "  __device__ __forceinline__ ";
    std::string text = "// What '" + what_.function->name + "' sums, by its own code.\nstruct " +
                       name + " {\n" + given_members() + std::string(kProblemParts) +
                       derived_members() + facts() + "\n" + device + name + "(" +
                       join_text(declarations(), ", ") + ")" + constructor() + "\n";
    const auto count = [&](const std::string& method, const std::string& value) {
      text.append(device).append("unsigned ").append(method).append("() const { return ");
      text.append(value).append("; }\n");
    };
    count("rows", DigitText::product(what_.sides[0].axes));
    count("columns", DigitText::product(what_.sides[1].axes));
    count("batches", DigitText::product(what_.batch));
    std::vector<std::string> factors;
    for (std::size_t i = 0; i < what_.trips.size(); ++i) factors.push_back(IndexCode::trips(i));
    count("depth", DigitText::joined(factors));
    for (std::size_t side = 0; side < 2; ++side) {
      const std::string code = load_code(side);
      text += "  // Where that term is; a null pointer: it is zero.\n" + device + "const " +
              what_.sides.at(side).element + "* " + (side == 0 ? "left" : "right") +
              "(unsigned wm_batch, unsigned wm_" + (side == 0 ? "row" : "column") +
              ", unsigned wm_k) const {\n";
      text += local_parameters(code);
      text += code;
      text += "  }\n";
    }
    const std::string outputs =
        "finish(unsigned wm_batch, unsigned wm_row, unsigned wm_column, float wm_sum";
    const std::string plain = finish_code(false);
    text += "  // What becomes of a sum.\n" + device + "void " + outputs + ") const {\n" +
            local_parameters(plain) + plain + "  }\n";
    if (tail_) {
      const std::string named = finish_code(true);
      text +=
          "  // The same, but `wm_out` says where and what to write.\n"
          "  template <class wm_place>\n" +
          device + "void " + outputs + ", wm_place& wm_out) const {\n" + local_parameters(named) +
          named + "  }\n";
    }
    return {text + "};", tail_ ? tail_->element : std::string(), tail_ && writes_evenly()};
  }

  /// The first parameter that is changed before the sum, or empty.
  [[nodiscard]] std::string changed_parameter() const {
    for (const NodeId statement : what_.nest.prologue) {
      if (auto name = index_.parameter_written_by(statement); !name.empty()) return name;
    }
    return {};
  }

  /// The first name that the kernel takes from the file and a member of the problem would hide.
  [[nodiscard]] std::string hidden_name() const {
    std::set<std::string_view> own;
    for (const auto& parameter : what_.function->parameters) own.insert(parameter.name);
    for (const NodeId node : tree_.descendants(what_.function->body)) {
      if (tree_.node(node).field != "declarator") continue;
      if (const NodeId declared = tree_.declared(node); declared != kNoNode) {
        own.insert(tree_.text(declared));
      }
    }
    for (const NodeId use : tree_.descendants(what_.function->body, "identifier")) {
      const auto used = tree_.text(use);
      const bool is_hidden = contains(kProblemMembers, used) || contains(kProblemFunctions, used);
      if (is_hidden && !own.contains(used)) return std::string(used);
    }
    return {};
  }

  /// The edits that make the loops a sum of the parts.
  [[nodiscard]] std::vector<TextEdit> sum_of_parts() const {
    const auto flat = [&](const std::vector<std::size_t>& axes) {
      std::string text;
      for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
        const auto& one = what_.outputs.axes[*axis];
        std::string digit = "static_cast<size_t>(" + split_variable(one, *axis) + ")";
        if (!text.empty()) {
          std::string higher = "(";
          higher.append(text).append(" * wm_count(").append(one.extent).append(") + ");
          digit = higher.append(digit).append(")");
        }
        text = std::move(digit);
      }
      return text.empty() ? std::string("0") : text;
    };
    const auto count = [&](const std::vector<std::size_t>& axes) {
      std::string text = "static_cast<size_t>(1)";
      for (const std::size_t axis : axes)
        text += " * wm_count(" + what_.outputs.axes[axis].extent + ")";
      return text;
    };
    std::string text =
        "{\n    const size_t wm_rows = " + count(what_.sides[0].axes) +
        ";\n    const size_t wm_columns = " + count(what_.sides[1].axes) +
        ";\n    const size_t wm_outputs = wm_rows * wm_columns * (" + count(what_.batch) +
        ");\n    const size_t wm_output = (" + flat(what_.batch) + " * wm_rows + " +
        flat(what_.sides[0].axes) + ") * wm_columns + " + flat(what_.sides[1].axes) + ";\n" +
        "    for (unsigned wm_part = 0; wm_part < wm_part_count; ++wm_part) {\n      " +
        what_.nest.sum + " += wm_parts[wm_part * wm_outputs + wm_output];\n    }\n  }";
    std::vector<TextEdit> edits;
    replace_loops(edits, text);
    return edits;
  }

 private:
  /// What blocks with neighbouring numbers share: the batch, or the place in all batches.
  enum class Order { tiles_first, batches_first };

  /// The digit of an axis where its variable is in scope.
  [[nodiscard]] std::string split_variable(const OutputAxis& axis, std::size_t number) const {
    if (axis.part == OutputAxis::Part::whole) return axis.variable;
    const bool is_quotient = axis.part == OutputAxis::Part::quotient;
    const auto& divisor = what_.outputs.axes[is_quotient ? number - 1 : number].extent;
    return axis.variable + (is_quotient ? " / (" : " % (") + divisor + ")";
  }

  /// Tiles along the columns.
  [[nodiscard]] std::string across(const ContractionTile& tile) const {
    const std::string columns = std::to_string(tile.columns) + "u";
    if (tile.wide == 0) {
      return "  const unsigned wm_across = (wm_columns + " + columns + " - 1u) / " + columns +
             ";\n";
    }
    const auto& axes = what_.sides[1].axes;
    std::string extents = "wm_columns, 1u";
    if (tile.tall > 0) {
      extents = DigitText::extent(axes[0]) + ", " +
                (axes.size() > 1 ? DigitText::extent(axes[1]) : std::string("1u"));
    }
    const std::string repeat = std::to_string(tile.repeat) + "u";
    return "  const wm_boxes<" + std::to_string(tile.wide) + ", " +
           std::to_string(std::max(tile.tall, 1)) + "> wm_column_boxes(" + extents +
           ", wm_columns);\n  const unsigned wm_across = (wm_column_boxes.count() + " + repeat +
           " - 1u) / " + repeat + ";\n";
  }

  [[nodiscard]] std::string sizes(const ContractionTile& tile, Order order) const {
    std::string text;
    for (std::size_t i = 0; i < what_.outputs.axes.size(); ++i) {
      const auto& axis = what_.outputs.axes[i];
      text += "  const unsigned " + DigitText::extent(i) + " = wm_count(" + axis.extent +
              ");  // of " + axis.variable + "\n";
      if (axis.part != OutputAxis::Part::quotient) continue;
      text += "  const unsigned " + DigitText::whole_extent(i) + " = wm_count(" +
              axis.whole_extent + ");\n";
    }
    for (std::size_t i = 0; i < what_.trips.size(); ++i) {
      text += "  const unsigned " + IndexCode::trips(i) + " = wm_count(" + what_.trips[i] +
              ");  // of the loop over " + what_.nest.levels[i].variable + "\n";
      if (i > 0)
        text += "  const wm_divider " + IndexCode::trips(i) + "_divider(" + IndexCode::trips(i) +
                ");\n";
    }
    text += "  const unsigned wm_rows = " + DigitText::product(what_.sides[0].axes) + ";\n";
    text += "  const unsigned wm_columns = " + DigitText::product(what_.sides[1].axes) + ";\n";
    std::vector<std::string> factors;
    for (std::size_t i = 0; i < what_.trips.size(); ++i) factors.push_back(IndexCode::trips(i));
    text += "  const unsigned wm_depth = " + DigitText::joined(factors) + ";\n";
    text += DigitText::dividers(what_.sides[0].axes) + DigitText::dividers(what_.sides[1].axes) +
            DigitText::dividers(what_.batch);
    const std::string rows = std::to_string(tile.rows) + "u";
    const std::string columns = std::to_string(tile.columns) + "u";
    text += across(tile);
    text +=
        "  const unsigned wm_down = (wm_rows + " + rows + " - 1u) / " + rows +
        ";\n  // Blocks that run at one time share rows and columns.\n"
        "  const wm_tile_place wm_place(" +
        (order == Order::tiles_first ? "blockIdx.x % (wm_across * wm_down)"
                                     : "blockIdx.x / (" + DigitText::product(what_.batch) + ")") +
        ", wm_down, wm_across);\n  const unsigned wm_first_row = wm_place.row * " + rows + ";\n";
    if (tile.wide == 0) {
      text += "  const unsigned wm_first_column = wm_place.column * " + columns + ";\n";
    }
    if (!what_.batch.empty()) {
      text += "  const unsigned wm_batch = blockIdx.x" +
              std::string(order == Order::tiles_first ? " / wm_across / wm_down" : "") + " % (" +
              DigitText::product(what_.batch) + ");\n";
    }
    return text;
  }

  static std::string call(const ContractionTile& tile, const std::string& depth,
                          const std::string& outputs) {
    return "  " + tile.call + "(\n      wm_first_row, wm_rows, wm_first_column, wm_columns, " +
           depth + ", wm_left, wm_right,\n      " + outputs + "(wm_finish));\n}";
  }

  /// Parameters of the kernel, and those that say what only its grid said.
  [[nodiscard]] std::vector<std::string> declarations() const {
    std::vector<std::string> all;
    for (const auto& one : what_.function->parameters) all.push_back(one.type + " " + one.name);
    for (const auto& axis : what_.outputs.axes) {
      if (axis.grid_dimension) all.push_back("unsigned " + axis.extent);
    }
    return all;
  }

  /// The parameters, under names that no method has.
  [[nodiscard]] std::string given_members() const {
    std::string text;
    for (const auto& one : what_.function->parameters) {
      text += "  " + one.type + " wm_given_" + one.name + ";\n";
    }
    for (const auto& axis : what_.outputs.axes) {
      if (axis.grid_dimension) text += "  unsigned wm_given_" + axis.extent + ";\n";
    }
    return text;
  }

  /// The parameters that `code` mentions, as the variables that it knows.
  [[nodiscard]] std::string local_parameters(const std::string& code) const {
    std::string text;
    for (const auto& one : what_.function->parameters) {
      if (!contains_word(code, one.name)) continue;
      text += "    " + one.type + " " + one.name + " = wm_given_" + one.name + ";\n";
    }
    return text;
  }

  [[nodiscard]] std::vector<std::string> dividers() const {
    std::vector<std::string> divided;
    for (const auto* axes : {&what_.sides[0].axes, &what_.sides[1].axes, &what_.batch}) {
      for (std::size_t i = 0; i + 1 < axes->size(); ++i) {
        divided.push_back(DigitText::extent((*axes)[i]));
      }
    }
    for (std::size_t i = 1; i < what_.trips.size(); ++i) divided.push_back(IndexCode::trips(i));
    return divided;
  }

  [[nodiscard]] std::string derived_members() const {
    std::string text;
    for (std::size_t i = 0; i < what_.outputs.axes.size(); ++i) {
      text += "  unsigned " + DigitText::extent(i) + ";  // of " + what_.outputs.axes[i].variable +
              "\n";
    }
    for (std::size_t i = 0; i < what_.trips.size(); ++i) {
      text += "  unsigned " + IndexCode::trips(i) + ";  // of the loop over " +
              what_.nest.levels[i].variable + "\n";
    }
    for (const auto& name : dividers()) text += "  wm_divider " + name + "_divider;\n";
    return text;
  }

  [[nodiscard]] std::string facts() const {
    const auto& [left, right] = what_.sides;
    std::string text = "\n  using element = " + left.element + ";\n";
    if (tail_) text += "  using output = " + tail_->element + ";\n";
    const auto fact = [&](const char* name, bool value) {
      text += std::string("  static constexpr bool ") + name + " = " + (value ? "true" : "false") +
              ";\n";
    };
    fact("left_along_depth", left.along_depth);
    fact("right_along_depth", right.along_depth);
    fact("is_left_even", left.is_even);
    fact("is_right_even", right.is_even);
    fact("is_wide", tail_.has_value());
    fact("is_output_even", tail_ && writes_evenly());
    return text;
  }

  [[nodiscard]] std::string constructor() const {
    std::string text;
    const auto keep = [&](const std::string& name) {
      text += (text.empty() ? "\n      : wm_given_" : ", wm_given_") + name + "(" + name + ")";
    };
    for (const auto& one : what_.function->parameters) keep(one.name);
    for (const auto& axis : what_.outputs.axes) {
      if (axis.grid_dimension) keep(axis.extent);
    }
    text += " {\n";
    for (std::size_t i = 0; i < what_.outputs.axes.size(); ++i) {
      text +=
          "    " + DigitText::extent(i) + " = wm_count(" + what_.outputs.axes[i].extent + ");\n";
    }
    for (std::size_t i = 0; i < what_.trips.size(); ++i) {
      text += "    " + IndexCode::trips(i) + " = wm_count(" + what_.trips[i] + ");\n";
    }
    for (const auto& name : dividers()) {
      text.append("    ").append(name).append("_divider.set(").append(name).append(");\n");
    }
    return text + "  }\n";
  }

  /// Whether outputs of neighbouring columns lie side by side, at every point that is probed. Each
  /// column has its own digit of one axis.
  [[nodiscard]] bool writes_evenly() const {
    constexpr std::uint64_t kColumnSeed = 17;
    constexpr int kColumnProbes = 24;
    const auto& columns = what_.sides[1].axes;
    if (columns.size() != 1) return false;
    std::mt19937_64 generator(kColumnSeed);
    for (std::size_t launch = 0; launch < what_.launches.size(); ++launch) {
      const KernelProber prober(scene_.source(), *what_.function, what_.launches[launch]);
      for (int i = 0; i < kColumnProbes; ++i) {
        std::vector<std::int64_t> digits;
        for (const auto& axis : what_.outputs.axes) {
          const auto extent = static_cast<std::uint64_t>(axis.extents[launch]);
          digits.push_back(static_cast<std::int64_t>(generator() % extent));
        }
        auto next = digits;
        if (++next[columns.front()] >= what_.outputs.axes[columns.front()].extents[launch])
          continue;
        const auto written = [&](const std::vector<std::int64_t>& at) {
          const auto place = what_.outputs.coordinates(at, launch);
          return prober.access(tail_->target,
                               what_.outputs.mapping.position(what_.launches[launch], place));
        };
        const auto first = written(digits);
        const auto second = written(next);
        if (!first || !second || first->buffer != second->buffer ||
            second->element != first->element + 1) {
          return false;
        }
      }
    }
    return true;
  }

  /// Returns the address of term `wm_k` of that row (column).
  [[nodiscard]] std::string load_code(const ContractionSide& one, std::size_t side) const {
    const std::set<NodeId> needed = index_.needed_by(one, {one.operand.access});
    const std::string code = index_.prologue(needed) + index_.term_code(one, needed) +
                             "    return " + (one.operand.is_pointer ? "" : "&") +
                             index_.part(one.operand.access) + ";\n";
    return digits_.virtual_thread(index_.names_of(side == 0 ? "row" : "column"), code) + code;
  }
  [[nodiscard]] std::string load_code(std::size_t side) const {
    return load_code(what_.sides.at(side), side);
  }

  [[nodiscard]] std::string load(std::size_t side, bool of_part) const {
    return load(what_.sides.at(side), side, of_part);
  }

  [[nodiscard]] std::string load(const ContractionSide& one, std::size_t side, bool of_part) const {
    const std::string term = of_part ? "wm_term" : "wm_k";
    std::string text = "  const auto wm_" + std::string(side == 0 ? "left" : "right") +
                       " = [&](const unsigned wm_" + (side == 0 ? "row" : "column") +
                       ", const unsigned " + term + ") -> const " + what_.sides.at(side).element +
                       "* {\n";
    if (of_part) text += "    const unsigned wm_k = wm_first_term + wm_term;\n";
    return text + load_code(one, side) + "  };\n";
  }

  /// Whether a term counts for the columns of the batch, of which the first speaks for all.
  [[nodiscard]] std::string live(const SeparableTerms& terms) const {
    ContractionSide side;
    side.guards = terms.live;
    for (const auto& from : what_.sides) {
      for (const auto& item : from.operand.guards) {
        if (terms.live.contains(item.node)) side.operand.guards.push_back(item);
      }
    }
    const std::set<NodeId> needed = index_.needed_by(side, {});
    const std::string code =
        terms.live.empty() ? std::string()
                           : index_.prologue(needed) + index_.term_code(side, needed, "false");
    return "  const auto wm_live = [&](const unsigned wm_k) -> bool {\n" +
           (terms.live.empty() ? std::string()
                               : "    const unsigned wm_column = 0u;\n" +
                                     digits_.virtual_thread(index_.names_of("column"), code)) +
           code + "    return true;\n  };\n";
  }

  /// The number of a term, of its tap and its channel.
  [[nodiscard]] std::string term_of_tap(const SeparableTerms& terms) const {
    std::array<std::string, 2> digits;
    std::array<std::vector<std::string>, 2> counts;
    std::string number;
    for (std::size_t l = what_.trips.size(); l-- > 0;) {
      const bool is_channel = terms.channels.contains(l);
      const std::string name = is_channel ? "wm_channel" : "wm_tap";
      const std::string digit = "wm_at_" + std::to_string(l);
      std::string& text = digits.at(is_channel ? 1 : 0);
      std::string above = name;
      for (const auto& below : counts.at(is_channel ? 1 : 0)) above.append(" / ").append(below);
      text.append("    const unsigned ").append(digit).append(" = ").append(above);
      text.append(" % ").append(IndexCode::trips(l)).append(";\n");
      counts.at(is_channel ? 1 : 0).push_back(IndexCode::trips(l));
    }
    for (std::size_t l = 0; l < what_.trips.size(); ++l) {
      std::string digit = "wm_at_" + std::to_string(l);
      if (l > 0) {
        std::string above = "(";
        above.append(number).append(") * ").append(IndexCode::trips(l)).append(" + ");
        digit.insert(0, above);
      }
      number = std::move(digit);
    }
    return "  const unsigned wm_taps = " + DigitText::joined(counts[0]) +
           ";\n  const unsigned wm_channels = " + DigitText::joined(counts[1]) +
           ";\n  const auto wm_term = [&](const unsigned wm_tap, const unsigned wm_channel) -> "
           "unsigned {\n" +
           digits[0] + digits[1] + "    return " + number + ";\n  };\n";
  }

  /// Which outputs exist, and the positions of an element.
  [[nodiscard]] std::string windows(const SeparableTerms& terms) const {
    std::vector<NodeId> used;
    for (const auto& window : terms.windows) used.push_back(window.position);
    const ContractionSide none;
    const std::set<NodeId> needed = index_.needed_by(none, used);
    std::string code = index_.prologue(needed) + index_.term_code(none, needed);
    for (std::size_t w = 0; w < terms.windows.size(); ++w) {
      code += "    wm_at[" + std::to_string(w) + "] = " + position_of(terms.windows[w]) + ";\n";
    }
    const std::string beyond = beyond_outputs();
    const std::string exists =
        beyond.empty() ? std::string("    return true;\n") : "    return !(" + beyond + ");\n";
    return "  const auto wm_exists = [&](const unsigned wm_column) -> bool {\n" +
           digits_.virtual_thread(index_.names_of("column"), exists) + exists + "  };\n" +
           "  const auto wm_windows = [&](const unsigned wm_column, const unsigned wm_k,\n"
           "                              unsigned (&wm_at)[3]) {\n" +
           digits_.virtual_thread(index_.names_of("column"), code) + code + "  };\n";
  }

  /// Whether the digits of a quotient and its remainder are of no output; empty: they always are.
  [[nodiscard]] std::string beyond_outputs() const {
    std::string text;
    for (const std::size_t axis : what_.sides[1].axes) {
      if (what_.outputs.axes[axis].part != OutputAxis::Part::quotient) continue;
      text += (text.empty() ? "" : " || ") + DigitText::joined_digits(axis) +
              " >= " + DigitText::whole_extent(axis);
    }
    return text;
  }

  [[nodiscard]] std::string position_of(const TermWindow& window) const {
    std::string at = "static_cast<unsigned>(" + index_.part(window.position) + ")";
    if (!window.first.empty()) return at + " - static_cast<unsigned>(" + window.first + ")";
    if (window.is_unsigned) return at;
    return "static_cast<unsigned>(" + window.end + ") - 1u - " + at;
  }
  [[nodiscard]] static std::string extent_of(const TermWindow& window) {
    constexpr const char* kAny = "0x40000000u";
    if (window.end.empty() || (window.first.empty() && !window.is_unsigned)) return kAny;
    const std::string first = window.first.empty() ? "0" : "(" + window.first + ")";
    return "min(wm_count((" + window.end + ") - " + first + "), " + kAny + ")";
  }
  /// The first element of an operand's buffer.
  [[nodiscard]] std::string pointer(const SeparableTerms& terms, std::size_t side) const {
    return "static_cast<const " + what_.sides.at(side).element + "*>(" + terms.bases.at(side) + ")";
  }

  /// Puts `text` where the loops are; the pragmas in front of them have nothing left to speak of.
  void replace_loops(std::vector<TextEdit>& edits, std::string text) const {
    edits.push_back({tree_.node(what_.nest.top).range, std::move(text)});
    const auto siblings = tree_.children(tree_.node(what_.nest.top).parent);
    for (std::size_t i = 1; i < siblings.size(); ++i) {
      if (siblings[i] == what_.nest.top && tree_.is(siblings[i - 1], "preproc_call")) {
        edits.push_back({tree_.node(siblings[i - 1]).range, "\n"});
      }
    }
  }

  /// The whole body with the loops replaced by their result; is_named: the store at the end names
  /// its place and value in `wm_out` instead.
  [[nodiscard]] std::string finish_code(bool is_named) const {
    std::vector<std::string> names{"row", "column"};
    if (!what_.batch.empty()) names.emplace_back("batch");
    std::vector<TextEdit> edits = index_.renames();
    const Range loop = tree_.node(what_.nest.top).range;
    std::erase_if(edits, [&](const TextEdit& edit) {
      return edit.range.begin >= loop.begin && edit.range.end <= loop.end;
    });
    replace_loops(edits, what_.nest.sum + " += wm_sum;");
    if (is_named) edits.insert(edits.end(), tail_->edits.begin(), tail_->edits.end());
    const std::string code =
        edited_part(tree_.source(), tree_.node(what_.function->body).range, edits);
    std::string beyond = beyond_outputs();
    if (!beyond.empty()) beyond = "    if (" + beyond + ") return;\n";
    return digits_.virtual_thread(names, code + beyond) + beyond + "    " + code + "\n";
  }

  [[nodiscard]] std::string finish() const {
    return "  const auto wm_finish = [&](const unsigned wm_row, const unsigned wm_column, const "
           "float wm_sum" +
           (tail_ ? ",\n                             wm_output<" + tail_->element + ">& wm_out"
                  : std::string()) +
           ") {\n" + finish_code(tail_.has_value()) + "  };\n";
  }

  const Scene& scene_;
  const SyntaxTree& tree_;
  const Contraction& what_;
  DigitText digits_;
  IndexCode index_;
  std::optional<WideTail> tail_;
};

}  // namespace

std::string lift_left_out(const Scene& scene, const Contraction& contraction) {
  return LiftWriter(scene, contraction).left_out();
}

std::string lifted_body(const Scene& scene, const Contraction& contraction,
                        const ContractionTile& tile) {
  return LiftWriter(scene, contraction).body(tile);
}

std::string gathered_body(const Scene& scene, const SeparableTerms& terms,
                          const ContractionTile& tile) {
  return LiftWriter(scene, terms.contraction).gathered_body(tile, terms);
}

PartTexts part_texts(const Scene& scene, const Contraction& contraction,
                     const ContractionTile& tile) {
  const LiftWriter writer(scene, contraction);
  return {writer.part_body(tile), writer.sum_of_parts()};
}

ProblemText problem_text(const Scene& scene, const Contraction& contraction) {
  return LiftWriter(scene, contraction).problem();
}

std::string parameter_changed(const Scene& scene, const Contraction& contraction) {
  return LiftWriter(scene, contraction).changed_parameter();
}

std::string reserved_name_used(const Scene& scene, const Contraction& contraction) {
  return LiftWriter(scene, contraction).hidden_name();
}

}  // namespace warpmind::agents::builtin
