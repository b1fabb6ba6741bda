#include "tests/bench/level1/launcher_call.h"

#include "base/expression.h"
#include "tests/bench/level1/driver_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>

namespace warpmind::level1 {
namespace {

constexpr std::string_view kLauncher = "launch_gpu_implementation";
/// Extents up to this stay as they are; kernel sizes, strides and groups are below it.
constexpr std::int64_t kSmall = 16;
constexpr std::int64_t kClasses = 10;

/// Five drivers call their launcher with fewer arguments than it has, or under other names; the
/// first expression that has all its names counts.
struct Fallback {
  std::string_view parameter;
  std::string_view expression;
};
constexpr std::array<Fallback, 24> kFallbacks{
    {{"depth", "in_depth"},
     {"height", "in_height"},
     {"width", "in_width"},
     {"kernel_h", "kernel_height"},
     {"kernel_w", "kernel_width"},
     {"stride_h", "stride_height"},
     {"stride_w", "stride_width"},
     {"padding_h", "padding_height"},
     {"padding_w", "padding_width"},
     {"pad_h", "padding_height"},
     {"pad_w", "padding_width"},
     {"pad_d", "padding_d"},
     {"pad_h", "padding_h"},
     {"pad_w", "padding_w"},
     {"out_pad_d", "output_padding_d"},
     {"out_pad_h", "output_padding_h"},
     {"out_pad_w", "output_padding_w"},
     {"input_h", "input_height"},
     {"input_w", "input_width"},
     {"dilation_h", "dilation_height"},
     {"dilation_w", "dilation_width"},
     // Of a transposed convolution.
     {"output_h",
      "(input_height - 1) * stride_height - 2 * padding_height + "
      "dilation_height * (kernel_height - 1) + 1"},
     {"output_w",
      "(input_width - 1) * stride_width - 2 * padding_width + "
      "dilation_width * (kernel_width - 1) + 1"},
     {"output_length",
      "(input_length - 1) * stride - 2 * padding + dilation * (kernel_size - 1) + 1"}}};

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// What a driver says of its scalars and tensors.
struct DriverNames {
  Sizes integers;                                         ///< booleans as 0 and 1
  std::map<std::string, std::string, std::less<>> reals;  ///< literals
  std::map<std::string, std::string, std::less<>> tensors;
};

/// A size that the simulator runs in well under a second, in the role that the name tells.
std::int64_t made_small(const std::string& name, std::int64_t value, bool three_dimensional) {
  const std::string role = lower(name);
  const auto capped = [value](std::int64_t most) { return std::min(value, most); };
  if (contains(role, "batch") || name == "b") return capped(2);
  if (value <= kSmall) return value;
  if (contains(role, "channel")) return capped(8);
  for (const auto* const spatial : {"depth", "height", "width"}) {
    if (contains(role, spatial)) return capped(three_dimensional ? 12 : 24);
  }
  if (name.size() <= 2) return capped(64);  // M, N, K of a matrix product
  if (role.starts_with("dim") && role.size() == 4) return capped(kSmall);  // dim1, dim2
  if (contains(role, "features")) return capped(kSmall);
  return capped(256);
}

std::optional<std::int64_t> integer_literal(const std::string& text) {
  if (text == "true" || text == "false") return text == "true" ? 1 : 0;
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const bool suffix = std::all_of(stop, end, [](char c) { return c == 'L' || c == 'l'; });
  if (error != std::errc{} || stop == text.data() || !suffix) return std::nullopt;
  return value;
}

/// `NAME = nullptr` and no later `NAME =`.
bool stays_null(const std::string& driver, const Declaration& each) {
  if (each.value != "nullptr") return false;
  const std::size_t first = driver.find(each.name + " =");
  return first != std::string::npos &&
         driver.find(each.name + " =", first + 1) == std::string::npos;
}

DriverNames names_of(const std::string& driver) {
  DriverNames out;
  const bool three_dimensional = contains(lower(driver), "depth") && !contains(driver, "Depthwise");
  for (const Declaration& each : declarations_of(driver)) {
    if (each.type == "auto" || contains(each.type, "Tensor") || contains(each.type, "*")) {
      // A pointer that is set further down is no null pointer.
      const bool set_later = each.value == "nullptr" && !stays_null(driver, each);
      out.tensors[each.name] = set_later ? "" : each.value;
    }
    if (each.type == "float" || each.type == "double") {
      out.reals[each.name] = each.value;
    } else if (const auto literal = integer_literal(each.value)) {
      out.integers[each.name] = made_small(each.name, *literal, three_dimensional);
    } else if (const auto value = evaluate(each.value, out.integers)) {
      out.integers[each.name] = *value;
    }
  }
  return out;
}

/// `call` is the driver's expression for the argument: `x.data_ptr()`, `bias ? … : nullptr`, ….
Content content_of(const std::string& name, const std::string& call, const DriverNames& names,
                   bool first) {
  if (first) return Content::output;
  const std::string tensor = call.substr(0, call.find('.'));
  const auto found = names.tensors.find(tensor);
  const std::string made = found == names.tensors.end() ? "" : found->second;
  if (contains(made, "kBool")) return Content::flags;
  if (contains(made, "kLong") || contains(made, "kInt64")) return Content::classes;
  if (contains(name, "bias")) {
    for (const auto* const flag : {"bias", "has_bias", "use_bias", "bias_flag", "bias_enabled"}) {
      const auto value = names.integers.find(flag);
      if (value != names.integers.end() && value->second == 0) return Content::null_pointer;
    }
    if (call == "nullptr" || made == "nullptr") return Content::null_pointer;
  }
  for (const auto* const positive : {"var", "predictions", "targets"}) {
    if (contains(name, positive)) return Content::positive_halves;
  }
  return Content::signed_halves;
}

Result<std::string> scalar_value(const LauncherArgument& argument, const std::string& call,
                                 const DriverNames& names) {
  if (const auto real = names.reals.find(call); real != names.reals.end()) return real->second;
  if (argument.type == "float" || argument.type == "double") return call;
  if (const auto literal = integer_literal(call)) return std::to_string(*literal);
  auto value = evaluate(call, names.integers);
  if (!value) return fail(std::move(value).error().while_doing("argument " + argument.name));
  return std::to_string(*value);
}

/// "const void* input" and "void *input" give type and name.
LauncherArgument split_parameter(const std::string& text) {
  const auto begin =
      text.find_last_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
  const std::size_t at = begin == std::string::npos ? 0 : begin + 1;
  return {trimmed(text.substr(0, at)), text.substr(at), Content::scalar, ""};
}

/// The driver's expression for the scalar parameter `index`. By name first: a few drivers declare
/// the launcher with another order of parameters, or with fewer, than it has.
std::string scalar_expression(const std::string& parameter, std::size_t index, bool complete,
                              const std::vector<std::string>& call, const DriverNames& names) {
  if (names.integers.contains(parameter) || names.reals.contains(parameter)) return parameter;
  for (const Fallback& fallback : kFallbacks) {
    if (fallback.parameter == parameter && evaluate(fallback.expression, names.integers)) {
      return std::string(fallback.expression);
    }
  }
  if (complete && index < call.size()) return call[index];
  return contains(parameter, "bias") ? "0" : parameter;
}

std::string content_code(const LauncherArgument& argument) {
  switch (argument.content) {
    case Content::scalar: return argument.value;
    case Content::null_pointer: return "nullptr";
    case Content::output: return "level1::output()";
    case Content::signed_halves: return "level1::halves(-1.0f, 1.0f)";
    case Content::positive_halves: return "level1::halves(0.1f, 1.0f)";
    case Content::classes: return "level1::classes(" + argument.value + ")";
    case Content::flags: return "level1::flags()";
  }
  return {};
}

}  // namespace

Result<std::vector<LauncherArgument>> launcher_call(std::string_view kernel,
                                                    std::string_view driver) {
  const std::string driver_source = without_comments(driver);
  WARPMIND_TRY(const std::string parameters,
               last_brackets_after(without_comments(kernel), kLauncher, '{'));
  WARPMIND_TRY(const std::string call, last_brackets_after(driver_source, kLauncher, ';'));
  const DriverNames names = names_of(driver_source);
  const std::vector<std::string> given = split_at_commas(call);
  std::vector<LauncherArgument> out;
  const std::vector<std::string> declared = split_at_commas(parameters);
  const bool complete = declared.size() == given.size();
  for (const std::string& parameter : declared) {
    LauncherArgument argument = split_parameter(parameter);
    if (contains(argument.type, "*")) {
      const std::string expression = out.size() < given.size() ? given[out.size()] : "";
      argument.content = content_of(argument.name, expression, names, out.empty());
      if (argument.content == Content::classes) argument.value = std::to_string(kClasses);
    } else {
      const std::string expression =
          scalar_expression(argument.name, out.size(), complete, given, names);
      WARPMIND_TRY(argument.value, scalar_value(argument, expression, names));
    }
    out.push_back(std::move(argument));
  }
  if (out.empty()) return fail(Errc::invalid_argument, "the launcher has no parameters");
  return out;
}

std::string driver_program(const std::string& kernel_file,
                           const std::vector<LauncherArgument>& arguments) {
  // The problems lean on headers that libtorch brings.
  std::string text = "#include <cstdint>\n#include <cstdio>\n#include <vector>\n#include \"" +
                     kernel_file + "\"\n#include \"driver_runtime.h\"\n\nint main() {\n";
  text += "  return level1::run([] {\n    " + std::string(kLauncher) + "(";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const LauncherArgument& argument = arguments[i];
    text += (i == 0 ? "\n        " : ",\n        ");
    text += "static_cast<" + argument.type + ">(" + content_code(argument) + ") /* " +
            argument.name + " */";
  }
  return text + ");\n  });\n}\n";
}

}  // namespace warpmind::level1
