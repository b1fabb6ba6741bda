#include "agents/builtin/lifting/text_task.h"

#include "agents/builtin/lifting/element_types.h"
#include "agents/builtin/lifting/recorded_task.h"
#include "agents/builtin/probe/integer_value.h"
#include "agents/builtin/probe/kernel_prober.h"
#include "base/sequence.h"
#include "base/text.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <set>

namespace warpmind::agents::builtin {
namespace {

using profilers::ProgramRecord;
using profilers::RecordedArgument;
using profilers::RecordedLaunch;
using Parts = std::array<std::string, 3>;  // x, y, z as text

constexpr std::int64_t kMostElements = std::int64_t{1} << 28;
// What CUDA launches.
constexpr std::int64_t kMostBlocksX = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMostBlocksYz = 65535;
constexpr std::int64_t kMostThreads = 1024;

/// By how many sizes of one function are not known: some million elements in all.
std::int64_t assumed_size(std::size_t unknown) {
  return unknown <= 1 ? 1 << 20 : unknown == 2 ? 1 << 10 : 1 << 8;
}

/// What stands between commas that no bracket holds.
std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    if (c == '(' || c == '{' || c == '[') ++depth;
    if (c == ')' || c == '}' || c == ']') --depth;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

Parts three_of(std::string_view inside) {
  Parts parts{"1", "1", "1"};
  const auto given = split(inside);
  for (std::size_t i = 0; i < std::min<std::size_t>(3, given.size()); ++i) {
    if (given[i].find_first_not_of(" \t\n") != std::string::npos) parts[i] = given[i];
  }
  return parts;
}

/// The text in the outermost brackets of "(16, 16)", "{16, 16}", "= dim3(16, 16)".
std::optional<std::string_view> bracketed(std::string_view text) {
  const auto open = text.find_first_of("({");
  const auto close = text.find_last_of(")}");
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return std::nullopt;
  }
  return text.substr(open + 1, close - open - 1);
}

std::string member(const std::string& name, char axis) { return name + "__" + axis; }

std::string asked(const std::string& name, const std::string& expression) {
  return "long long " + name + " = " + expression + "; ";
}

/// Rewrites host code for the prober, which knows integers only: a dim3 becomes three of them, and
/// what is asked of launches and allocations is declared before them.
class HostModel {
 public:
  explicit HostModel(const CudaSource& program) : program_(program), tree_(program.tree) {}

  /// `number`: of the launch in CudaSource::launches.
  static std::string variable(std::size_t number, const std::string& what) {
    return "wm_launch" + std::to_string(number) + "_" + what;
  }
  static std::string bytes_of(const std::string& buffer) { return "wm_bytes_" + buffer; }

  std::string text() {
    for (const auto& function : program_.functions) {
      if (function.kind == FunctionKind::host) rewrite(function);
    }
    return apply_edits(tree_.source(), std::move(edits_));
  }

 private:
  void rewrite(const Function& function) {
    dim3s_.clear();
    for (const NodeId declaration : tree_.descendants(function.body, "declaration")) {
      if (tree_.plain_text(tree_.field(declaration, "type")) == "dim3") declare(declaration);
    }
    for (std::size_t i = 0; i < program_.launches.size(); ++i) {
      const HostLaunch& launch = program_.launches[i];
      if (!tree_.contains(function.body, launch.call) || launch.configuration.size() < 2) continue;
      std::string questions;
      for (std::size_t part = 0; part < 2; ++part) {
        const Parts parts = extents(std::string(tree_.text(launch.configuration[part])));
        for (std::size_t axis = 0; axis < 3; ++axis) {
          questions += asked(variable(i, (part == 0 ? "grid" : "block") + std::to_string(axis)),
                             parts.at(axis));
        }
      }
      const bool has_shared = launch.configuration.size() > 2;
      questions += asked(variable(i, "shared"),
                         has_shared ? std::string(tree_.text(launch.configuration[2])) : "0");
      for (std::size_t a = 0; a < launch.arguments.size(); ++a) {
        questions += asked(variable(i, "argument" + std::to_string(a)),
                           members(std::string(tree_.text(launch.arguments[a]))));
      }
      before(launch.call, function, questions);
    }
    ask_allocations(function);
  }

  void ask_allocations(const Function& function) {
    for (const NodeId call : tree_.descendants(function.body, "call_expression")) {
      if (!tree_.plain_text(tree_.field(call, "function")).starts_with("cudaMalloc")) continue;
      const auto arguments = tree_.children(tree_.field(call, "arguments"));
      const auto names =
          arguments.empty() ? arguments : tree_.descendants(arguments[0], "identifier");
      if (arguments.size() < 2 || names.empty()) continue;
      before(call, function,
             asked(bytes_of(std::string(tree_.text(names.back()))),
                   members(std::string(tree_.text(arguments[1])))));
    }
  }

