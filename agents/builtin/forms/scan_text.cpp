#include "agents/builtin/forms/scan_text.h"

#include "agents/builtin/loops/lane_edits.h"
#include "agents/builtin/loops/strided_loop.h"
#include "agents/builtin/probe/integer_value.h"

namespace warpmind::agents::builtin {
namespace {

/// "a + b".
std::string combined(Combining how, const std::string& type, const std::string& a,
                     const std::string& b) {
  const bool is_real = type == "float" || type == "double";
  const std::string suffix = type == "float" ? "f" : "";
  switch (how) {
    case Combining::sum: return a + " + " + b;
    case Combining::product: return a + " * " + b;
    case Combining::bit_and: return a + " & " + b;
    case Combining::bit_or: return a + " | " + b;
    case Combining::bit_xor: return a + " ^ " + b;
    case Combining::minimum:
      return is_real ? joined({"fmin", suffix, "(", a, ", ", b, ")"})
                     : joined({b, " < ", a, " ? ", b, " : ", a});
    case Combining::maximum:
      return is_real ? joined({"fmax", suffix, "(", a, ", ", b, ")"})
                     : joined({b, " > ", a, " ? ", b, " : ", a});
  }
  return {};
}

/// The value that changes nothing.
std::string identity_of(Combining how, const std::string& type) {
  if (auto neutral = neutral_of(how, type); !neutral.empty()) return neutral;
  const bool is_maximum = how == Combining::maximum;
  if (type == "float") return std::string(is_maximum ? "-" : "") + "__int_as_float(0x7f800000)";
  if (type == "double") {
    return std::string(is_maximum ? "-" : "") + "__longlong_as_double(0x7ff0000000000000ll)";
  }
  const std::string all = "static_cast<" + type + ">(~0ull)";
  const bool is_signed = value_type(type).is_signed;
  if (!is_signed) return is_maximum ? "0" : all;
  const std::string largest = size_of_type(type) == 8 ? "0x7fffffffffffffffll" : "0x7fffffff";
  return is_maximum ? "-" + largest + " - 1" : largest;
}

}  // namespace

bool has_word(std::string_view text, std::string_view word) {
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const auto end = at + word.size();
    const bool starts = at == 0 || (!is_part(text[at - 1]) && text[at - 1] != '.');
    if (starts && (end == text.size() || !is_part(text[end]))) {
      return true;
    }
  }
  return false;
}

ScanText::ScanText(const KernelBody& body, const std::vector<CarriedValue>& values)
    : body_(body), values_(values) {}

ScanProblem ScanText::head(bool needs_rows, bool is_long) const {
  ScanProblem problem;
  problem.needs_rows = needs_rows;
  problem.value_type = is_single() ? values_.front().variable->type : "wm_value";
  int bytes = 0;
  for (const auto& value : values_) bytes += size_of_type(value.variable->type);
  problem.value_bytes = is_single() ? bytes : (bytes + 7) / 8 * 8;
  const std::string& name = body_.function().name;
  problem.text = "// The scan of " + name +
                 ": its terms, what it stores, and what stands around the loop.\n"
                 "struct wm_problem_" +
                 name + " {\n";
  for (const auto& parameter : body_.function().parameters) {
    problem.text += "  " + parameter.type + " wm_given_" + parameter.name + ";\n";
  }
  if (needs_rows) problem.text += "  unsigned " + std::string(kScanRows) + ";\n";
  const std::string counter = is_long ? "unsigned long long;\n" : "unsigned;\n";
  // The second name is one that no variable of the kernel has.
  problem.text += "  using index = " + counter + "  using wm_index = " + counter + values_text();
  return problem;
}

std::string ScanText::part(const std::string& value, const CarriedValue& of) const {
  return is_single() ? value : value + ".of_" + of.variable->name;
}

std::string ScanText::values_text() const {
  std::string identities;
  std::string combinations;
  std::string members;
  for (const auto& one : values_) {
    const auto& type = one.variable->type;
    members += "    " + type + " of_" + one.variable->name + ";\n";
    if (!identities.empty()) {
      identities += ", ";
      combinations += ", ";
    }
    identities += identity_of(one.how, type);
    combinations += combined(one.how, type, part("wm_a", one), part("wm_b", one));
  }
  std::string text;
  if (is_single()) {
    text += "  using value = " + values_.front().variable->type + ";\n";
  } else {
    text += "  struct alignas(8) value {\n" + members + "  };\n";
    identities = "{" + identities + "}";
    combinations = "{" + combinations + "}";
  }
  text += "  static __device__ __forceinline__ value identity() { return " + identities + "; }\n";
  return text +
         "  static __device__ __forceinline__ value combine(value wm_a, value wm_b) {\n"
         "    return " +
         combinations + ";\n  }\n";
}

std::string ScanText::method(const std::string& head, const std::string& lines) const {
  std::string text = "  __device__ __forceinline__ " + head + " {\n";
  for (const auto& parameter : body_.function().parameters) {
    if (!has_word(lines, parameter.name)) continue;
    text +=
        "    " + parameter.type + " " + parameter.name + " = wm_given_" + parameter.name + ";\n";
  }
  return text + reindented(lines, "    ") + "  }\n";
}

std::string ScanText::neutral_lines() const {
  std::string text;
  for (const auto& value : values_) {
    text += value.variable->name + " = " + identity_of(value.how, value.variable->type) + ";\n";
  }
  return text;
}

std::string ScanText::values_brace() const {
  std::string text;
  for (const auto& value : values_) text += (text.empty() ? "" : ", ") + value.variable->name;
  return is_single() ? text : "{" + text + "}";
}

std::string ScanText::taking_in(const CarriedValue& value, const std::string& start,
                                const std::string& from) const {
  return value.variable->name + " = " +
         combined(value.how, value.variable->type, start, part(from, value)) + ";";
}

std::string ScanText::piece_type() {
  return "  template <class wm_T, int wm_N>\n"
         "  struct alignas(wm_N * sizeof(wm_T)) wm_piece {\n    wm_T at[wm_N];\n  };\n";
}

}  // namespace warpmind::agents::builtin
