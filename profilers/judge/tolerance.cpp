#include "profilers/judge/tolerance.h"

#include "base/expression.h"
#include "base/text.h"
#include "profilers/judge/edge_norms.h"
#include "profilers/judge/elements.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace warpmind::profilers {
namespace {

constexpr double kTf32Roundoff = 0x1p-11;
/// Share of the tile's tolerance that the norm of its errors may reach; smaller tiles are skipped:
/// the norm of a few errors says nothing that the elements do not.
constexpr double kTileShare = 0.75;
constexpr std::size_t kLeastTileElements = 16;
constexpr double kWideSummation = 4;
/// A candidate may lose as many times what the baseline loses beyond rounding its output. Where
/// outputs are few, the largest error of one draw is up to 2.5 times that of another: less refuses
/// honest orders of summation (docs/numerics.md).
constexpr double kBaselineErrors = 8;
/// Roundoffs of the output that it may make however exact the baseline is.
constexpr double kLeastRoundoffs = 8;
/// An element is ill-conditioned beyond as many times what its coarsest type allows.
constexpr double kIllConditioned = 8;
/// Share of an element's tolerance by which strained arithmetic may move it in a probe: an honest
/// rewrite rounds a quarter as far as a strained run.
constexpr double kStrainedShare = 0.5;

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

/// Poison that is told from a NaN that a kernel computed: 7FFF and FFFF in 16 bits may be either.
bool is_certain_poison(std::string_view element) {
  return is_poison(element) &&
         (element.size() > 2 || static_cast<unsigned char>(element[0]) != 0xFF);
}

/// How far one element is off, and how far it may be.
struct Assessment {
  double ratio = 0;
  double error = 0;          ///< |d|; 0 where NaN or infinity decide
  double tolerance = 0;      ///< of |d|; 0 for the classes that count units in the last place
  double scale = 0;          ///< of the sums: what the tolerance is a share of
  bool is_left_out = false;  ///< of a probe: nobody knows what is right
};

class OutputJudge {
 public:
  OutputJudge(const Expected& expected, const ToleranceRule& rule, std::string_view bytes)
      : expected_(expected), rule_(rule), bytes_(bytes), edges_(expected.extents) {}

  OutputComparison judge_output();
  [[nodiscard]] std::vector<double> tolerances() const;

 private:
  [[nodiscard]] bool sums() const {
    return rule_.kind == ToleranceClass::contraction || rule_.kind == ToleranceClass::reduction;
  }
  [[nodiscard]] double root_mean_square(std::size_t begin, std::size_t end) const;
  [[nodiscard]] bool has_integers_only() const;
  /// Decided by what is left unwritten, on either side.
  [[nodiscard]] std::optional<Assessment> assess_unwritten(std::size_t index, double got) const;
  [[nodiscard]] Assessment assess(std::size_t index, double got, double tile_rms);
  /// Of a probe: whether the element says nothing.
  [[nodiscard]] bool is_left_out(std::size_t index, double tile_rms) const;
  [[nodiscard]] Assessment assess_units(double got, double reference) const;
  [[nodiscard]] Assessment assess_error(double got, double reference, double tolerance) const;
  /// The given kernel's sum overflowed, and in another order it just does not.
  [[nodiscard]] bool is_just_below_given_overflow(double got, double want) const;
  [[nodiscard]] double tolerance_of(std::size_t index, double scale) const;
  /// Share of the scale that an element may be off, where the given kernel is the reference.
  [[nodiscard]] double given_limit() const;
  [[nodiscard]] bool must_be_equal(std::size_t index) const;
  /// What perturbed runs add to the tolerance.
  [[nodiscard]] double spread_of(std::size_t index) const;
  /// Of an element of the classes that are sums: rounding moves it too far to say much.
  [[nodiscard]] bool is_ill_conditioned(const Assessment& found) const;
  /// "0.002: 8 roundoffs of f16 at 0.5"
  [[nodiscard]] std::string describe_tolerance(std::size_t index, const Assessment& found) const;
  /// Equal to the byte, or left unwritten by both: most tiles, told in no time.
  [[nodiscard]] bool is_as_given(std::size_t begin, std::size_t end) const;
  void judge_tile(std::size_t begin, std::size_t end);
  /// Of a tile that some blocks may have left out: element by element.
  void judge_written(std::size_t begin, std::size_t end);
  void judge_edges();
  /// Adds to the figures over the whole output: relative L2 norm and units in the last place.
  void measure(double got, double reference);
  void measure_as_given(std::size_t begin, std::size_t end);
  void note_share(double share, const std::string& where);
  void note_element(std::size_t index, double got, const Assessment& found);
  [[nodiscard]] std::string describe(std::size_t index, double got, const Assessment& found) const;

