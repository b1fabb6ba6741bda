#include "profilers/judge/tolerance.h"

#include "base/expression.h"
#include "profilers/judge/elements.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace warpmind::profilers {
namespace {

constexpr double kTf32Roundoff = 0x1p-11;
/// Share of the tile's tolerance that the norm of its errors may reach; smaller tiles are skipped:
/// the norm of a few errors says nothing that the elements do not.
constexpr double kTileShare = 0.75;
constexpr std::size_t kLeastTileElements = 16;

std::string number(double value, int digits = 9) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.*g", digits, value);
  return text.data();
}

/// "[3,17]" for the flat index in a row-major shape; "[0]" for a scalar.
std::string coordinates(std::size_t index, const std::vector<std::int64_t>& extents) {
  std::string text;
  auto rest = static_cast<std::int64_t>(index);
  for (auto extent = extents.rbegin(); extent != extents.rend(); ++extent) {
    const std::int64_t length = std::max<std::int64_t>(*extent, 1);
    if (!text.empty()) text.insert(0, 1, ',');
    text.insert(0, std::to_string(rest % length));
    rest /= length;
  }
  return "[" + (text.empty() ? "0" : text) + "]";
}

/// Whether the element holds the runner's poison: 16-bit words 7FF1 … 7FFF or FFF1 … FFFF.
bool is_poison(std::string_view element) {
  if (element.size() < 2 || element.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < element.size(); i += 2) {
    const auto low = static_cast<unsigned char>(element[i]);
    const auto high = static_cast<unsigned char>(element[i + 1]);
    if (low < 0xF1 || (high != 0x7F && high != 0xFF) || element[i] != element[0] ||
        element[i + 1] != element[1]) {
      return false;
    }
  }
  return true;
}

/// How far one element is off, and how far it may be.
struct Assessment {
  double ratio = 0;
  double error = 0;      ///< |d|; 0 where NaN or infinity decide
  double tolerance = 0;  ///< of |d|; 0 for the classes that count units in the last place
};

class OutputJudge {
 public:
  OutputJudge(const Expected& expected, const ToleranceRule& rule, std::string_view bytes)
      : expected_(expected), rule_(rule), bytes_(bytes) {}

  OutputComparison run();

 private:
  [[nodiscard]] bool sums() const {
    return rule_.kind == ToleranceClass::contraction || rule_.kind == ToleranceClass::reduction;
  }
  [[nodiscard]] double root_mean_square(std::size_t begin, std::size_t end) const;
  [[nodiscard]] Assessment assess(std::size_t index, double got, double tile_rms);
  [[nodiscard]] Assessment assess_units(double got, double reference) const;
  [[nodiscard]] Assessment assess_error(double got, double reference, double tolerance) const;
  [[nodiscard]] double tolerance_of(std::size_t index, double scale) const;
  void judge_tile(std::size_t begin, std::size_t end);
  void note_element(std::size_t index, double got, const Assessment& found);

  const Expected& expected_;
  const ToleranceRule& rule_;
  std::string_view bytes_;
  OutputComparison result_;
};

OutputComparison OutputJudge::run() {
  const std::size_t count = expected_.reference.size();
  result_.elements = static_cast<std::int64_t>(count);
  if (bytes_.size() != count * size_in_bytes(expected_.dtype)) {
    result_.wrong = result_.elements;
    result_.worst_ratio = kHopelessRatio;
    result_.worst = ": " + std::to_string(bytes_.size()) + " bytes, want " +
                    std::to_string(count * size_in_bytes(expected_.dtype));
    return std::move(result_);
  }
  for (std::size_t begin = 0; begin < count; begin += kTileElements) {
    judge_tile(begin, std::min(begin + kTileElements, count));
  }
  return std::move(result_);
}

double OutputJudge::root_mean_square(std::size_t begin, std::size_t end) const {
  double sum = 0;
  double finite = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const double value = expected_.reference[i];
    if (!std::isfinite(value)) continue;
    sum += value * value;
    finite += 1;
  }
  return finite > 0 ? std::sqrt(sum / finite) : 0;
}

void OutputJudge::judge_tile(std::size_t begin, std::size_t end) {
  const double rms = rule_.kind == ToleranceClass::reduction ? root_mean_square(begin, end) : 0;
  double errors = 0;
  double tolerances = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const double got = decode_element(bytes_, expected_.dtype, i);
    const Assessment found = assess(i, got, rms);
    errors += found.error * found.error;
    tolerances += found.tolerance * found.tolerance;
    note_element(i, got, found);
  }
  if (!sums() || end - begin < kLeastTileElements || tolerances == 0) return;
  const double share = std::sqrt(errors / tolerances);
  if (share / kTileShare <= std::max(result_.worst_ratio, 1.0)) return;
  result_.worst_ratio = share / kTileShare;
  result_.worst = coordinates(begin, expected_.extents) + " to " +
                  coordinates(end - 1, expected_.extents) + ": the errors together reach " +
                  number(share, 2) + " of the tolerances, allowed are " + number(kTileShare, 2);
}

