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
  if (itself && one.task.contract.deterministic && one.perturbed.empty()) {
    ToleranceRule same;
    same.kind = ToleranceClass::exact;
    return same;
  }
  return given_rule(one.task.contract, one.prepared.distribution == name_of(Distribution::exact));
}

/// What the given kernel left of one output.
struct GivenOutput {
  Argument argument;
  std::string file;
  std::string bytes;
  std::vector<double> values;
  ElementSpread spread;
};

Result<GivenOutput> read_given(const GivenCase& one, const Argument& argument, bool itself) {
  GivenOutput given;
  given.argument = argument;
  given.file = one.prepared.outputs.at(argument.name);
  WARPMIND_TRY(const std::int64_t count, element_count(argument, one.sizes));
  WARPMIND_TRY(given.bytes,
               read_output(one.expected / given.file,
                           static_cast<std::size_t>(count) * size_in_bytes(argument.dtype)));
  given.values = decode_elements(given.bytes, argument.dtype);
  if (one.perturbed.empty()) return given;
  const ToleranceRule rule = given_rule(one.task.contract, false);
  const bool integers = one.prepared.distribution == name_of(Distribution::exact);
  const SpreadSource source{one.expected / given.file, argument.dtype, one.perturbed,
                            rule.accumulate_roundoff,  integers,       !itself};
  WARPMIND_TRY(given.spread, read_spread(source, given.values));
  return given;
}

/// Holds `file` against it.
Result<void> add_compared(const GivenCase& one, const GivenOutput& given, const ToleranceRule& rule,
                          const std::filesystem::path& file, GivenComparison& all) {
  Expected expected;
  expected.dtype = given.argument.dtype;
  WARPMIND_TRY(expected.extents, extents_of(given.argument, one.sizes));
  expected.reference = given.values;
  expected.given = given.bytes;
  expected.spread = one.perturbed.empty() ? nullptr : &given.spread;
  const OutputComparison compared = compare_file(file, expected, rule);
  if (compared.worst_ratio > all.correctness.worst_error_ratio) {
    all.worst_output = given.argument.name;
  }
  add_output(all.correctness, one.prepared, given.argument.name, compared);
  const double most = kMostIllConditioned * static_cast<double>(compared.elements);
  all.is_silent = all.is_silent || static_cast<double>(compared.ill_conditioned) > most;
  return {};
}

}  // namespace

Result<GivenComparison> compare_with_given(const GivenCase& one, bool itself) {
  ToleranceRule rule = rule_for(one, itself);
  rule.partial = one.partial;
  rule.probe = one.probe;
  GivenComparison all;
  for (const Argument& argument : one.task.arguments) {
    const auto file = one.prepared.outputs.find(argument.name);
    if (file == one.prepared.outputs.end()) continue;
    if (one.partial && argument.kind == ArgumentKind::inout) continue;
    WARPMIND_TRY(const GivenOutput given, read_given(one, argument, itself));
    WARPMIND_CHECK(add_compared(one, given, rule, one.directory / file->second, all));
    for (const PerturbedRun& run : one.perturbed) {
      if (!itself || run.part != PerturbedPart::nothing) continue;
      WARPMIND_CHECK(
          add_compared(one, given, rule, (one.expected / file->second).string() + run.suffix, all));
    }
    all.expected[argument.name] = trace_of(given.bytes, argument.dtype);
  }
  all.is_silent = all.is_silent && all.correctness.worst_error_ratio <= 1;
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
