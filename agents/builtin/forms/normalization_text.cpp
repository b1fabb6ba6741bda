#include "agents/builtin/forms/normalization_text.h"

#include "agents/builtin/forms/value_writer.h"
#include "agents/builtin/loops/lane_edits.h"
#include "base/sequence.h"
#include "base/text.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

using Kind = RowValue::Kind;

constexpr std::array<std::string_view, 3> kAxes{"x", "y", "z"};

class ProblemWriter {
 public:
  ProblemWriter(const RowValues& values, const Normalization& what) : values_(values), what_(what) {
    find_kept();
  }

  std::string text() {
    std::string result = "struct wm_problem_" + what_.kernel + " {\n";
    for (const auto& parameter : what_.parameters) {
      result += "  " + parameter.type + " " + parameter.name + ";\n";
    }
    for (const std::size_t axis : grid_members(what_)) {
      result += joined({"  unsigned wm_grid_", kAxes.at(axis), ";\n"});
    }
    result += joined({"\n  using wm_index = ", index(), ";\n"});
    for (const auto& [name, number] : what_.program.assumed) {
      result += joined({"  static_assert((", name, ") == ", std::to_string(number),
                        ", \"threads were combined for this number\");\n"});
    }
    result += constants() + runs() + row() + elements() + states() + count() + begin();
    for (std::size_t pass = 0; pass < what_.passes.size(); ++pass) {
      result += identity(pass) + combine(pass) + take(pass) + fold(pass);
    }
    result += load() + store() + lead() + pieces() + finish();
    return failed_ ? std::string() : result + "};\n";
  }

 private:
  [[nodiscard]] std::string index() const {
    return what_.is_wide_index() ? "unsigned long long" : "unsigned";
  }
  static std::string method(const std::string& head, const std::string& lines) {
    return "\n  __device__ __forceinline__ " + head + " {\n" + lines + "  }\n";
  }
  static std::string number(std::size_t value) { return std::to_string(value); }
  [[nodiscard]] std::string state(std::size_t pass) const { return "wm_state_" + number(pass); }
  [[nodiscard]] std::size_t inner() const { return what_.program.terms.size() - 1; }
  /// "static" where a method does not look at members.
  [[nodiscard]] const RowTotal& total(std::size_t i) const { return what_.program.totals[i]; }

  // --- values of a row that are computed once ---

  /// Values without a term below values with one.
  void find_kept() {
    PassNumbers pass_of(values_, what_.program);
    for (const auto& stage : stages_of(what_, true)) {
      const auto needed = always_needed(values_, stage);
      for (const RowValueId id : needed) {
        const RowValue& value = values_.at(id);
        if (!value.has_term && !value.has_carried) continue;
        for (const RowValueId part : value.parts) {
          if (needed.contains(part) && is_worth_keeping(values_.at(part))) keep(part, pass_of);
        }
      }
      for (const RowValueId id : stage) {
        if (is_worth_keeping(values_.at(id))) keep(id, pass_of);
      }
    }
  }
  [[nodiscard]] static bool is_worth_keeping(const RowValue& value) {
    const bool is_computed = value.kind == Kind::operation || value.kind == Kind::call ||
                             value.kind == Kind::cast || value.kind == Kind::load ||
                             value.kind == Kind::choice;
    return is_computed && !value.has_term && !value.has_carried &&
           (value.type == "bool" || size_of_type(value.type) > 0);
  }
  void keep(RowValueId id, PassNumbers& pass_of) { kept_.emplace(id, pass_of(id)); }

  /// The values that a method may use: indices of the row, totals and kept values of passes in
  /// front of `pass`.
  [[nodiscard]] ValueTexts given(std::size_t pass) const {
    ValueTexts texts;
    for (RowValueId id = 0; id < values_.count(); ++id) {
      const RowValue& value = values_.at(id);
      if (value.kind == Kind::index) {
        const bool is_grid = value.text.starts_with("grid_");
        texts.emplace(id, (is_grid ? "wm_" : "wm_at.") + value.text);
      }
      if (value.kind == Kind::total)
        texts.emplace(id, "wm_at.total_" + std::to_string(value.number));
    }
    for (const auto& [id, known] : kept_) {
      if (known <= pass) texts.emplace(id, "wm_at.kept_" + number(id));
    }
    return texts;
  }

