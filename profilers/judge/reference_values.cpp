#include "profilers/judge/reference_values.h"

#include "profilers/judge/elements.h"

#include <utility>

namespace warpmind::profilers {

Expected ReferenceValues::expected(const Argument& argument,
                                   std::vector<std::int64_t> extents) const {
  Expected expected;
  expected.dtype = argument.dtype;
  expected.extents = std::move(extents);
  expected.reference = outputs.at(argument.name);
  const auto magnitude = magnitudes.find(argument.name);
  if (magnitude != magnitudes.end()) expected.magnitude = magnitude->second;
  return expected;
}

Result<ReferenceValues> compute_reference(const ReferenceLibrary& library, const Task& task,
                                          const Sizes& sizes,
                                          const std::map<std::string, std::string>& raw_inputs) {
  Values inputs;
  for (const Argument& argument : task.arguments) {
    const auto raw = raw_inputs.find(argument.name);
    if (raw != raw_inputs.end()) {
      inputs[argument.name] = decode_elements(raw->second, argument.dtype);
    }
  }
  ReferenceValues reference;
  WARPMIND_TRY(reference.outputs,
               library.compute_reference(task, sizes, inputs, InputSign::as_given));
  if (task.contract.tolerance == ToleranceClass::contraction) {
    WARPMIND_TRY(reference.magnitudes,
                 library.compute_reference(task, sizes, inputs, InputSign::absolute));
  }
  return reference;
}

}  // namespace warpmind::profilers
