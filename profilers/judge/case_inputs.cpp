#include "profilers/judge/case_inputs.h"

#include "base/sequence.h"
#include "profilers/judge/case_comparison.h"
#include "profilers/judge/elements.h"
#include "profilers/judge/random_numbers.h"
#include "profilers/judge/recorded_draws.h"
#include "profilers/judge/tolerance.h"

#include <algorithm>
#include <cmath>

namespace warpmind::profilers {
namespace {

bool all_finite(const Values& outputs) {
  return std::all_of(outputs.begin(), outputs.end(), [](const auto& output) {
    return std::all_of(output.second.begin(), output.second.end(),
                       [](double value) { return std::isfinite(value); });
  });
}

/// What an integer may be at most; i64 as far as doubles name every integer.
double greatest(Dtype dtype) {
  const double bits = std::min(8.0 * static_cast<double>(size_in_bytes(dtype)), 54.0);
  const bool is_unsigned = dtype == Dtype::u8 || dtype == Dtype::u32;
  return std::exp2(bits - (is_unsigned ? 0 : 1)) - 1;
}

Values values_of(const Task& task, const std::map<std::string, std::string>& raw) {
  Values values;
  for (const Argument& argument : task.arguments) {
    if (is_input(argument)) {
      values[argument.name] = decode_elements(raw.at(argument.name), argument.dtype);
    }
  }
  return values;
}

}  // namespace

Result<std::map<std::string, std::string>> CaseInputs::draw(const InputDraw& draw) const {
  SplitMix seeds(seed_);
  const bool is_as_recorded =
      draw.distribution == Distribution::recorded && draw.trait == InputTrait::none;
  const std::uint64_t order = SplitMix(~seed_).next() | 1U;
  std::map<std::string, std::string> raw;
  for (const Argument& argument : task_.arguments) {
    if (!is_input(argument)) continue;
    InputDraw own = draw;
    own.distribution = distribution_for(argument, draw.distribution, seeds.next());
    own.order = is_as_recorded ? 0 : order;
    WARPMIND_TRY(raw[argument.name], draw_argument(task_, argument, sizes_, own, seeds.next()));
  }
  // With a reference, fit_special() adds them.
  if (draw.trait == InputTrait::special && draw.probe != Probe::none) {
    return with_specials(std::move(raw), draw, std::nullopt);
  }
  return raw;
}

bool CaseInputs::needs_reference(const InputDraw& draw) const {
  if (draw.trait != InputTrait::none) return !draw.calm;
  return draw.distribution == Distribution::wide &&
         std::any_of(task_.arguments.begin(), task_.arguments.end(), is_open_integer);
}

Result<FittingInputs> CaseInputs::inputs_for(const ReferenceLibrary& library,
                                             const InputDraw& draw) const {
  FittingInputs inputs;
  inputs.draw = draw;
  WARPMIND_TRY(inputs.raw, this->draw(draw));
  WARPMIND_TRY(inputs.reference, compute_reference(library, task_, sizes_, inputs.raw));
  return inputs;
}

Result<FittingInputs> CaseInputs::fit(const ReferenceLibrary& library, InputDraw draw) const {
  if (draw.trait == InputTrait::uneven) return fit_uneven(library, draw);
  if (draw.trait == InputTrait::special) return fit_special(library, draw);
  return fit_integers(library, draw);
}

int CaseInputs::integer_overflow(const ReferenceValues& reference) const {
  double excess = 0;
  for (const Argument& argument : task_.arguments) {
    if (!is_output(argument) || is_floating(argument.dtype)) continue;
    const bool is_unsigned = argument.dtype == Dtype::u8 || argument.dtype == Dtype::u32;
    for (const double value : reference.outputs.at(argument.name)) {
      if (std::isnan(value) || (is_unsigned && value < 0)) return 1;
      excess = std::max(excess, std::fabs(value) / greatest(argument.dtype));
    }
  }
  if (excess <= 1) return 0;
  return std::max(1, std::ilogb(std::min(excess, 0x1p60)));
}

Result<FittingInputs> CaseInputs::fit_integers(const ReferenceLibrary& library,
                                               InputDraw draw) const {
  constexpr int kMostTries = 8;
  for (int i = 0; i < kMostTries; ++i) {
    WARPMIND_TRY(auto inputs, inputs_for(library, draw));
    const int over = integer_overflow(inputs.reference);
    if (over == 0) return inputs;
    // Of a product half of the excess is each factor's.
    draw.halvings += (over + 1) / 2;
  }
  return inputs_for(library, {Distribution::large});
}

Result<bool> CaseInputs::is_steady(const ReferenceLibrary& library,
                                   const FittingInputs& inputs) const {
  const ToleranceClass kind = task_.contract.tolerance;
  if (kind != ToleranceClass::contraction && kind != ToleranceClass::reduction) return true;
  const double share = kind == ToleranceClass::contraction ? 1.0 / 4 : 1.0 / 16;
  constexpr double kLastBit = 0x1p-24;
  SplitMix signs(seed_);
  Values moved = values_of(task_, inputs.raw);
  for (const Argument& argument : task_.arguments) {
    if (!is_input(argument) || !is_floating(argument.dtype)) continue;
    for (double& value : moved[argument.name]) {
      value *= 1 + (signs.next() >> 63U != 0 ? kLastBit : -kLastBit);
    }
  }
  WARPMIND_TRY(const Values other,
               library.compute_reference(task_, sizes_, moved, InputSign::as_given));
  WARPMIND_TRY(const ToleranceRule rule, tolerance_rule(task_.contract, sizes_, 0));
  for (const Argument& argument : task_.arguments) {
    if (!is_output(argument) || !is_floating(argument.dtype)) continue;
    WARPMIND_TRY(auto extents, extents_of(argument, sizes_));
    const Expected expected = inputs.reference.expected(argument, std::move(extents));
    const auto allowed = element_tolerances(expected, rule);
    for (std::size_t i = 0; i < allowed.size(); ++i) {
      const double change = std::fabs(other.at(argument.name)[i] - expected.reference[i]);
      if (!(change <= share * allowed[i])) return false;
    }
  }
  return true;
}

Result<FittingInputs> CaseInputs::fit_uneven(const ReferenceLibrary& library,
                                             InputDraw draw) const {
  constexpr int kMostHalvings = 6;
  for (; draw.halvings <= kMostHalvings; draw.halvings += 2) {
    WARPMIND_TRY(auto inputs, inputs_for(library, draw));
    bool is_fair = all_finite(inputs.reference.outputs);
    if (is_fair) {
      WARPMIND_TRY(is_fair, is_steady(library, inputs));
    }
    if (is_fair) return inputs;
  }
  draw.halvings = 0;
  draw.calm = true;
  return inputs_for(library, draw);
}

Result<std::map<std::string, std::string>> CaseInputs::with_specials(
    std::map<std::string, std::string> raw, const InputDraw& draw,
    std::optional<double> stand_in) const {
  SplitMix seeds(~seed_);
  for (const Argument& argument : task_.arguments) {
    const std::uint64_t seed = seeds.next();
    if (!takes_special_values(argument)) continue;
    raw[argument.name] =
        with_special_values(argument, draw, std::move(raw[argument.name]), seed, stand_in);
  }
  return raw;
}

/// An element that depends on the special values, seen by putting numbers in their place, must not
/// be finite: a reference that drops a NaN somewhere (a comparison) leaves it to each kernel.
Result<bool> CaseInputs::keeps_special_values(
    const ReferenceLibrary& library, const FittingInputs& inputs,
    const std::map<std::string, std::string>& plain) const {
  constexpr double kFar = 1000;
  std::vector<Values> others;
  for (const double stand_in : {kFar, -kFar, 0.0}) {
    WARPMIND_TRY(const auto raw, with_specials(plain, inputs.draw, stand_in));
    WARPMIND_TRY(auto outputs, library.compute_reference(task_, sizes_, values_of(task_, raw),
                                                         InputSign::as_given));
    others.push_back(std::move(outputs));
  }
  for (const auto& [name, kept] : inputs.reference.outputs) {
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (!std::isfinite(kept[i])) continue;
      for (const Values& other : others) {
        if (other.at(name)[i] != kept[i]) return false;
      }
    }
  }
  return true;
}

Result<FittingInputs> CaseInputs::fit_special(const ReferenceLibrary& library,
                                              InputDraw draw) const {
  WARPMIND_TRY(const auto plain, this->draw(draw));
  FittingInputs inputs;
  inputs.draw = draw;
  WARPMIND_TRY(inputs.raw, with_specials(plain, draw, std::nullopt));
  WARPMIND_TRY(inputs.reference, compute_reference(library, task_, sizes_, inputs.raw));
  WARPMIND_TRY(const bool keeps, keeps_special_values(library, inputs, plain));
  if (keeps) return inputs;
  draw.trait = InputTrait::none;
  return inputs_for(library, draw);
}

}  // namespace warpmind::profilers
