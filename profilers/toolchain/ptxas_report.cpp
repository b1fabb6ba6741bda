#include "profilers/toolchain/ptxas_report.h"

#include <charconv>
#include <optional>
#include <string>

namespace warpmind::profilers {
namespace {

constexpr std::size_t kKernelLimit = 4096;  // a report with more is not ours

/// The number that stands directly before `unit`.
std::optional<std::int64_t> number_before(std::string_view line, std::string_view unit) {
  const std::size_t at = line.find(unit);
  if (at == std::string_view::npos) return std::nullopt;
  std::size_t begin = at;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(line.data() + begin, line.data() + at, value);
  if (error != std::errc() || end != line.data() + at) return std::nullopt;
  return value;
}

std::optional<std::int64_t> number_after(std::string_view line, std::string_view word) {
  const std::size_t at = line.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  const char* begin = line.data() + at + word.size();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(begin, line.data() + line.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

std::string_view quoted(std::string_view line) {
  const std::size_t first = line.find('\'');
  if (first == std::string_view::npos) return {};
  const std::size_t second = line.find('\'', first + 1);
  if (second == std::string_view::npos) return {};
  return line.substr(first + 1, second - first - 1);
}

void read_line(std::string_view line, std::vector<KernelResources>& kernels) {
  const bool from_ptxas = line.starts_with("ptxas info");
  if (from_ptxas && line.find("Compiling entry function '") != std::string_view::npos) {
    if (kernels.size() < kKernelLimit) {
      kernels.emplace_back().kernel = std::string(quoted(line));
    }
    return;
  }
  if (kernels.empty()) return;
  KernelResources& kernel = kernels.back();
  if (const auto stores = number_before(line, " bytes spill stores"); stores && !from_ptxas) {
    kernel.stack_bytes += number_before(line, " bytes stack frame").value_or(0);
    kernel.spill_store_bytes += *stores;
    kernel.spill_load_bytes += number_before(line, " bytes spill loads").value_or(0);
    return;
  }
  if (const auto registers = number_after(line, ": Used "); registers && from_ptxas) {
    kernel.registers = static_cast<int>(*registers);
    kernel.static_shared_bytes = number_before(line, " bytes smem").value_or(0);
  }
}

}  // namespace

std::vector<KernelResources> parse_ptxas_report(std::string_view text) {
  std::vector<KernelResources> kernels;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    read_line(text.substr(0, end), kernels);
    text = end == std::string_view::npos ? "" : text.substr(end + 1);
  }
  return kernels;
}

}  // namespace warpmind::profilers
