#include "profilers/program/kernel_times.h"

#include "base/kernel_name.h"
#include "base/sequence.h"

#include <algorithm>
#include <map>

namespace warpmind::profilers {
namespace {

/// The name in "void space::scan<float>(float*)".
std::string name_in_signature(const std::string& signature) {
  std::size_t depth = 0;
  std::string name;
  for (std::size_t i = 0; i < signature.size(); ++i) {
    const char c = signature[i];
    const bool anonymous = c == '(' && signature.compare(i, 21, "(anonymous namespace)") == 0;
    if (anonymous && depth == 0) {
      i += 20;
      name += "(anonymous)";
      continue;
    }
    if (c == '<') ++depth;
    if (depth == 0 && c == '(') break;
    if (depth == 0 && c == ' ') {
      name.clear();
    } else if (depth == 0) {
      name += c;
    }
    if (c == '>' && depth > 0) --depth;
  }
  return name;
}

}  // namespace

std::string plain_kernel_name(const std::string& mangled) {
  const auto signature = demangle(mangled);
  if (!signature) return mangled;
  const std::string name = name_in_signature(*signature);
  return name.empty() ? mangled : name;
}

Result<KernelSelection> KernelSelection::compile(const std::vector<std::string>& patterns) {
  std::vector<Entry> entries;
  for (const auto& text : patterns) {
    WARPMIND_TRY(auto pattern, config::ProgramPattern::compile_whole(text));
    entries.push_back({text, std::move(pattern)});
  }
  return KernelSelection(std::move(entries));
}

namespace {

bool names_kernel(const config::ProgramPattern& pattern, const std::string& name) {
  if (pattern.matches(name)) return true;
  const auto colon = name.rfind("::");
  return colon != std::string::npos && pattern.matches(name.substr(colon + 2));
}

}  // namespace

bool KernelSelection::takes(const std::string& plain_name) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const Entry& entry) { return names_kernel(entry.pattern, plain_name); });
}

std::string KernelSelection::idle_pattern(const std::vector<KernelTimes>& kernels) const {
  for (const auto& entry : entries_) {
    const bool used = std::any_of(
        kernels.begin(), kernels.end(),
        [&entry](const KernelTimes& kernel) { return names_kernel(entry.pattern, kernel.kernel); });
    if (!used) return entry.text;
  }
  return {};
}

std::vector<KernelTimes> times_per_kernel(const KernelRecord& record,
                                          const KernelSelection& selection) {
  struct Collected {
    std::vector<double> times;
    std::int64_t registers = 0;
  };
  std::map<std::string, std::string> plain;  // demangling a name once
  std::map<std::string, Collected> kernels;
  for (const auto& run : record.runs) {
    auto [name, is_new] = plain.try_emplace(run.kernel);
    if (is_new) name->second = plain_kernel_name(run.kernel);
    Collected& into = kernels[name->second];
    into.times.push_back(static_cast<double>(run.end_ns - run.start_ns));
    into.registers = std::max(into.registers, static_cast<std::int64_t>(run.registers));
  }
  std::vector<KernelTimes> out;
  for (auto& [name, collected] : kernels) {
    KernelTimes times;
    times.kernel = name;
    times.timed = selection.takes(name);
    times.launches = static_cast<std::int64_t>(collected.times.size());
    times.registers = collected.registers;
    for (const double one : collected.times) times.total_ns += one;
    times.least_ns = *std::min_element(collected.times.begin(), collected.times.end());
    times.median_ns = median_of(collected.times);
    out.push_back(std::move(times));
  }
  std::stable_sort(out.begin(), out.end(), [](const KernelTimes& a, const KernelTimes& b) {
    return a.total_ns > b.total_ns;
  });
  return out;
}

}  // namespace warpmind::profilers