  /// `text` in a block before the statement of `node`. Statements do not overlap, as their edits.
  void before(NodeId node, const Function& function, const std::string& text) {
    const NodeId statement = tree_.ancestor(node, "expression_statement", function.body);
    if (statement == kNoNode) return;
    const Range range = tree_.node(statement).range;
    edits_.push_back({{range.begin, range.begin}, "{ " + text});
    edits_.push_back({{range.end, range.end}, " }"});
  }

  void declare(NodeId declaration) {
    std::string_view text = tree_.text(declaration);
    text = text.substr(text.find("dim3") + 4);
    if (text.ends_with(';')) text.remove_suffix(1);
    std::string integers;
    for (const std::string& one : split(text)) {
      std::size_t at = one.find_first_not_of(" \t\n");
      std::string name;
      while (at < one.size() && is_word_character(one[at])) name += one[at++];
      if (name.empty()) return;
      const auto value = std::string_view(one).substr(std::min(at, one.size()));
      const auto assigned = value.find('=');
      const auto inside = bracketed(value);
      Parts parts{"1", "1", "1"};
      if (assigned != std::string_view::npos && value.find("dim3") == std::string_view::npos &&
          value.find('{') == std::string_view::npos) {
        parts = extents(std::string(value.substr(assigned + 1)));
      } else if (inside) {
        parts = three_of(*inside);
      }
      dim3s_.insert(name);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        integers += asked(member(name, "xyz"[axis]), members(parts.at(axis)));
      }
    }
    edits_.push_back({tree_.node(declaration).range, integers});
  }

  /// Of `grid`, `dim3(2, n)`, `{2, n}`, `(n + 255) / 256`.
  [[nodiscard]] Parts extents(const std::string& text) const {
    const auto begin = text.find_first_not_of(" \t\n");
    const std::string bare = begin == std::string::npos ? "" : text.substr(begin);
    if (dim3s_.contains(bare)) return {member(bare, 'x'), member(bare, 'y'), member(bare, 'z')};
    if (bare.starts_with("dim3") || bare.starts_with("{")) {
      Parts parts = three_of(bracketed(bare).value_or(""));
      for (auto& part : parts) part = members(part);
      return parts;
    }
    return {members(bare), "1", "1"};
  }

  /// With `grid.x` as the integer that stands for it.
  [[nodiscard]] std::string members(std::string text) const {
    for (const auto& name : dim3s_) {
      for (const char axis : {'x', 'y', 'z'}) {
        const std::string wanted = name + "." + axis;
        for (auto at = text.find(wanted); at != std::string::npos; at = text.find(wanted, at + 1)) {
          if (at > 0 && is_word_character(text[at - 1])) continue;
          text.replace(at, wanted.size(), member(name, axis));
        }
      }
    }
    return text;
  }

  const CudaSource& program_;
  const SyntaxTree& tree_;
  std::set<std::string> dim3s_;  ///< of the function
  std::vector<TextEdit> edits_;
};

/// Sizes of a function that nothing says.
struct Assumption {
  std::string function;
  std::vector<std::string> names;
  std::int64_t size = 0;
};

bool is_integer(const std::string& type) {
  return value_type(type).kind == ValueType::Kind::integer && value_type(type).bytes >= 4;
}

/// Integers that a host function computes, some of them assumed.
class HostValues {
 public:
  /// `model` must outlive it.
  HostValues(const CudaSource& model, const Function& function, std::int64_t size)
      : model_(model), function_(function) {
    launch_.shape.grid = launch_.shape.block = {1, 1, 1};
    if (function.name == "main") return;  // how many words a command line has is no size
    for (const auto& parameter : function.parameters) {
      if (!parameter.is_pointer && is_integer(parameter.type))
        launch_.scalars[parameter.name] = size;
    }
  }

  [[nodiscard]] const std::string& function() const { return function_.name; }
  [[nodiscard]] std::size_t assumed() const { return launch_.scalars.size(); }
  [[nodiscard]] std::vector<std::string> assumed_names() const {
    std::vector<std::string> names;
    for (const auto& [name, value] : launch_.scalars) names.push_back(name);
    return names;
  }
  /// The value of the variable `name` where it is declared.
  [[nodiscard]] std::optional<std::int64_t> value(const std::string& name) const {
    for (const NodeId declarator : model_.tree.descendants(function_.body, "init_declarator")) {
      if (model_.tree.text(model_.tree.declared(declarator)) != name) continue;
      const KernelProber prober(model_, function_, launch_);
      return prober.value(model_.tree.declared(declarator), prober.position(0));
    }
    return std::nullopt;
  }
  /// Integer variables of the program whose value cannot be told.
  [[nodiscard]] std::vector<NodeId> unknown_locals() const {
    std::vector<NodeId> unknown;
    const KernelProber prober(model_, function_, launch_);
    for (const NodeId declaration : model_.tree.descendants(function_.body, "declaration")) {
      if (!is_integer(model_.tree.plain_text(model_.tree.field(declaration, "type")))) continue;
      for (const NodeId part : model_.tree.all_children(declaration)) {
        const NodeId name = model_.tree.declared(model_.tree.field(part, "declarator"));
        if (!model_.tree.is(part, "init_declarator") ||
            model_.tree.is(part, "pointer_declarator") ||
            model_.tree.text(name).starts_with("wm_") ||
            model_.tree.text(name).find("__") != std::string_view::npos) {
          continue;
        }
        if (!prober.value(name, prober.position(0))) unknown.push_back(part);
      }
    }
    return unknown;
  }