  const Expected& expected_;
  const ToleranceRule& rule_;
  std::string_view bytes_;
  OutputComparison result_;
  double worst_element_ratio_ = 0;
  std::string worst_element_;  ///< in the words of OutputComparison::worst
  EdgeNorms edges_;
  double error_squares_ = 0;
  double reference_squares_ = 0;
  double exact_up_to_ = 0;  ///< integers of this output must be equal up to here
};

bool OutputJudge::has_integers_only() const {
  bool any = false;
  for (std::size_t i = 0; i < expected_.reference.size(); ++i) {
    const double value = expected_.reference[i];
    if (!std::isfinite(value)) continue;
    if (value != std::floor(value)) return false;
    any = true;
  }
  return any;
}

OutputComparison OutputJudge::judge_output() {
  const std::size_t count = expected_.reference.size();
  result_.elements = static_cast<std::int64_t>(count);
  if (bytes_.size() != count * size_in_bytes(expected_.dtype)) {
    result_.wrong = result_.elements;
    result_.worst_ratio = kHopelessRatio;
    result_.worst = ": " + std::to_string(bytes_.size()) + " bytes, want " +
                    std::to_string(count * size_in_bytes(expected_.dtype));
    return std::move(result_);
  }
  if (rule_.exact_integers > 0 && is_floating(expected_.dtype) && has_integers_only()) {
    exact_up_to_ = std::min(rule_.exact_integers, 1 / unit_roundoff(expected_.dtype));
  }
  for (std::size_t begin = 0; begin < count; begin += kTileElements) {
    judge_tile(begin, std::min(begin + kTileElements, count));
  }
  judge_edges();
  if (error_squares_ > 0) {
    const double relative = std::sqrt(error_squares_ / reference_squares_);
    result_.relative_l2 = relative < kHopelessRatio ? relative : kHopelessRatio;  // also for NaN
  }
  return std::move(result_);
}

std::vector<double> OutputJudge::tolerances() const {
  const std::size_t count = expected_.reference.size();
  std::vector<double> all(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double reference = expected_.reference[i];
    if (!std::isfinite(reference) || rule_.kind == ToleranceClass::exact) continue;
    if (rule_.kind == ToleranceClass::elementwise) {
      all[i] = is_floating(expected_.dtype) ? rule_.ulp * last_place(reference, expected_.dtype)
                                            : rule_.ulp;
      continue;
    }
    const std::size_t begin = i / kTileElements * kTileElements;
    const double rms = rule_.kind == ToleranceClass::reduction
                           ? root_mean_square(begin, std::min(begin + kTileElements, count))
                           : 0;
    all[i] = tolerance_of(i, std::max(std::fabs(reference), rms));
  }
  return all;
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

bool OutputJudge::is_as_given(std::size_t begin, std::size_t end) const {
  if (expected_.given.empty()) return false;
  const std::size_t size = size_in_bytes(expected_.dtype);
  const auto given = expected_.given.substr(begin * size, (end - begin) * size);
  const auto got = bytes_.substr(begin * size, (end - begin) * size);
  return given == got || (is_poison(given) && is_poison(got));
}

void OutputJudge::judge_tile(std::size_t begin, std::size_t end) {
  if (rule_.partial) return judge_written(begin, end);
  if (is_as_given(begin, end)) return measure_as_given(begin, end);
  const bool has_edges = sums() && edges_.has_edges() && expected_.given.empty();
  const double rms = rule_.kind == ToleranceClass::reduction ? root_mean_square(begin, end) : 0;
  const double output_roundoff = unit_roundoff(expected_.dtype);
  double errors = 0;
  double tolerances = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const double got = decode_element(bytes_, expected_.dtype, i);
    const Assessment found = assess(i, got, rms);
    if (found.is_left_out) {
      --result_.elements;
      continue;
    }
    const double rounding =
        std::isfinite(expected_.reference[i])
            ? std::min(output_roundoff * std::fabs(expected_.reference[i]), found.tolerance)
            : 0;
    const double error = std::max(found.error - rounding, 0.0);
    const double tolerance = found.tolerance - rounding;
    if (is_ill_conditioned(found)) {
      ++result_.ill_conditioned;  // its tolerance would hide the others' errors in the norm
    } else {
      errors += error * error;
      tolerances += tolerance * tolerance;
    }
    if (has_edges) edges_.add(error, tolerance);
    note_element(i, got, found);
    measure(got, expected_.reference[i]);
  }
  if (!sums() || end - begin < kLeastTileElements || tolerances == 0) return;
  note_share(std::sqrt(errors / tolerances), coordinates(begin, expected_.extents) + " to " +
                                                 coordinates(end - 1, expected_.extents));
}

void OutputJudge::judge_written(std::size_t begin, std::size_t end) {
  const double rms = rule_.kind == ToleranceClass::reduction ? root_mean_square(begin, end) : 0;
  for (std::size_t i = begin; i < end; ++i) {
    if (is_unwritten(bytes_, expected_.dtype, i)) {
      --result_.elements;
      continue;
    }
    const double got = decode_element(bytes_, expected_.dtype, i);
    const Assessment found = assess(i, got, rms);
    if (found.is_left_out) {
      --result_.elements;
      continue;
    }
    note_element(i, got, found);
    measure(got, expected_.reference[i]);
  }
}

void OutputJudge::judge_edges() {
  const auto worst = edges_.worst(kLeastTileElements);
  if (worst) note_share(worst->share, " in " + worst->where);
}

void OutputJudge::note_share(double share, const std::string& where) {
  if (share / kTileShare <= std::max(result_.worst_ratio, 1.0)) return;
  result_.worst_ratio = std::min(share / kTileShare, kHopelessRatio);
  result_.worst = where + ": the errors together reach " + significant(share, 2) +
                  " of the tolerances, allowed are " + significant(kTileShare, 2);
  if (!worst_element_.empty()) result_.worst += "; the worst of all is " + worst_element_;
}

void OutputJudge::measure(double got, double reference) {
  if (!std::isfinite(got) || !std::isfinite(reference)) return;
  reference_squares_ += reference * reference;
  const double error = std::fabs(got - reference);
  error_squares_ += error * error;
  if (error == 0 || !is_floating(expected_.dtype)) return;
  const double unit = last_place(reference, expected_.dtype);
  // Half a unit is what rounding costs; only beyond it the distance to the rounded value matters.
  if (error <= unit * std::max(result_.worst_ulp, 0.5)) return;
  const double want = round_to(reference, expected_.dtype);
  if (std::isfinite(want)) {
    const auto distance = static_cast<double>(ulp_distance(got, want, expected_.dtype));
    result_.worst_ulp = std::max(result_.worst_ulp, distance);
  }
}

void OutputJudge::measure_as_given(std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    const double value = expected_.reference[i];
    if (std::isfinite(value)) reference_squares_ += value * value;
  }
}

