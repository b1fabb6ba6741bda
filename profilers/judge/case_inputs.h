#pragma once
/// \file
/// The inputs of one case, drawn so that the reference is a fair judge of them.

#include "base/model/task.h"
#include "base/result.h"
#include "profilers/judge/input_generator.h"
#include "profilers/judge/reference_library.h"
#include "profilers/judge/reference_values.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace warpmind::profilers {

/// Raw elements by argument, and what they were drawn as.
struct FittingInputs {
  InputDraw draw;
  std::map<std::string, std::string> raw;
  ReferenceValues reference;
};

/// References outlive it. Equal seeds give equal inputs.
class CaseInputs {
 public:
  CaseInputs(const Task& task, const Sizes& sizes, std::uint64_t seed)
      : task_(task), sizes_(sizes), seed_(seed) {}

  [[nodiscard]] Result<std::map<std::string, std::string>> draw(const InputDraw& draw) const;

  /// Whether only the reference can say that such inputs are fair: integers that must not overflow,
  /// rows on which rounding alone could decide the result, NaN that must be kept.
  [[nodiscard]] bool needs_reference(const InputDraw& draw) const;

  /// The inputs of `draw`, or of the nearest kind on which an honest kernel agrees with the
  /// reference: smaller integers, calmer rows, finite numbers. Errors: the reference's own.
  [[nodiscard]] Result<FittingInputs> fit(const ReferenceLibrary& library, InputDraw draw) const;

 private:
  Result<FittingInputs> fit_integers(const ReferenceLibrary& library, InputDraw draw) const;
  Result<FittingInputs> fit_uneven(const ReferenceLibrary& library, InputDraw draw) const;
  Result<FittingInputs> fit_special(const ReferenceLibrary& library, InputDraw draw) const;
  Result<FittingInputs> inputs_for(const ReferenceLibrary& library, const InputDraw& draw) const;
  [[nodiscard]] Result<std::map<std::string, std::string>> with_specials(
      std::map<std::string, std::string> raw, const InputDraw& draw,
      std::optional<double> stand_in) const;
  /// By how many powers of two the integer outputs leave their dtype; 0 = they do not.
  [[nodiscard]] int integer_overflow(const ReferenceValues& reference) const;
  /// Whether a change of the inputs' last bit changes no output by much of its tolerance.
  [[nodiscard]] Result<bool> is_steady(const ReferenceLibrary& library,
                                       const FittingInputs& inputs) const;
  [[nodiscard]] Result<bool> keeps_special_values(
      const ReferenceLibrary& library, const FittingInputs& inputs,
      const std::map<std::string, std::string>& plain) const;

  const Task& task_;
  const Sizes& sizes_;
  std::uint64_t seed_;
};

}  // namespace warpmind::profilers
