#include "agents/analysis/source_kernels.h"

#include "base/expression.h"
#include "base/kernel_name.h"
#include "syntax/cuda_source.h"

#include <algorithm>
#include <optional>

namespace warpmind::agents {
namespace {

using syntax::CudaSource;
using syntax::Function;
using syntax::FunctionKind;
using syntax::NodeId;

constexpr std::int64_t kMostThreads = 1024;  // of a block, on every device there is
constexpr int kConstantRounds = 4;           // constants that are made of constants

std::int64_t line_of(const std::string& source, std::size_t offset) {
  const auto end = source.begin() + static_cast<std::ptrdiff_t>(std::min(offset, source.size()));
  return 1 + std::count(source.begin(), end, '\n');
}

/// The constants of a text with values that can be told.
Sizes constants_of(const CudaSource& program) {
  Sizes known;
  const auto written = program.constants();
  for (int round = 0; round < kConstantRounds; ++round) {
    for (const auto& [name, text] : written) {
      if (const auto value = evaluate(text, known)) known[name] = *value;
    }
  }
  return known;
}

/// "16, 16" of "dim3(16, 16)"; extents that are not constants make it nothing.
std::optional<std::int64_t> product_of(std::string_view list, const Sizes& constants) {
  if (list.empty()) return std::nullopt;
  std::int64_t product = 1;
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    const auto value = evaluate(std::string(list.substr(0, comma)), constants);
    if (!value || *value < 1 || *value > kMostThreads) return std::nullopt;
    product *= *value;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return product <= kMostThreads ? std::optional(product) : std::nullopt;
}

std::optional<std::int64_t> threads_of(std::string_view text, const Sizes& constants) {
  const bool is_dim3 = text.starts_with("dim3(") || text.starts_with("dim3{");
  if (is_dim3) return product_of(text.substr(5, text.size() - 6), constants);
  return product_of(text, constants);
}

/// What `dim3 block(16, 16);` or `const int block = 256;` gives the name, as text.
std::string declared_value(const CudaSource& program, std::string_view name) {
  const auto& tree = program.tree;
  for (const NodeId declaration : tree.descendants(tree.root(), "declaration")) {
    for (const NodeId part : tree.children(declaration)) {
      // `dim3 block(X, Y)` also reads as the declaration of a function.
      if (tree.is(part, "function_declarator") &&
          tree.text(tree.field(part, "declarator")) == name) {
        return "dim3" + tree.plain_text(tree.field(part, "parameters"));
      }
      if (!tree.is(part, "init_declarator")) continue;
      const auto declarator = tree.field(part, "declarator");
      if (tree.text(declarator) != name) continue;
      const auto value = tree.plain_text(tree.field(part, "value"));
      const bool is_list = value.starts_with("(") || value.starts_with("{");
      return is_list ? "dim3" + value : value;
    }
  }
  return {};
}

std::optional<std::int64_t> launched_threads(const CudaSource& program, const std::string& kernel,
                                             const Sizes& constants) {
  std::optional<std::int64_t> threads;
  for (const auto& launch : program.launches) {
    if (plain_name(launch.kernel) != kernel || launch.configuration.size() < 2) continue;
    std::string text = program.tree.plain_text(launch.configuration[1]);
    auto value = threads_of(text, constants);
    if (!value) value = threads_of(declared_value(program, text), constants);
    if (!value || (threads && *threads != *value)) return std::nullopt;
    threads = value;
  }
  return threads;
}

std::optional<std::int64_t> bounded_threads(const CudaSource& program, const Function& function,
                                            const Sizes& constants) {
  constexpr std::string_view kBounds = "__launch_bounds__";
  const std::string& source = program.tree.source();
  const auto begin = program.tree.node(function.node).range.begin;
  const auto end = program.tree.node(function.body).range.begin;
  const std::string_view head = std::string_view(source).substr(begin, end - begin);
  const auto at = head.find(kBounds);
  if (at == std::string_view::npos) return std::nullopt;
  const auto open = head.find('(', at);
  if (open == std::string_view::npos) return std::nullopt;
  const auto close = head.find_first_of(",)", open + 1);
  if (close == std::string_view::npos) return std::nullopt;
  return product_of(head.substr(open + 1, close - open - 1), constants);
}

SourceKernel described(const CudaSource& program, const Function& function,
                       const Sizes& constants) {
  const auto& range = program.tree.node(function.node).range;
  SourceKernel kernel;
  kernel.name = function.name;
  kernel.line = line_of(program.tree.source(), program.tree.node(function.name_node).range.begin);
  kernel.end_line = line_of(program.tree.source(), range.end == 0 ? 0 : range.end - 1);
  kernel.is_template = function.is_template;
  if (const auto launched = launched_threads(program, function.name, constants)) {
    kernel.block_threads = *launched;
    kernel.block_origin = BlockOrigin::source;
  } else if (const auto bounded = bounded_threads(program, function, constants)) {
    kernel.block_threads = *bounded;
    kernel.block_origin = BlockOrigin::launch_bounds;
  }
  return kernel;
}

}  // namespace

Result<std::vector<SourceKernel>> kernels_in(const std::string& source) {
  WARPMIND_TRY(const auto program, CudaSource::read(source));
  const Sizes constants = constants_of(program);
  std::vector<SourceKernel> kernels;
  for (const auto& function : program.functions) {
    if (function.kind != FunctionKind::kernel || function.name.empty()) continue;
    kernels.push_back(described(program, function, constants));
  }
  return kernels;
}

}  // namespace warpmind::agents