void OutputJudge::note_element(std::size_t index, double got, const Assessment& found) {
  if (found.ratio > 1) ++result_.wrong;
  if (found.ratio <= worst_element_ratio_) return;
  worst_element_ratio_ = found.ratio;
  worst_element_ = describe(index, got, found);
  if (found.ratio <= result_.worst_ratio) return;
  result_.worst_ratio = found.ratio;
  result_.worst = worst_element_;
}

std::string OutputJudge::describe(std::size_t index, double got, const Assessment& found) const {
  const std::size_t size = size_in_bytes(expected_.dtype);
  const bool unwritten = found.ratio > 1 && is_poison(bytes_.substr(index * size, size));
  if (found.ratio > 1 && !expected_.given.empty() &&
      is_unwritten(expected_.given, expected_.dtype, index)) {
    return coordinates(index, expected_.extents) + ": got " + significant(got, 9) +
           ", where the given kernel writes nothing";
  }
  const double want = round_to(expected_.reference[index], expected_.dtype);
  return coordinates(index, expected_.extents) + ": got " + significant(got, 9) +
         (unwritten ? " (unwritten: still poisoned)" : "") + ", want " + significant(want, 9) +
         " (tolerance " + describe_tolerance(index, found) + ")";
}

std::string OutputJudge::describe_tolerance(std::size_t index, const Assessment& found) const {
  const std::string dtype(name_of(expected_.dtype));
  if (rule_.kind == ToleranceClass::exact) return "0";
  if (rule_.kind == ToleranceClass::elementwise) return significant(rule_.ulp, 9) + " ulp";
  const std::string total = significant(found.tolerance, 3);
  const double roundoff = unit_roundoff(expected_.dtype);
  if (rule_.kind == ToleranceClass::contraction) {
    return total + ": " +
           significant(rule_.summation * std::max(16.0, std::sqrt(rule_.reduction_length)), 3) +
           " roundoffs of the accumulation at " + significant(expected_.magnitude[index], 3) +
           ", the size of the terms, and the rounding to " + dtype;
  }
  if (expected_.given.empty()) {
    return total + ": " + significant(found.tolerance / found.scale / roundoff, 3) +
           " roundoffs of " + dtype + " at " + significant(found.scale, 3);
  }
  const std::string base = must_be_equal(index)
                               ? ""
                               : significant(given_limit() / roundoff, 4) + " roundoffs of " +
                                     dtype + " at " + significant(found.scale, 3);
  if (expected_.spread == nullptr) return base.empty() ? total : total + ": " + base;
  return total + ": " + base + (base.empty() ? "" : ", ") +
         significant(expected_.spread->rounding[index], 3) + " for the spread of perturbed runs, " +
         significant(expected_.spread->sums[index], 3) + " for sums in another order";
}

