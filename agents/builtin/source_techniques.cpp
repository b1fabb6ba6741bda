#include "agents/builtin/plain_techniques.h"
#include "agents/builtin/source_view.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace warpmind::agents::builtin {
namespace {

std::optional<int> number_after(std::string_view text, std::string_view key) {
  const auto at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  int value = 0;
  const char* begin = text.data() + at + key.size();
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
  if (error != std::errc() || end == begin) return std::nullopt;
  return value;
}

/// Threads a block of the launches of `kernel`, if they are all literal numbers and equal.
std::optional<int> literal_threads(const LaunchPlan& plan, const std::string& kernel) {
  std::optional<int> threads;
  for (const auto& launch : plan.launches) {
    if (launch.kernel != kernel) continue;
    int product = 1;
    for (const auto& extent : launch.block) {
      int value = 0;
      const auto [end, error] =
          std::from_chars(extent.data(), extent.data() + extent.size(), value);
      if (error != std::errc() || end != extent.data() + extent.size()) return std::nullopt;
      product *= value;
    }
    threads = threads ? std::max(*threads, product) : product;
  }
  return threads;
}

std::optional<Kernel> with_source(const Kernel& kernel, std::vector<Edit> edits) {
  if (edits.empty()) return std::nullopt;
  Kernel edited = kernel;
  edited.source = apply_edits(kernel.source, std::move(edits));
  return edited;
}

struct Intrinsic {
  std::string_view slow;
  std::string_view fast;
};
// CUDA C++ Programming Guide, table of intrinsic functions; float only.
constexpr std::array<Intrinsic, 6> kIntrinsics{{{"expf", "__expf"},
                                                {"logf", "__logf"},
                                                {"powf", "__powf"},
                                                {"sinf", "__sinf"},
                                                {"cosf", "__cosf"},
                                                {"fdividef", "__fdividef"}}};

std::vector<Edit> intrinsic_edits(const Kernel& kernel) {
  const SourceView view(kernel.source);
  std::vector<Edit> edits;
  for (const auto& [slow, fast] : kIntrinsics) {
    for (const std::size_t at : view.identifiers(slow, {0, view.masked().size()})) {
      edits.push_back({{at, at + slow.size()}, std::string(fast)});
    }
  }
  return edits;
}

std::vector<Edit> restrict_edits(const Kernel& kernel) {
  const SourceView view(kernel.source);
  std::vector<Edit> edits;
  for (const auto& function : view.functions()) {
    for (std::size_t at = view.masked().find('*', function.parameters.begin);
         at < function.parameters.end; at = view.masked().find('*', at + 1)) {
      const std::size_t next = view.masked().find_first_not_of(" \t\r\n", at + 1);
      if (next == std::string::npos || view.masked()[next] == '*') continue;
      if (view.masked().compare(next, 10, "__restrict") == 0) continue;
      edits.push_back({{at + 1, at + 1}, " __restrict__"});
    }
  }
  return edits;
}

}  // namespace

std::vector<Move> launch_bounds_moves(const ProposalContext& context) {
  std::vector<Move> moves;
  const SourceView view(context.kernel.source);
  const bool any = std::any_of(
      view.functions().begin(), view.functions().end(),
      [&](const auto& f) { return literal_threads(context.kernel.plan, f.name).has_value(); });
  if (!any) return moves;
  const bool pressed = context.bottleneck.primary == BottleneckClass::low_occupancy;
  moves.push_back({"launch_bounds", "blocks=0", 1.03});
  for (const int blocks : {2, 4, 8}) {
    moves.push_back({"launch_bounds", "blocks=" + std::to_string(blocks), pressed ? 1.12 : 1.0});
  }
  return moves;
}

std::optional<Kernel> apply_launch_bounds(const Kernel& kernel, std::string_view parameters) {
  const auto blocks = number_after(parameters, "blocks=");
  if (!blocks) return std::nullopt;
  const SourceView view(kernel.source);
  std::vector<Edit> edits;
  for (const auto& function : view.functions()) {
    const auto threads = literal_threads(kernel.plan, function.name);
    if (!threads) continue;
    if (!view.identifiers("__launch_bounds__", function.header).empty()) continue;
    const std::string bounds =
        std::to_string(*threads) + (*blocks > 0 ? ", " + std::to_string(*blocks) : std::string());
    edits.push_back(
        {{function.attribute_end, function.attribute_end}, " __launch_bounds__(" + bounds + ")"});
  }
  return with_source(kernel, std::move(edits));
}

std::vector<Move> restrict_moves(const ProposalContext& context) {
  if (restrict_edits(context.kernel).empty()) return {};
  const bool latency = context.bottleneck.primary == BottleneckClass::memory_latency ||
                       context.bottleneck.primary == BottleneckClass::uncoalesced_access;
  return {{"restrict", "", latency ? 1.12 : 1.05}};
}

std::optional<Kernel> apply_restrict(const Kernel& kernel, std::string_view /*parameters*/) {
  return with_source(kernel, restrict_edits(kernel));
}

std::vector<Move> unroll_moves(const ProposalContext& context) {
  const SourceView view(context.kernel.source);
  const bool any =
      std::any_of(view.functions().begin(), view.functions().end(),
                  [&](const auto& f) { return !view.innermost_loops(f.body).empty(); });
  if (!any) return {};
  std::vector<Move> moves;
  for (const int factor : {8, 4, 16, 2}) {
    moves.push_back({"unroll", "factor=" + std::to_string(factor), 1.1});
  }
  return moves;
}

std::optional<Kernel> apply_unroll(const Kernel& kernel, std::string_view parameters) {
  const auto factor = number_after(parameters, "factor=");
  if (!factor) return std::nullopt;
  const SourceView view(kernel.source);
  std::vector<Edit> edits;
  for (const auto& function : view.functions()) {
    for (const std::size_t at : view.innermost_loops(function.body)) {
      const std::size_t line = view.masked().rfind('\n', at) + 1;
      const auto indent = view.masked().substr(line, at - line);
      // The pragma needs a line of its own, and is not doubled when one is there already.
      if (indent.find_first_not_of(" \t") != std::string::npos) continue;
      const std::size_t above = line < 2 ? 0 : view.masked().rfind('\n', line - 2) + 1;
      if (kernel.source.substr(above, line - above).find("#pragma") != std::string::npos) continue;
      edits.push_back({{line, line}, indent + "#pragma unroll " + std::to_string(*factor) + "\n"});
    }
  }
  return with_source(kernel, std::move(edits));
}

std::vector<Move> fast_intrinsics_moves(const ProposalContext& context) {
  if (intrinsic_edits(context.kernel).empty()) return {};
  const bool arithmetic = context.bottleneck.primary == BottleneckClass::compute_throughput;
  return {{"fast_intrinsics", "", arithmetic ? 1.2 : 1.04}};
}

std::optional<Kernel> apply_fast_intrinsics(const Kernel& kernel, std::string_view /*parameters*/) {
  return with_source(kernel, intrinsic_edits(kernel));
}

}  // namespace warpmind::agents::builtin
