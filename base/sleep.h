#pragma once
/// \file
/// A pause that a stop request ends.

#include <chrono>
#include <stop_token>

namespace warpmind {

/// Until `time` has passed or a stop is asked for.
void sleep_for(std::chrono::nanoseconds time, const std::stop_token& stop);

}  // namespace warpmind