  std::string kept_lines(std::size_t pass, const std::string& indent) {
    ValueWriter writer(values_, pass == 0 ? given_without_kept() : given(pass - 1), indent);
    for (const auto& [id, known] : kept_) {
      if (known != pass) continue;
      const std::string text = writer.of(id);
      writer.line(joined({"wm_at.kept_", number(id), " = ", text, ";"}));
    }
    failed_ = failed_ || writer.failed();
    return writer.lines();
  }
  /// Where a row may have no terms, values that only terms need are not there.
  [[nodiscard]] ValueTexts given_without_kept() const {
    ValueTexts texts = given(0);
    for (const auto& [id, known] : kept_) texts.erase(id);
    return texts;
  }

  // --- declarations ---

  [[nodiscard]] std::string constants() const {
    return joined({"  static constexpr int wm_along = ", std::to_string(what_.along),
                   ";  // terms of a piece\n  static constexpr int wm_passes = ",
                   number(what_.passes.size()), ";\n  static constexpr bool wm_has_stores = ",
                   what_.program.stores.empty() ? "false" : "true",
                   ";\n  template <int wm_number>\n  struct wm_pass {};\n"});
  }

  [[nodiscard]] static std::string runs() {
    return "  template <class wm_type, int wm_count>\n"
           "  struct alignas(sizeof(wm_type) * wm_count < 16 ? sizeof(wm_type) * wm_count : 16) "
           "wm_run {\n"
           "    wm_type at[wm_count];\n  };\n"
           "  template <class wm_type, int wm_count>\n"
           "  static __device__ __forceinline__ void wm_read(const wm_type* wm_from,\n"
           "                                                 wm_run<wm_type, wm_count>& wm_to) {\n"
           "    using wm_whole = wm_run<wm_type, wm_count>;\n"
           "    if (reinterpret_cast<size_t>(wm_from) % alignof(wm_whole) == 0) {\n"
           "      wm_to = *reinterpret_cast<const wm_whole*>(wm_from);\n"
           "    } else {\n"
           "#pragma unroll\n"
           "      for (int wm_i = 0; wm_i < wm_count; ++wm_i) wm_to.at[wm_i] = wm_from[wm_i];\n"
           "    }\n  }\n"
           "  template <class wm_type, int wm_count>\n"
           "  static __device__ __forceinline__ void wm_write(wm_type* wm_to,\n"
           "                                                  const wm_run<wm_type, wm_count>& "
           "wm_from) {\n"
           "    using wm_whole = wm_run<wm_type, wm_count>;\n"
           "    if (reinterpret_cast<size_t>(wm_to) % alignof(wm_whole) == 0) {\n"
           "      *reinterpret_cast<wm_whole*>(wm_to) = wm_from;\n"
           "    } else {\n"
           "#pragma unroll\n"
           "      for (int wm_i = 0; wm_i < wm_count; ++wm_i) wm_to[wm_i] = wm_from.at[wm_i];\n"
           "    }\n  }\n";
  }

  [[nodiscard]] std::string row() const {
    std::string members;
    std::set<std::string> seen;
    for (RowValueId id = 0; id < values_.count(); ++id) {
      const RowValue& value = values_.at(id);
      if (value.kind == Kind::index && !value.text.starts_with("grid_")) seen.insert(value.text);
    }
    for (const auto& name : row_numbers()) seen.insert(name);
    for (const auto& name : seen) members += "    unsigned " + name + ";\n";
    for (const RowTotal& one : what_.program.totals) {
      members += joined({"    ", one.type, " total_", std::to_string(one.id), ";\n"});
    }
    for (const auto& [id, pass] : kept_) {
      members += joined({"    ", values_.at(id).type, " kept_", number(id), ";\n"});
    }
    for (std::size_t i = 1; i <= inner(); ++i) {
      members += joined({"    wm_index count_", number(i), ";\n"});
    }
    return "  struct wm_row {\n" + members + "    wm_index length;\n  };\n";
  }