 private:
  const CudaSource& model_;
  const Function& function_;
  SceneLaunch launch_;
};

const Function* function_around(const CudaSource& source, NodeId node) {
  for (const auto& function : source.functions) {
    if (function.kind == FunctionKind::host && source.tree.contains(function.body, node)) {
      return &function;
    }
  }
  return nullptr;
}

/// Writes sizes into the model that its own code does not say.
std::string with_assumptions(const CudaSource& model, std::vector<Assumption>& assumptions) {
  std::vector<TextEdit> edits;
  std::set<const Function*> seen;
  for (const auto& launch : model.launches) {
    const Function* function = function_around(model, launch.call);
    if (function == nullptr || !seen.insert(function).second) continue;
    Assumption assumption{function->name, {}, 0};
    const HostValues guess(model, *function, assumed_size(1));
    const auto unknown = guess.unknown_locals();
    assumption.size = assumed_size(guess.assumed() + unknown.size());
    assumption.names = guess.assumed_names();
    for (const NodeId declarator : unknown) {
      assumption.names.emplace_back(model.tree.text(model.tree.declared(declarator)));
      edits.push_back({model.tree.node(model.tree.field(declarator, "value")).range,
                       std::to_string(assumption.size)});
    }
    assumptions.push_back(std::move(assumption));
  }
  return apply_edits(model.tree.source(), std::move(edits));
}

std::string bytes_of_scalar(const CudaSource& program, const Parameter& parameter,
                            std::int64_t value) {
  const ValueType type = value_type(parameter.type);
  if (type.kind == ValueType::Kind::integer || type.kind == ValueType::Kind::boolean) {
    std::string bytes(std::max<std::uint32_t>(type.bytes, 1), '\0');
    std::memcpy(bytes.data(), &value, std::min(bytes.size(), sizeof value));
    return bytes;
  }
  // One, in the type's own format.
  constexpr std::uint16_t kHalf = 0x3C00;
  constexpr std::uint16_t kBfloat = 0x3F80;
  const auto bytes = [](auto one) {
    return std::string(reinterpret_cast<const char*>(&one), sizeof one);
  };
  switch (element_type(program, parameter.base_type).value_or(Dtype::f32)) {
    case Dtype::f16: return bytes(kHalf);
    case Dtype::bf16: return bytes(kBfloat);
    case Dtype::f64: return bytes(1.0);
    default: return bytes(1.0F);
  }
}

/// The record that a run might leave.
class RecordOfText {
 public:
  RecordOfText(const CudaSource& program, const CudaSource& model,
               const std::vector<Assumption>& assumptions)
      : program_(program), model_(model), assumptions_(assumptions) {}

  ProgramRecord read(std::vector<std::string>& notes) {
    record_.recorder = "text";
    for (std::size_t i = 0; i < model_.launches.size(); ++i) {
      const std::string why = read_launch(i);
      if (why.empty()) continue;
      const std::string note =
          "a launch of '" + model_.launches[i].kernel + "' is not read: " + why;
      append_unique(notes, note);
    }
    return std::move(record_);
  }

