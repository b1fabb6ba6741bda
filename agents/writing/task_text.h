#pragma once
/// \file
/// A task, its plan and technique cards in words, for prompts.

#include "base/model/kernel.h"
#include "base/model/task.h"
#include "base/model/technique.h"

#include <string>

namespace warpmind::agents::writing {

/// Arguments, workloads, contract and cost.
[[nodiscard]] std::string describe_interface(const Task& task);

/// Launches, constants, scratch buffers, entry and flags.
[[nodiscard]] std::string describe_plan(const Kernel& kernel);

/// With the note for `architecture` ("sm_90"), where the card has one.
[[nodiscard]] std::string describe_card(const Technique& card, const std::string& architecture);

}  // namespace warpmind::agents::writing