  [[nodiscard]] std::string elements() const {
    std::string members;
    std::string pieces;
    for (std::size_t i = 0; i < what_.elements.size(); ++i) {
      const std::string& type = values_.at(what_.elements[i]).type;
      members += joined({"    ", type, " at_", number(i), ";\n"});
      pieces += joined({"    wm_run<", type, ", wm_along> at_", number(i), ";\n"});
    }
    return "  struct wm_element {\n" + members + "  };\n  struct wm_piece {\n" + pieces + "  };\n";
  }

  [[nodiscard]] std::string states() const {
    std::string text;
    for (std::size_t pass = 0; pass < what_.passes.size(); ++pass) {
      text += "  struct " + state(pass) + " {\n";
      for (const std::size_t i : what_.passes[pass]) {
        text += joined({"    ", total(i).type, " of_", std::to_string(total(i).id), ";  // ",
                        total(i).name, "\n"});
      }
      text += "  };\n";
    }
    return text;
  }

  // --- rows ---

  [[nodiscard]] std::string blocks(std::size_t axis) const {
    const std::string& extent = what_.lanes.grid.at(axis);
    const bool is_literal = extent.find_first_not_of("0123456789") == std::string::npos;
    return is_literal ? extent + "u" : "wm_grid_" + std::string(kAxes.at(axis));
  }