double OutputJudge::spread_of(std::size_t index) const {
  if (expected_.spread == nullptr) return 0;
  return expected_.spread->rounding[index] + expected_.spread->sums[index];
}

bool OutputJudge::must_be_equal(std::size_t index) const {
  return !is_floating(expected_.dtype) ||
         (exact_up_to_ > 0 && std::fabs(expected_.reference[index]) <= exact_up_to_);
}

double OutputJudge::given_limit() const {
  const double output_roundoff = unit_roundoff(expected_.dtype);
  const double lower_precision =
      rule_.accumulate_roundoff > output_roundoff ? 8 * rule_.accumulate_roundoff : 0;
  return std::max(given_roundoffs(expected_.dtype) * output_roundoff, lower_precision);
}

bool OutputJudge::is_ill_conditioned(const Assessment& found) const {
  if (expected_.spread == nullptr) return false;
  if (!is_floating(expected_.dtype)) return found.tolerance > 0;
  const double eager = std::max(given_limit(), 8 * expected_.spread->coarsest);
  return found.tolerance > kIllConditioned * eager * found.scale + smallest_normal(expected_.dtype);
}

bool OutputJudge::is_left_out(std::size_t index, double tile_rms) const {
  if (rule_.probe == Probe::none) return false;
  const double given = expected_.reference[index];
  const bool counts = rule_.probe == Probe::numbers ? std::isfinite(given)
                      : rule_.probe == Probe::nan   ? std::isnan(given)
                                                    : std::isinf(given);
  if (!counts) return true;
  if (expected_.spread == nullptr || expected_.spread->strained.empty()) return false;
  const bool is_equal = !sums() || !is_floating(expected_.dtype);
  const double scale = std::max(std::fabs(given), tile_rms);
  const double allowed =
      is_equal ? 0 : kStrainedShare * (given_limit() * scale + rule_.accumulate_floor);
  return expected_.spread->strained[index] > (std::isfinite(allowed) ? allowed : 0);
}

Assessment OutputJudge::assess(std::size_t index, double got, double tile_rms) {
  if (is_left_out(index, tile_rms)) {
    Assessment none;
    none.is_left_out = true;
    return none;
  }
  // Whether of two infinities comes one or NaN is a matter of order.
  if (rule_.probe == Probe::nan || rule_.probe == Probe::infinities) {
    return {std::isfinite(got) ? kHopelessRatio : 0};
  }
  if (const auto unwritten = assess_unwritten(index, got)) return *unwritten;
  const double reference = expected_.reference[index];
  if (std::isnan(got)) {
    const std::size_t size = size_in_bytes(expected_.dtype);
    if (is_certain_poison(bytes_.substr(index * size, size))) return {kHopelessRatio, 0, 0};
  }
  if (!sums()) return assess_units(got, reference);
  const double scale = std::max(std::fabs(reference), tile_rms);
  const double tolerance = tolerance_of(index, scale);
  Assessment found;
  if (std::isinf(spread_of(index))) {
    found.tolerance = tolerance;  // whether it is a number at all depends on rounding
  } else {
    found = assess_error(got, reference, tolerance);
  }
  found.scale = scale;
  const double floor = rule_.accumulate_floor + smallest_denormal(expected_.dtype);
  const bool is_truth = expected_.given.empty();
  if (rule_.kind == ToleranceClass::reduction && is_truth && found.error > floor && scale > 0) {
    result_.baseline_error = std::max(result_.baseline_error, found.error / scale);
  }
  return found;
}