void OutputJudge::note_element(std::size_t index, double got, const Assessment& found) {
  if (found.ratio > 1) ++result_.wrong;
  if (found.ratio <= result_.worst_ratio) return;
  result_.worst_ratio = found.ratio;
  const std::size_t size = size_in_bytes(expected_.dtype);
  const bool unwritten = found.ratio > 1 && is_poison(bytes_.substr(index * size, size));
  const double want = round_to(expected_.reference[index], expected_.dtype);
  result_.worst = coordinates(index, expected_.extents) + ": got " + number(got) +
                  (unwritten ? " (unwritten: still poisoned)" : "") + ", want " + number(want) +
                  " (tolerance " +
                  (rule_.kind == ToleranceClass::exact         ? std::string("0")
                   : rule_.kind == ToleranceClass::elementwise ? number(rule_.ulp) + " ulp"
                                                               : number(found.tolerance, 3)) +
                  ")";
}

Assessment OutputJudge::assess(std::size_t index, double got, double tile_rms) {
  const double reference = expected_.reference[index];
  if (!sums()) return assess_units(got, reference);
  const double scale = std::max(std::fabs(reference), tile_rms);
  const double tolerance = tolerance_of(index, scale);
  const Assessment found = assess_error(got, reference, tolerance);
  const double floor = rule_.accumulate_floor + smallest_denormal(expected_.dtype);
  if (rule_.kind == ToleranceClass::reduction && found.error > floor && scale > 0) {
    result_.baseline_error = std::max(result_.baseline_error, found.error / scale);
  }
  return found;
}

Assessment OutputJudge::assess_units(double got, double reference) const {
  const double want = round_to(reference, expected_.dtype);
  Assessment found;
  if (std::isnan(want) || std::isnan(got)) {
    found.ratio = std::isnan(want) == std::isnan(got) ? 0 : kHopelessRatio;
    return found;
  }
  const auto distance = static_cast<double>(ulp_distance(got, want, expected_.dtype));
  const double allowed = rule_.kind == ToleranceClass::exact ? 0 : rule_.ulp;
  if (distance > 0) {
    // With nothing allowed, every difference is beyond it.
    found.ratio =
        std::min(allowed > 0 ? distance / allowed : std::max(distance, 2.0), kHopelessRatio);
  }
  return found;
}

double OutputJudge::tolerance_of(std::size_t index, double scale) const {
  const double output_roundoff = unit_roundoff(expected_.dtype);
  // Next to zero, storing the output costs up to one step of its denormals, not a share of it.
  const double floor = rule_.accumulate_floor +
                       (is_floating(expected_.dtype) ? smallest_denormal(expected_.dtype) : 0);
  if (rule_.kind == ToleranceClass::contraction) {
    const double sum_error =
        std::max(16.0, std::sqrt(rule_.reduction_length)) * rule_.accumulate_roundoff;
    return sum_error * expected_.magnitude[index] +
           output_roundoff * std::fabs(expected_.reference[index]) + floor;
  }
  const double limit = rule_.baseline_error > 0
                           ? std::max(2 * rule_.baseline_error, 8 * output_roundoff)
                           : std::max(64 * output_roundoff, 1024 * rule_.accumulate_roundoff);
  return limit * scale + floor;
}

Assessment OutputJudge::assess_error(double got, double reference, double tolerance) const {
  Assessment found;
  const double want = round_to(reference, expected_.dtype);
  if (std::isnan(want)) {
    found.ratio = std::isnan(got) ? 0 : kHopelessRatio;
    return found;
  }
  if (std::isinf(got) || std::isinf(want)) {
    const double largest = largest_finite(expected_.dtype);
    const double slack = tolerance + 2 * unit_roundoff(expected_.dtype) * largest;
    const bool near_overflow = std::isfinite(reference) &&
                               std::fabs(reference) + slack >= largest &&
                               std::signbit(got) == std::signbit(reference) &&
                               (std::isinf(got) || std::fabs(got - reference) <= slack);
    found.ratio = got == want || near_overflow ? 0 : kHopelessRatio;
    return found;
  }
  if (std::isnan(got)) {
    found.ratio = kHopelessRatio;
    return found;
  }
  found.error = std::fabs(got - reference);
  found.tolerance = std::isfinite(tolerance) ? tolerance : 0;
  if (found.error > 0) {
    found.ratio =
        tolerance > 0 ? std::min(found.error / tolerance, kHopelessRatio) : kHopelessRatio;
  }
  return found;
}

}  // namespace

Result<ToleranceRule> tolerance_rule(const Contract& contract, const Sizes& sizes,
                                     double baseline_error) {
  ToleranceRule rule;
  rule.kind = contract.tolerance;
  rule.ulp = contract.ulp;
  rule.accumulate_roundoff =
      contract.tf32_allowed ? 2 * kTf32Roundoff : unit_roundoff(contract.accumulate);
  rule.accumulate_floor =
      is_floating(contract.accumulate) ? smallest_normal(contract.accumulate) : 0;
  rule.baseline_error = baseline_error;
  if (contract.tolerance == ToleranceClass::contraction && !contract.reduction_length.empty()) {
    auto length = evaluate(contract.reduction_length, sizes);
    if (!length) {
      return fail(std::move(length).error().while_doing("the contract's reduction_length"));
    }
    rule.reduction_length = static_cast<double>(std::max<std::int64_t>(*length, 1));
  }
  return rule;
}

OutputComparison compare_output(const Expected& expected, const ToleranceRule& rule,
                                std::string_view bytes) {
  return OutputJudge(expected, rule, bytes).run();
}

}  // namespace warpmind::profilers