  [[nodiscard]] std::string count() const {
    std::string text = "static_cast<wm_index>(" + std::to_string(what_.lanes.rows_a_block()) + "u)";
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (what_.lanes.grid.at(axis) != "1") text += " * " + blocks(axis);
    }
    return method("wm_index wm_rows() const", "    return " + text + ";\n");
  }

  /// The numbers that a row's number is taken apart to, the fastest first.
  [[nodiscard]] std::vector<std::string> row_numbers() const {
    std::vector<std::string> names;
    const bool is_block = what_.lanes.lanes == what_.lanes.threads();
    if (!is_block && what_.lanes.lanes > 1 && what_.lanes.lanes < what_.lanes.block[0]) {
      names.emplace_back("group");
    } else if (!is_block) {
      for (std::size_t axis = what_.lanes.lanes > 1 ? 1 : 0; axis < 3; ++axis) {
        if (what_.lanes.block.at(axis) > 1)
          names.push_back("thread_" + std::string(kAxes.at(axis)));
      }
    }
    for (const std::size_t axis : what_.axes) {
      if (what_.lanes.grid.at(axis) != "1") names.push_back("block_" + std::string(kAxes.at(axis)));
    }
    return names;
  }
  [[nodiscard]] std::string extent_of(const std::string& name) const {
    if (name == "group") return std::to_string(what_.lanes.rows_a_block()) + "u";
    const auto axis = static_cast<std::size_t>(name.back() - 'x');
    if (name.starts_with("block_")) return blocks(axis);
    return std::to_string(what_.lanes.block.at(axis)) + "u";
  }

  std::string begin() {
    std::string lines = "    wm_index wm_rest = wm_number;\n";
    const auto names = row_numbers();
    for (std::size_t i = 0; i < names.size(); ++i) {
      const bool is_last = i + 1 == names.size();
      const std::string part = is_last ? "wm_rest" : "wm_rest % " + extent_of(names[i]);
      lines += joined({"    wm_at.", names[i], " = static_cast<unsigned>(", part, ");\n"});
      if (!is_last) lines += "    wm_rest /= " + extent_of(names[i]) + ";\n";
    }
    if (names.empty()) lines += "    (void)wm_rest;\n";
    for (const RowValueId guard : what_.program.guards) {
      ValueWriter writer(values_, given_without_kept(), "    ");
      const std::string text = writer.closed(guard);
      failed_ = failed_ || writer.failed();
      lines += "    if (!" + text + ") return false;\n";
    }
    std::string product;
    for (std::size_t i = 0; i < what_.program.terms.size(); ++i) {
      ValueWriter writer(values_, given_without_kept(), "    ");
      lines += counted(what_.program.terms[i], i, writer);
      product += (i > 0 ? " * " : "") + std::string("wm_count_") + number(i);
      if (i > 0) lines += joined({"    wm_at.count_", number(i), " = wm_count_", number(i), ";\n"});
      failed_ = failed_ || writer.failed();
    }
    lines += "    wm_at.length = " + product + ";\n";
    const std::string kept = kept_lines(0, "      ");
    if (!kept.empty()) lines += "    if (wm_at.length != 0) {\n" + kept + "    }\n";
    return "\n  // Whether there is work for the row." +
           method("bool wm_begin(wm_index wm_number, wm_row& wm_at) const",
                  lines + "    return true;\n");
  }

  /// Declares `wm_count_<i>`.
  std::string counted(const TermLevel& level, std::size_t i, ValueWriter& writer) {
    const std::string own = number(i);
    const std::string from = writer.closed(level.start);
    const std::string to = writer.closed(level.bound);
    std::string count = "wm_to_" + own + " - wm_from_" + own;
    if (level.is_inclusive) count += " + 1";
    if (level.step != 1) {
      const std::string step = std::to_string(level.step);
      count = joined({"(", count, " + ", std::to_string(level.step - 1), ") / ", step});
    }
    return joined({"    const long long wm_from_", own, " = ", from,
                   ";\n    const long long wm_to_", own, " = ", to,
                   ";\n    const wm_index wm_count_", own, " = wm_to_", own,
                   level.is_inclusive ? " < " : " <= ", "wm_from_", own,
                   " ? 0 : static_cast<wm_index>(", count, ");\n"});
  }

  // --- passes ---

  std::string identity(std::size_t pass) {
    ValueWriter writer(values_, given_without_kept(), "    ");
    std::string lines = "    " + state(pass) + " wm_none;\n";
    for (const std::size_t i : what_.passes[pass]) {
      lines += joined({"    wm_none.of_", std::to_string(total(i).id), " = static_cast<",
                       total(i).type, ">(", writer.closed(total(i).identity), ");\n"});
    }
    failed_ = failed_ || writer.failed();
    return method(
        state(pass) + " wm_identity(const wm_row& wm_at, wm_pass<" + number(pass) + ">) const",
        lines + "    return wm_none;\n");
  }

  std::string combine(std::size_t pass) {
    std::string lines;
    for (const std::size_t i : what_.passes[pass]) {
      const std::string name = "of_" + std::to_string(total(i).id);
      lines += joined({"    wm_left.", name, " = ",
                       combined(total(i), "wm_left." + name, "wm_right." + name), ";\n"});
    }
    const std::string head = joined(
        {state(pass), " wm_combine(", state(pass), " wm_left, const ", state(pass), "& wm_right)"});
    return "\n  static" + method(head, lines + "    return wm_left;\n").substr(2);
  }

  static std::string combined(const RowTotal& total, const std::string& a, const std::string& b) {
    switch (total.how) {
      case Combining::sum: return a + " + " + b;
      case Combining::product: return a + " * " + b;
      case Combining::bit_and: return a + " & " + b;
      case Combining::bit_or: return a + " | " + b;
      case Combining::bit_xor: return a + " ^ " + b;
      default: break;
    }
    const bool is_maximum = total.how == Combining::maximum;
    if (total.type == "float") return joined({is_maximum ? "fmaxf(" : "fminf(", a, ", ", b, ")"});
    if (total.type == "double") return joined({is_maximum ? "fmax(" : "fmin(", a, ", ", b, ")"});
    return joined({a, is_maximum ? " > " : " < ", b, " ? ", a, " : ", b});
  }

  std::string take(std::size_t pass) {
    std::string lines;
    for (const std::size_t i : what_.passes[pass]) {
      const std::string id = std::to_string(total(i).id);
      lines += joined({"    wm_at.total_", id, " = wm_sum.of_", id, ";\n"});
    }
    const std::string kept = kept_lines(pass + 1, "      ");
    if (!kept.empty()) lines += "    if (wm_at.length != 0) {\n" + kept + "    }\n";
    return method("void wm_take(wm_row& wm_at, const " + state(pass) + "& wm_sum) const", lines);
  }

  // --- terms ---

  /// Declares the variables of the loops for the term that `wm_term` counts.
  [[nodiscard]] std::string term_lines(const std::string& indent) const {
    std::string lines;
    const auto& levels = what_.program.terms;
    if (levels.size() == 1) {
      return joined({indent, "[[maybe_unused]] const ", levels[0].type, " wm_term_0 = static_cast<",
                     levels[0].type, ">(wm_term);\n"});
    }
    lines = indent + "wm_index wm_rest = wm_term;\n";
    for (std::size_t i = levels.size(); i-- > 0;) {
      const std::string part = i == 0 ? "wm_rest" : "wm_rest % wm_at.count_" + number(i);
      lines += joined({indent, "[[maybe_unused]] const ", levels[i].type, " wm_term_", number(i),
                       " = static_cast<", levels[i].type, ">(", part, ");\n"});
      if (i > 0) lines += indent + "wm_rest /= wm_at.count_" + number(i) + ";\n";
    }
    return lines;
  }
  void add_terms(ValueTexts& texts, const std::string& inner_name) const {
    for (RowValueId id = 0; id < values_.count(); ++id) {
      const RowValue& value = values_.at(id);
      if (value.kind != Kind::term) continue;
      const auto level = static_cast<std::size_t>(value.number);
      texts.emplace(id, level == inner() ? inner_name : "wm_term_" + number(level));
    }
  }
  [[nodiscard]] std::string inner_term() const { return "wm_term_" + number(inner()); }

  void add_elements(ValueTexts& texts, const std::string& prefix, const std::string& suffix) const {
    for (std::size_t i = 0; i < what_.elements.size(); ++i) {
      texts[what_.elements[i]] = joined({prefix, ".at_", number(i), suffix});
    }
  }
  void add_carried(ValueTexts& texts, std::size_t pass) const {
    for (RowValueId id = 0; id < values_.count(); ++id) {
      const RowValue& value = values_.at(id);
      if (value.kind != Kind::carried) continue;
      for (const std::size_t i : what_.passes[pass]) {
        if (total(i).id == value.number) {
          texts.emplace(id, "wm_sum.of_" + std::to_string(value.number));
        }
      }
    }
  }

  std::string load() {
    ValueTexts texts = given(0);
    add_terms(texts, inner_term());
    ValueWriter writer(values_, texts, "    ");
    for (std::size_t i = 0; i < what_.elements.size(); ++i) {
      const std::string value = writer.of(what_.elements[i]);
      writer.line(joined({"wm_out.at_", number(i), " = ", value, ";"}));
    }
    failed_ = failed_ || writer.failed();
    return method("void wm_load(const wm_row& wm_at, wm_index wm_term, wm_element& wm_out) const",
                  term_lines("    ") + writer.lines());
  }

  std::string fold(std::size_t pass) {
    ValueTexts texts = given(pass);
    add_terms(texts, inner_term());
    add_elements(texts, "wm_own", "");
    add_carried(texts, pass);
    return method("void wm_fold(const wm_row& wm_at, wm_index wm_term, const wm_element& wm_own, " +
                      state(pass) + "& wm_sum) const",
                  term_lines("    ") + fold_lines(pass, texts, "    "));
  }
  std::string fold_lines(std::size_t pass, const ValueTexts& texts, const std::string& indent) {
    ValueWriter writer(values_, texts, indent);
    std::vector<std::pair<std::string, std::string>> results;
    for (const std::size_t i : what_.passes[pass]) {
      results.emplace_back("wm_sum.of_" + std::to_string(total(i).id), writer.of(total(i).update));
    }
    for (const auto& [name, value] : results) writer.line(joined({name, " = ", value, ";"}));
    failed_ = failed_ || writer.failed();
    return writer.lines();
  }

  std::string store() {
    ValueTexts texts = given(what_.passes.size());
    add_terms(texts, inner_term());
    add_elements(texts, "wm_own", "");
    std::string lines = term_lines("    ");
    ValueWriter writer(values_, texts, "    ");
    for (const RowStore& one : what_.program.stores) write_store(one, writer);
    failed_ = failed_ || writer.failed();
    return method(
        "void wm_store(const wm_row& wm_at, wm_index wm_term, const wm_element& wm_own) const",
        lines + writer.lines());
  }

  void write_store(const RowStore& one, ValueWriter& writer) {
    const auto place = [&](ValueWriter& to) {
      const std::string index = to.of(one.index);
      return joined({pointer_text(one.base, to), "[", index, "]"});
    };
    if (one.conditions.empty()) {
      const std::string value = writer.of(one.value);
      writer.line(joined({place(writer), " = ", value, ";"}));
      return;
    }
    std::string condition;
    for (const RowValueId part : one.conditions) {
      condition += (condition.empty() ? "" : " && ") + writer.closed(part);
    }
    ValueWriter inside(values_, writer.texts(), "      ");
    const std::string value = inside.of(one.value);
    inside.line(joined({place(inside), " = ", value, ";"}));
    failed_ = failed_ || inside.failed();
    writer.line("if (" + condition + ") {\n" + inside.lines() + "    }");
  }

  std::string pointer_text(RowValueId base, ValueWriter& writer) const {
    const RowValue& value = values_.at(base);
    if (value.kind == Kind::name) return value.text;
    const std::string index = writer.of(value.parts[1]);
    return joined({"reinterpret_cast<", value.type, ">(", pointer_text(value.parts[0], writer),
                   " + ", index, ")"});
  }

  std::string finish() {
    ValueWriter writer(values_, given_without_kept(), "    ");
    for (const RowStore& one : what_.program.finals) write_store(one, writer);
    failed_ = failed_ || writer.failed();
    return method("void wm_finish(const wm_row& wm_at) const", writer.lines());
  }

  // --- pieces ---

  /// The element whose pieces are aligned first: the largest.
  [[nodiscard]] RowValueId main() const {
    return *std::max_element(
        what_.elements.begin(), what_.elements.end(), [&](RowValueId a, RowValueId b) {
          return bytes_of_element(values_.at(a).type) < bytes_of_element(values_.at(b).type);
        });
  }

  std::string lead() {
    const std::string head = "wm_index wm_lead(const wm_row& wm_at) const";
    if (what_.along == 1) {
      return method("bool wm_is_wide(const wm_row&) const", "    return false;\n") +
             method("wm_index wm_lead(const wm_row&) const", "    return 0;\n");
    }
    const RowValue& load = values_.at(main());
    ValueTexts texts = given(0);
    add_terms(texts, inner_term());
    ValueWriter writer(values_, texts, "    ");
    const std::string place = writer.of(load.parts[1]);
    const std::string base = pointer_text(load.parts[0], writer);
    failed_ = failed_ || writer.failed();
    std::string text =
        method(joined({"size_t wm_address(const wm_row& wm_at, wm_index wm_term) const"}),
               term_lines("    ") + writer.lines() +
                   joined({"    return reinterpret_cast<size_t>(", base, " + ", place, ");\n"}));
    const std::string size = std::to_string(bytes_of_element(load.type));
    const std::string bytes = std::to_string(what_.along * bytes_of_element(load.type));
    std::string wide = joined(
        {"    if (wm_at.length == 0 || wm_address(wm_at, 0) % ", size, " != 0) return false;\n"});
    std::string lines = joined({"    return (", bytes, " - wm_address(wm_at, 0) % ", bytes, ") % ",
                                bytes, " / ", size, ";\n"});
    if (inner() > 0) {
      // A piece must not reach into the next of several stretches.
      const std::string last = "wm_at.count_" + number(inner());
      wide += joined({"    if (", last, " % wm_along != 0 || wm_address(wm_at, 0) % ", bytes,
                      " != 0) return false;\n"});
      std::string stretch = last;
      for (std::size_t level = inner(); level-- > 0;) {
        wide += joined({"    if (wm_at.length > ", stretch, " && wm_address(wm_at, ", stretch,
                        ") % ", bytes, " != 0) return false;\n"});
        if (level > 0) stretch += " * wm_at.count_" + number(level);
      }
      lines = "    return 0;\n";
    }
    return text + "\n  // Whether pieces of wm_along terms from wm_lead on may be read at once." +
           method("bool wm_is_wide(const wm_row& wm_at) const", wide + "    return true;\n") +
           method(head, lines);
  }

  std::string pieces() {
    std::string text = load_piece();
    for (std::size_t pass = 0; pass < what_.passes.size(); ++pass) text += fold_piece(pass);
    return text + store_piece();
  }

  [[nodiscard]] std::string element_of_piece(const std::string& indent) const {
    std::string lines = indent + "wm_element wm_own;\n";
    for (std::size_t i = 0; i < what_.elements.size(); ++i) {
      lines += joined(
          {indent, "wm_own.at_", number(i), " = wm_own_piece.at_", number(i), ".at[wm_item];\n"});
    }
    return lines;
  }
  /// The same term by term.
  [[nodiscard]] std::string by_terms(const std::string& call) const {
    return joined({"#pragma unroll\n    for (int wm_item = 0; wm_item < wm_along; ++wm_item) {\n",
                   element_of_piece("      "), "      ", call, "\n    }\n"});
  }

  std::string load_piece() {
    ValueTexts texts = given(0);
    add_terms(texts, inner_term());
    ValueWriter writer(values_, texts, "      ");
    std::string slow;
    for (std::size_t i = 0; i < what_.elements.size(); ++i) {
      const RowValue& value = values_.at(what_.elements[i]);
      slow +=
          joined({"      wm_out.at_", number(i), ".at[wm_item] = wm_own.at_", number(i), ";\n"});
      if (what_.along == 1) continue;
      const std::string index = writer.of(value.parts[1]);
      const std::string from = joined({pointer_text(value.parts[0], writer), " + ", index});
      const std::string to = "wm_out.at_" + number(i);
      if (what_.elements[i] == main()) {
        writer.line(joined(
            {to, " = *reinterpret_cast<const wm_run<", value.type, ", wm_along>*>(", from, ");"}));
      } else {
        writer.line(
            joined({"wm_read(reinterpret_cast<const ", value.type, "*>(", from, "), ", to, ");"}));
      }
    }
    failed_ = failed_ || writer.failed();
    std::string lines;
    if (what_.along > 1) {
      lines = "    if (wm_is_wide_row) {\n" + term_lines("      ") + writer.lines() +
              "      return;\n    }\n";
    }
    lines +=
        "#pragma unroll\n    for (int wm_item = 0; wm_item < wm_along; ++wm_item) {\n"
        "      wm_element wm_own;\n      wm_load(wm_at, wm_term + wm_item, wm_own);\n" +
        slow + "    }\n";
    return method(
        "void wm_load_piece(const wm_row& wm_at, wm_index wm_term, bool wm_is_wide_row, wm_piece& "
        "wm_out) const",
        lines);
  }

  /// Loads of a stage that are no elements, always made, and contiguous.
  [[nodiscard]] std::vector<RowValueId> sides(const std::vector<RowValueId>& roots) const {
    std::vector<RowValueId> found;
    for (const RowValueId id : always_needed(values_, roots)) {
      const RowValue& value = values_.at(id);
      if (!is_element(value) || contains(what_.elements, id) || bytes_of_element(value.type) > 8)
        continue;
      if (values_.step(value.parts[1], static_cast<std::int64_t>(inner())) == 1) {
        found.push_back(id);
      }
    }
    return found;
  }

  /// Statements in front of the loop over a piece's terms that read `side` at once.
  std::string side_lines(const std::vector<RowValueId>& side, std::size_t pass) {
    ValueTexts texts = given(pass);
    add_terms(texts, inner_term());
    ValueWriter writer(values_, texts, "    ");
    for (const RowValueId id : side) {
      const RowValue& value = values_.at(id);
      const std::string index = writer.of(value.parts[1]);
      writer.line(joined({"wm_run<", value.type, ", wm_along> wm_side_", number(id), ";"}));
      writer.line(joined({"wm_read(reinterpret_cast<const ", value.type, "*>(",
                          pointer_text(value.parts[0], writer), " + ", index, "), wm_side_",
                          number(id), ");"}));
    }
    failed_ = failed_ || writer.failed();
    return writer.lines();
  }
  [[nodiscard]] ValueTexts piece_texts(const std::vector<RowValueId>& side,
                                       std::size_t pass) const {
    ValueTexts texts = given(pass);
    add_terms(texts, "wm_inner");
    add_elements(texts, "wm_own_piece", ".at[wm_item]");
    for (const RowValueId id : side) {
      texts[id] = joined({"wm_side_", number(id), ".at[wm_item]"});
    }
    return texts;
  }
  [[nodiscard]] std::string piece_loop() const {
    const std::string& type = what_.program.terms.back().type;
    constexpr std::string_view kHead =
        "#pragma unroll\n    for (int wm_item = 0; wm_item < wm_along; ++wm_item) {\n";
    return joined({kHead, "      [[maybe_unused]] const ", type, " wm_inner = static_cast<", type,
                   ">(", inner_term(), " + wm_item);\n"});
  }

  std::string fold_piece(std::size_t pass) {
    const std::string call = "wm_fold(wm_at, wm_term + wm_item, wm_own, wm_sum);";
    std::string lines;
    if (what_.along > 1) {
      std::vector<RowValueId> roots;
      for (const std::size_t i : what_.passes[pass]) roots.push_back(total(i).update);
      const auto side = sides(roots);
      ValueTexts texts = piece_texts(side, pass);
      add_carried(texts, pass);
      lines = "    if (!wm_is_wide_row) {\n" + reindented_lines(by_terms(call)) +
              "      return;\n    }\n" + term_lines("    ") + side_lines(side, pass) +
              piece_loop() + fold_lines(pass, texts, "      ") + "    }\n";
    } else {
      lines += by_terms(call);
    }
    return method(
        "void wm_fold_piece(const wm_row& wm_at, wm_index wm_term, bool wm_is_wide_row, "
        "const wm_piece& wm_own_piece, " +
            state(pass) + "& wm_sum) const",
        lines);
  }

  static std::string reindented_lines(const std::string& text) {
    std::string result;
    for (const auto line : split_text(text, '\n')) {
      if (line.empty()) continue;
      if (!line.starts_with("#")) result += "  ";
      result += std::string(line) + "\n";
    }
    return result;
  }

  std::string store_piece() {
    const std::string call = "wm_store(wm_at, wm_term + wm_item, wm_own);";
    std::string lines;
    if (what_.along > 1) {
      lines = "    if (!wm_is_wide_row) {\n" + reindented_lines(by_terms(call)) +
              "      return;\n    }\n" + term_lines("    ") + wide_stores();
    } else {
      lines += by_terms(call);
    }
    return method(
        "void wm_store_piece(const wm_row& wm_at, wm_index wm_term, bool wm_is_wide_row, "
        "const wm_piece& wm_own_piece) const",
        lines);
  }

  [[nodiscard]] bool is_run(const RowStore& one) const {
    return one.conditions.empty() && bytes_of_element(one.type) > 0 &&
           bytes_of_element(one.type) <= 8 &&
           values_.step(one.index, static_cast<std::int64_t>(inner())) == 1;
  }

  std::string wide_stores() {
    const std::size_t pass = what_.passes.size();
    std::vector<RowValueId> roots;
    for (const RowStore& one : what_.program.stores) {
      const auto own = certain_roots(one);
      roots.insert(roots.end(), own.begin(), own.end());
    }
    const auto side = sides(roots);
    std::string lines = side_lines(side, pass);
    ValueWriter inside(values_, piece_texts(side, pass), "      ");
    std::string declared;
    ValueTexts texts = given(pass);
    add_terms(texts, inner_term());
    ValueWriter behind(values_, texts, "    ");
    for (std::size_t i = 0; i < what_.program.stores.size(); ++i) {
      const RowStore& one = what_.program.stores[i];
      if (!is_run(one)) {
        write_store(one, inside);
        continue;
      }
      const std::string name = "wm_result_" + number(i);
      declared += joined({"    wm_run<", one.type, ", wm_along> ", name, ";\n"});
      const std::string value = inside.of(one.value);
      inside.line(joined({name, ".at[wm_item] = ", value, ";"}));
      const std::string index = behind.of(one.index);
      behind.line(joined({"wm_write(reinterpret_cast<", one.type, "*>(",
                          pointer_text(one.base, behind), " + ", index, "), ", name, ");"}));
    }
    failed_ = failed_ || inside.failed() || behind.failed();
    return lines + declared + piece_loop() + inside.lines() + "    }\n" + behind.lines();
  }

  const RowValues& values_;
  const Normalization& what_;
  std::map<RowValueId, std::size_t> kept_;  ///< by the pass in front of which they are known
  bool failed_ = false;
};

}  // namespace

std::vector<std::size_t> grid_members(const Normalization& what) {
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const bool is_number =
        what.lanes.grid.at(axis).find_first_not_of("0123456789") == std::string::npos;
    if (!is_number) axes.push_back(axis);
  }
  return axes;
}

std::string problem_text(const RowValues& values, const Normalization& what) {
  return ProblemWriter(values, what).text();
}

}  // namespace warpmind::agents::builtin
