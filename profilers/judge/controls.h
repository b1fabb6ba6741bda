#pragma once
/// \file
/// Controls of task admission: outputs that took no work. A task that accepts one measures nothing.

#include "base/enum_names.h"
#include "base/model/task.h"
#include "profilers/judge/reference_values.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace warpmind::profilers {

enum class Control {
  zeros,
  mean,             ///< one number: the mean of this output over other inputs
  input_copy,       ///< an input, repeated or cut to the size of the output
  previous_output,  ///< right, for the inputs before
  random,           ///< normal, with the mean and spread of this output over other inputs
  untouched,        ///< what the runner filled the buffer with: poison, or the input of an inout
};

}  // namespace warpmind::profilers

namespace warpmind {
WARPMIND_ENUM_NAMES(profilers::Control, {profilers::Control::zeros, "zeros"},
                    {profilers::Control::mean, "mean"},
                    {profilers::Control::input_copy, "input copy"},
                    {profilers::Control::previous_output, "previous output"},
                    {profilers::Control::random, "random"},
                    {profilers::Control::untouched, "untouched"});
}  // namespace warpmind

namespace warpmind::profilers {

/// One draw of inputs for one workload, and what is right for it.
struct AdmissionCase {
  std::map<std::string, std::string> raw_inputs;
  ReferenceValues reference;
};

/// What one control leaves in an output.
struct ControlOutput {
  std::string bytes;
  std::string from;  ///< name of the input that was copied; else empty
};

/// The outputs that `control` makes for output `argument` of cases[seed]; one an input for
/// input_copy. Needs at least two cases.
[[nodiscard]] std::vector<ControlOutput> make_control(Control control, const Task& task,
                                                      const Argument& argument,
                                                      std::span<const AdmissionCase> cases,
                                                      std::size_t seed);

/// "a kernel that …", for a sentence about `output`.
[[nodiscard]] std::string describe(Control control, const std::string& output,
                                   const std::string& from);

}  // namespace warpmind::profilers
