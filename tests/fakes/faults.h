#pragma once
/// \file
/// What the second build of the base (target warpmind_kb_faulty) does at its fault points.

#include "knowledge_base/fault_points.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::fakes {

/// The process ends by SIGKILL when `point` is reached for the `hit`-th time.
void kill_at(std::string point, int hit);
/// Puts one mistake back; none takes it away.
void seed(knowledge_base::SeededBug bug);
/// Asked at every file operation of ours; returns the errno that it must fail with, or 0.
void on_operation(std::function<int(const char* operation)> failure);

/// kill_at() and seed() as FAULT_POINT, FAULT_HIT and FAULT_BUG (a number) say.
void arm_from_environment();

}  // namespace warpmind::fakes
