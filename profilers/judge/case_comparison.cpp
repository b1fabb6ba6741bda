#include "profilers/judge/case_comparison.h"

#include "base/expression.h"
#include "profilers/judge/output_file.h"

#include <algorithm>

namespace warpmind::profilers {

Result<std::vector<std::int64_t>> extents_of(const Argument& argument, const Sizes& sizes) {
  std::vector<std::int64_t> extents;
  for (const std::string& extent : argument.shape) {
    WARPMIND_TRY(const std::int64_t value, evaluate(extent, sizes));
    extents.push_back(value);
  }
  return extents;
}

OutputComparison compare_file(const std::filesystem::path& path, const Expected& expected,
                              const ToleranceRule& rule) {
  const auto bytes = read_output(path, expected.reference.size() * size_in_bytes(expected.dtype));
  if (bytes) return compare_output(expected, rule, *bytes);
  OutputComparison hopeless;
  hopeless.elements = static_cast<std::int64_t>(expected.reference.size());
  hopeless.wrong = hopeless.elements;
  hopeless.worst_ratio = kHopelessRatio;
  hopeless.worst = ": " + bytes.error().message;
  return hopeless;
}

void add_output(Correctness& total, const PreparedCase& prepared, const std::string& name,
                const OutputComparison& compared) {
  total.elements += compared.elements;
  total.baseline_error = std::max(total.baseline_error, compared.baseline_error);
  total.worst_relative_l2 = std::max(total.worst_relative_l2, compared.relative_l2);
  total.worst_ulp = std::max(total.worst_ulp, compared.worst_ulp);
  if (compared.worst_ratio <= total.worst_error_ratio) return;
  total.worst_error_ratio = compared.worst_ratio;
  total.worst_case = prepared.id + " (" + prepared.distribution + ") " + name + compared.worst;
  if (compared.wrong > 0) {
    total.worst_case += "; " + std::to_string(compared.wrong) + " of " +
                        std::to_string(compared.elements) + " elements wrong";
  }
}

}  // namespace warpmind::profilers
