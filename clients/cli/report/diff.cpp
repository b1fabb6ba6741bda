#include "clients/cli/report/diff.h"

#include "base/text.h"
#include "clients/cli/report/text.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpmind::clients {
namespace {

using Lines = std::vector<std::string_view>;

constexpr std::size_t kContext = 3;
/// 64 MiB of table: far above any kernel that a person wrote.
constexpr std::size_t kLargestTable = 16'000'000;

struct Edit {
  char sign = ' ';  ///< ' ' kept, '-' removed, '+' added
  std::string_view line;
};

/// Edits of the parts that differ; `a` and `b` share neither first nor last line.
void edit_middle(const Lines& a, const Lines& b, std::vector<Edit>& edits) {
  const std::size_t width = b.size() + 1;
  std::vector<std::uint32_t> common;  // common[i * width + j]: LCS length of a[i..] and b[j..]
  if (a.size() * b.size() <= kLargestTable) {
    common.assign((a.size() + 1) * width, 0);
    for (std::size_t i = a.size(); i-- > 0;) {
      for (std::size_t j = b.size(); j-- > 0;) {
        common[i * width + j] =
            a[i] == b[j] ? common[(i + 1) * width + j + 1] + 1
                         : std::max(common[(i + 1) * width + j], common[i * width + j + 1]);
      }
    }
  }
  std::size_t i = 0;
  std::size_t j = 0;
  while (!common.empty() && i < a.size() && j < b.size()) {
    if (a[i] == b[j]) {
      edits.push_back({' ', a[i++]});
      ++j;
    } else if (common[(i + 1) * width + j] >= common[i * width + j + 1]) {
      edits.push_back({'-', a[i++]});
    } else {
      edits.push_back({'+', b[j++]});
    }
  }
  for (; i < a.size(); ++i) edits.push_back({'-', a[i]});
  for (; j < b.size(); ++j) edits.push_back({'+', b[j]});
}

std::vector<Edit> edits_between(const Lines& before, const Lines& after) {
  const std::size_t shorter = std::min(before.size(), after.size());
  std::size_t head = 0;
  while (head < shorter && before[head] == after[head]) ++head;
  std::size_t tail = 0;
  while (tail < shorter - head &&
         before[before.size() - 1 - tail] == after[after.size() - 1 - tail])
    ++tail;
  const auto middle = [&](const Lines& lines) {
    return Lines(lines.begin() + static_cast<std::ptrdiff_t>(head),
                 lines.end() - static_cast<std::ptrdiff_t>(tail));
  };
  std::vector<Edit> edits;
  for (std::size_t i = 0; i < head; ++i) edits.push_back({' ', before[i]});
  edit_middle(middle(before), middle(after), edits);
  for (std::size_t i = before.size() - tail; i < before.size(); ++i) {
    edits.push_back({' ', before[i]});
  }
  return edits;
}

std::string range_text(std::size_t start, std::size_t count) {
  // An empty range is named by the line before it, as diff(1) does.
  return std::to_string(count == 0 ? start : start + 1) +
         (count == 1 ? "" : "," + std::to_string(count));
}

/// Finds the end of the hunk that starts at the change `at`: changes at most two contexts apart
/// belong together.
std::size_t hunk_end(const std::vector<Edit>& edits, std::size_t at) {
  std::size_t last_change = at;
  for (std::size_t i = at; i < edits.size() && i <= last_change + 2 * kContext; ++i) {
    if (edits[i].sign != ' ') last_change = i;
  }
  return std::min(edits.size(), last_change + kContext + 1);
}

}  // namespace

std::string unified_diff(std::string_view before, std::string_view after, const DiffNames& names) {
  const std::vector<Edit> edits = edits_between(split_lines(before), split_lines(after));
  std::string text;
  std::size_t line_before = 0;  // of edits[i]
  std::size_t line_after = 0;
  for (std::size_t i = 0; i < edits.size();) {
    std::size_t change = i;
    while (change < edits.size() && edits[change].sign == ' ') ++change;
    if (change == edits.size()) break;
    const std::size_t start = change - std::min(change - i, kContext);
    line_before += start - i;
    line_after += start - i;
    const std::size_t end = hunk_end(edits, change);
    std::string body;
    std::size_t count_before = 0;
    std::size_t count_after = 0;
    for (std::size_t k = start; k < end; ++k) {
      body += edits[k].sign + std::string(edits[k].line) + "\n";
      if (edits[k].sign != '+') ++count_before;
      if (edits[k].sign != '-') ++count_after;
    }
    if (text.empty()) text = "--- " + names.before + "\n+++ " + names.after + "\n";
    text += "@@ -" + range_text(line_before, count_before) + " +" +
            range_text(line_after, count_after) + " @@\n" + body;
    line_before += count_before;
    line_after += count_after;
    i = end;
  }
  return text;
}

std::string launch_plan_text(const Kernel& kernel) {
  const auto triple = [](const std::array<std::string, 3>& extents) {
    return extents[0] + ", " + extents[1] + ", " + extents[2];
  };
  std::string text;
  for (const auto& [name, value] : kernel.plan.constants) {
    text += "constant " + name + " = " + std::to_string(value) + "\n";
  }
  for (const auto& buffer : kernel.plan.scratch) {
    text += "scratch " + buffer.name + ": " + buffer.elements + " elements of " +
            std::string(name_of(buffer.dtype)) + (buffer.zeroed ? ", zeroed" : "") + "\n";
  }
  for (const auto& launch : kernel.plan.launches) {
    text += "launch " + launch.kernel + (launch.cooperative ? ", cooperative" : "") +
            "\n  grid (blocks) = " + triple(launch.grid) +
            "\n  block (threads) = " + triple(launch.block) +
            "\n  dynamic shared memory (bytes) = " + launch.shared_bytes + "\n";
    for (const auto& argument : launch.arguments) text += "  argument " + argument + "\n";
  }
  if (!kernel.entry.empty()) text += "entry " + kernel.entry + "\n";
  for (const auto& flag : kernel.build_flags) text += "build flag " + flag + "\n";
  return text;
}

std::string kernel_diff(const Kernel& before, const Kernel& after) {
  return unified_diff(before.source, after.source, {"baseline/kernel.cu", "best/kernel.cu"}) +
         unified_diff(launch_plan_text(before), launch_plan_text(after),
                      {"baseline/launch plan", "best/launch plan"});
}

}  // namespace warpmind::clients
