#include "profilers/flops/static_count.h"

#include <algorithm>
#include <map>

namespace warpmind::profilers {
namespace {

using simulator::ptx::Function;
using simulator::ptx::Statement;

/// Jumps back by where they lead; the last one ends the loop (half open).
std::map<std::uint32_t, std::uint32_t> find_loops(const Function& function) {
  std::map<std::uint32_t, std::uint32_t> loops;
  for (std::uint32_t i = 0; i < function.body.size(); ++i) {
    const Statement& statement = function.body[i];
    if (statement.opcode != "bra" || statement.operands.empty()) continue;
    const auto label = function.labels.find(statement.operands[0].name);
    if (label == function.labels.end() || label->second > i) continue;
    auto& end = loops[label->second];
    end = std::max(end, i + 1);
  }
  return loops;
}

void widen(StaticRegion& region, int line) {
  if (line <= 0) return;
  region.first_line = region.first_line == 0 ? line : std::min(region.first_line, line);
  region.last_line = std::max(region.last_line, line);
}

}  // namespace

std::string opcode_of(const Statement& statement) {
  std::string opcode = statement.opcode;
  for (const auto& modifier : statement.modifiers) opcode += "." + modifier;
  return opcode;
}

OperationShare share_of_statement(const Statement& statement) {
  return share_of_ptx(opcode_of(statement));
}

StaticKernel count_ptx(const Function& function) {
  StaticKernel kernel;
  kernel.kernel = function.name;
  kernel.regions.emplace_back();
  const auto loops = find_loops(function);
  std::vector<std::pair<std::int32_t, std::uint32_t>> open{{0, ~0U}};  // region, its end
  bool calls = false;
  OperationCounts unknown;
  for (std::uint32_t i = 0; i < function.body.size(); ++i) {
    while (i >= open.back().second) open.pop_back();
    if (const auto loop = loops.find(i); loop != loops.end()) {
      StaticRegion region;
      region.parent = open.back().first;
      // Loops that cross are taken to end together.
      const std::uint32_t end = std::min(loop->second, open.back().second);
      open.emplace_back(static_cast<std::int32_t>(kernel.regions.size()), end);
      kernel.regions.push_back(region);
    }
    StaticRegion& region = kernel.regions[static_cast<std::size_t>(open.back().first)];
    const OperationShare share = share_of_statement(function.body[i]);
    region.counts.add(share, 1);
    if (share.operation == Operation::unknown) unknown.add(share, 1);
    calls = calls || function.body[i].opcode == "call";
    widen(region, function.body[i].source_line);
  }
  if (calls) kernel.notes.emplace_back("functions that it calls are not counted");
  if (unknown.of(Operation::unknown) > 0) {
    kernel.notes.push_back(std::to_string(static_cast<int>(unknown.of(Operation::unknown))) +
                           " instructions of no known class");
  }
  return kernel;
}

}  // namespace warpmind::profilers