 private:
  std::string read_launch(std::size_t number) {
    const HostLaunch& call = model_.launches[number];
    const Function* kernel = program_.kernel(call.kernel);
    const Function* host = function_around(model_, call.call);
    if (kernel == nullptr) return "the file does not define it just once";
    if (kernel->is_template) return "it is a template";
    if (host == nullptr) return "it does not stand in a function";
    if (call.arguments.size() != kernel->parameters.size()) return "it has default arguments";
    const auto assumed =
        std::find_if(assumptions_.begin(), assumptions_.end(),
                     [&](const Assumption& one) { return one.function == host->name; });
    const HostValues values(model_, *host, assumed == assumptions_.end() ? 1 : assumed->size);
    RecordedLaunch launch;
    launch.kernel = call.kernel;
    launch.position = number + 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto at = std::to_string(axis);
      const auto grid = values.value(HostModel::variable(number, "grid" + at));
      const auto block = values.value(HostModel::variable(number, "block" + at));
      if (!grid || !block) return "its grid or its block cannot be told from the text";
      const std::int64_t most = axis == 0 ? kMostBlocksX : kMostBlocksYz;
      if (*grid < 1 || *grid > most || *block < 1 || *block > kMostThreads) {
        return "with these sizes it would have " + std::to_string(*grid) + " blocks of " +
               std::to_string(*block) + " threads along " + "xyz"[axis];
      }
      launch.grid.at(axis) = static_cast<std::uint32_t>(*grid);
      launch.block.at(axis) = static_cast<std::uint32_t>(*block);
    }
    launch.shared_bytes =
        static_cast<std::uint32_t>(values.value(HostModel::variable(number, "shared")).value_or(0));
    return read_arguments(number, *kernel, values, launch);
  }

  std::string read_arguments(std::size_t number, const Function& kernel, const HostValues& values,
                             RecordedLaunch& launch) {
    std::int64_t elements = 1;
    std::vector<std::optional<std::int64_t>> numbers;
    for (std::size_t a = 0; a < kernel.parameters.size(); ++a) {
      const Parameter& parameter = kernel.parameters[a];
      numbers.emplace_back();
      if (parameter.is_pointer || value_type(parameter.type).kind != ValueType::Kind::integer) {
        continue;
      }
      numbers.back() = values.value(HostModel::variable(number, "argument" + std::to_string(a)));
      if (!numbers.back())
        return "its argument '" + parameter.name + "' cannot be told from the text";
      if (*numbers.back() > 1 && elements < kMostElements) elements *= *numbers.back();
    }
    std::int64_t threads = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      threads *= std::int64_t{launch.grid.at(axis)} * launch.block.at(axis);
    }
    elements = std::min(std::max(elements, threads), kMostElements);
    for (std::size_t a = 0; a < kernel.parameters.size(); ++a) {
      const Parameter& parameter = kernel.parameters[a];
      const auto& text = model_.tree.plain_text(model_.launches[number].arguments[a]);
      launch.arguments.push_back(
          parameter.is_pointer
              ? pointer_to(text, elements, values)
              : RecordedArgument{bytes_of_scalar(program_, parameter, numbers[a].value_or(1)),
                                 std::nullopt});
    }
    record_.launches.push_back(std::move(launch));
    return {};
  }

  RecordedArgument pointer_to(const std::string& text, std::int64_t elements,
                              const HostValues& values) {
    constexpr std::int64_t kWidestElement = 8;
    constexpr std::uint64_t kApart = std::uint64_t{1} << 40U;
    const auto [at, is_new] =
        buffers_.emplace(values.function() + ": " + text, record_.allocations.size());
    if (is_new) {
      const auto bytes =
          values.value(HostModel::bytes_of(text)).value_or(elements * kWidestElement);
      profilers::RecordedAllocation allocation;
      allocation.address = kApart * (at->second + 1);
      allocation.bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, kWidestElement));
      record_.allocations.push_back(allocation);
    }
    const std::uint64_t address = record_.allocations[at->second].address;
    RecordedArgument argument{std::string(sizeof address, '\0'),
                              profilers::RecordedPlace{at->second, 0}};
    std::memcpy(argument.bytes.data(), &address, sizeof address);
    return argument;
  }

  const CudaSource& program_;
  const CudaSource& model_;
  const std::vector<Assumption>& assumptions_;
  ProgramRecord record_;
  std::map<std::string, std::size_t> buffers_;  ///< by function and expression
};

std::string words_of(const Assumption& assumption) {
  const std::string names = join_text(assumption.names, ", ");
  return names + " of '" + assumption.function + "' as " + std::to_string(assumption.size);
}

}  // namespace

TextTask task_of_text(const CudaSource& program) {
  TextTask result;
  result.task.kernel.source = program.tree.source();
  const auto model = CudaSource::read(HostModel(program).text());
  if (!model) return result;
  std::vector<Assumption> assumptions;
  const auto filled = CudaSource::read(with_assumptions(*model, assumptions));
  if (!filled || filled->launches.size() != program.launches.size()) return result;
  const ProgramRecord record = RecordOfText(program, *filled, assumptions).read(result.notes);
  auto recorded = recorded_task("", program, record);
  if (!recorded) return result;
  result.task = std::move(recorded->task);
  result.task.kernel.source = program.tree.source();
  auto& launches = result.task.kernel.plan.launches;
  std::erase_if(launches,
                [&](const Launch& launch) { return program.kernel(launch.kernel) == nullptr; });
  for (const auto& skipped : recorded->skipped) {
    result.notes.push_back("a launch of '" + skipped.kernel + "' is not read: " + skipped.reason);
  }
  for (const auto& assumption : assumptions) {
    if (!assumption.names.empty()) result.notes.push_back("assumed " + words_of(assumption));
  }
  return result;
}

}  // namespace warpmind::agents::builtin
