#pragma once
/// \file
/// Fits the global constants of the time model to measured times.

#include "tests/bench/validation/compared_point.h"

#include <string>
#include <vector>

namespace warpmind::validation {

/// Changes a member of ModelConstants or of the device's TimingModel by its name.
/// Errors: invalid_argument for "name=value" that names neither, or no positive number.
[[nodiscard]] Result<void> set_number(const std::string& text, simulator::ModelConstants& constants,
                                      DeviceSpec& device);

/// Coordinate search: each constant in turn is moved up and down by a step that shrinks, as long as
/// the mean of |log(predicted / measured)| falls, each task counting alike. Errors: of predict().
[[nodiscard]] Result<simulator::ModelConstants> fit(std::vector<ComparedPoint> points,
                                                    const DeviceSpec& device,
                                                    const simulator::ModelConstants& start);

/// "exponent=5 clock=1 …".
[[nodiscard]] std::string describe(const simulator::ModelConstants& constants);

}  // namespace warpmind::validation
