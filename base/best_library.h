#pragma once
/// \file
/// How a time stands against the best library call for the task.

#include "base/model/best_library.h"

#include <optional>
#include <string>

namespace warpmind {

/// How many times as fast as the library a run of `time_ns` is; 0.5 = the library takes half as
/// long. nullopt without a library's time.
[[nodiscard]] std::optional<double> times_best_library(const BestLibrary& best, double time_ns);

/// "1.3x of cuBLASLt 13.1.0 (cublasLtMatmul, algorithm 2 of 8; 9.01 µs)", or why there is none;
/// empty where nobody looked.
[[nodiscard]] std::string describe_best_library(const BestLibrary& best, double time_ns);

}  // namespace warpmind
