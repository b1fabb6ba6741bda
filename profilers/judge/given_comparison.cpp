#include "profilers/judge/given_comparison.h"

#include "profilers/judge/case_comparison.h"
#include "profilers/judge/elements.h"
#include "profilers/judge/output_file.h"
#include "profilers/judge/reference_library.h"
#include "profilers/judge/tolerance.h"

#include <algorithm>
#include <functional>
#include <string_view>

namespace warpmind::profilers {
namespace {

OutputTrace trace_of(const std::string& bytes, Dtype dtype) {
  OutputTrace trace;
  trace.hash = std::hash<std::string_view>()(bytes);
  const std::size_t count = bytes.size() / size_in_bytes(dtype);
  for (std::size_t i = 0; i < count && !trace.is_written; ++i) {
    trace.is_written = !is_unwritten(bytes, dtype, i);
  }
  return trace;
}

ToleranceRule rule_for(const GivenCase& one, bool itself) {
  if (itself && one.task.contract.deterministic) {
    ToleranceRule same;
    same.kind = ToleranceClass::exact;
    return same;
  }
  return given_rule(one.task.contract, one.prepared.distribution == name_of(Distribution::exact));
}

}  // namespace

Result<GivenComparison> compare_with_given(const GivenCase& one, bool itself) {
  ToleranceRule rule = rule_for(one, itself);
  rule.partial = one.partial;
  GivenComparison all;
  for (const Argument& argument : one.task.arguments) {
    const auto file = one.prepared.outputs.find(argument.name);
    if (file == one.prepared.outputs.end()) continue;
    if (one.partial && argument.kind == ArgumentKind::inout) continue;
    WARPMIND_TRY(const std::int64_t count, element_count(argument, one.sizes));
    WARPMIND_TRY(const std::string given,
                 read_output(one.expected / file->second,
                             static_cast<std::size_t>(count) * size_in_bytes(argument.dtype)));
    const std::vector<double> values = decode_elements(given, argument.dtype);
    Expected expected;
    expected.dtype = argument.dtype;
    WARPMIND_TRY(expected.extents, extents_of(argument, one.sizes));
    expected.reference = values;
    expected.given = given;
    add_output(all.correctness, one.prepared, argument.name,
               compare_file(one.directory / file->second, expected, rule));
    all.expected[argument.name] = trace_of(given, argument.dtype);
  }
  return all;
}

std::optional<std::string> find_degenerate(const std::vector<GivenComparison>& cases) {
  if (cases.empty()) return std::nullopt;
  if (cases.front().expected.empty()) return "the task has no output";
  for (const auto& [name, first] : cases.front().expected) {
    bool written = false;
    bool changes = false;
    for (const auto& one : cases) {
      const OutputTrace& trace = one.expected.at(name);
      written = written || trace.is_written;
      changes = changes || trace.hash != first.hash;
    }
    if (!written) return "the kernel writes no element of output '" + name + "'";
    if (!changes && cases.size() > 1) {
      return "output '" + name + "' is the same for all " + std::to_string(cases.size()) +
             " inputs that were drawn";
    }
  }
  return std::nullopt;
}

}  // namespace warpmind::profilers