std::optional<Assessment> OutputJudge::assess_unwritten(std::size_t index, double got) const {
  if (expected_.given.empty()) return std::nullopt;
  const bool want = is_unwritten(expected_.given, expected_.dtype, index);
  const bool is = is_unwritten(bytes_, expected_.dtype, index);
  if (!want && !is) return std::nullopt;
  Assessment found;
  // Two sessions have two poisons. In 16 bits the GPU's own NaN looks like one of them.
  const bool both_nan = size_in_bytes(expected_.dtype) == 2 && is_floating(expected_.dtype) &&
                        std::isnan(expected_.reference[index]) && std::isnan(got);
  found.ratio = want == is || both_nan ? 0 : kHopelessRatio;
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
    const double sum_error = rule_.summation * std::max(16.0, std::sqrt(rule_.reduction_length)) *
                             rule_.accumulate_roundoff;
    return sum_error * expected_.magnitude[index] +
           output_roundoff * std::fabs(expected_.reference[index]) + floor;
  }
  if (!expected_.given.empty()) {
    return (must_be_equal(index) ? 0 : given_limit() * scale + floor) + spread_of(index);
  }
  const double of_baseline = std::max(64 * output_roundoff, 1024 * rule_.accumulate_roundoff);
  if (rule_.baseline_error <= 0) return of_baseline * scale + floor;
  const double lost = std::max(rule_.baseline_error - output_roundoff, 0.0);
  const double limit =
      std::max(output_roundoff + kBaselineErrors * lost, kLeastRoundoffs * output_roundoff);
  return std::min(limit, of_baseline) * scale + floor;
}

bool OutputJudge::is_just_below_given_overflow(double got, double want) const {
  if (expected_.given.empty() || !std::isinf(want) || !std::isfinite(got)) return false;
  const double roundoffs = given_roundoffs(expected_.dtype) + 2;
  const double least =
      largest_finite(expected_.dtype) * (1 - roundoffs * unit_roundoff(expected_.dtype));
  return std::signbit(got) == std::signbit(want) && std::fabs(got) >= least;
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
    found.ratio = got == want || near_overflow || is_just_below_given_overflow(got, want)
                      ? 0
                      : kHopelessRatio;
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
                                     double baseline_error, std::string_view distribution) {
  ToleranceRule rule;
  if (distribution == name_of(Distribution::wide)) rule.summation = kWideSummation;
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

ToleranceRule given_rule(const Contract& contract, bool integers) {
  ToleranceRule rule;
  rule.kind = contract.tolerance == ToleranceClass::exact ? ToleranceClass::exact
                                                          : ToleranceClass::reduction;
  rule.accumulate_roundoff =
      contract.tf32_allowed ? 2 * kTf32Roundoff : unit_roundoff(contract.accumulate);
  rule.accumulate_floor =
      is_floating(contract.accumulate) ? smallest_normal(contract.accumulate) : 0;
  if (integers) rule.exact_integers = 1 / unit_roundoff(contract.accumulate);
  return rule;
}

double given_roundoffs(Dtype output) {
  constexpr double kRounding = 8;
  constexpr double kSummation = 1024;
  return size_in_bytes(output) == 2 ? kRounding : kSummation;
}

bool is_unwritten(std::string_view bytes, Dtype dtype, std::size_t index) {
  const std::size_t size = size_in_bytes(dtype);
  const std::size_t at = size > 1 ? index * size : index - index % 2;
  const std::string_view element = bytes.substr(at, std::max<std::size_t>(size, 2));
  const bool minus_one = !is_floating(dtype) && element.substr(0, 2) == "\xFF\xFF";
  return !minus_one && is_poison(element);
}

std::vector<double> element_tolerances(const Expected& expected, const ToleranceRule& rule) {
  return OutputJudge(expected, rule, {}).tolerances();
}

OutputComparison compare_output(const Expected& expected, const ToleranceRule& rule,
                                std::string_view bytes) {
  return OutputJudge(expected, rule, bytes).judge_output();
}

}  // namespace warpmind::profilers
