#pragma once
/// \file
/// The fastest library call that computes what a task asks for, as a value.

#include <string>

namespace warpmind {

/// Timed on the GPU and the workload of the measurement that carries it, by the same worker and the
/// same rules (docs/measuring.md).
struct BestLibrary {
  std::string library = {};  ///< with its version: "cuBLASLt 13.1.0"
  std::string call = {};     ///< "cublasLtMatmul, algorithm 2 of 8"
  double ns = 0;             ///< of one run; 0 = there is none, and `unknown` says why
  std::string unknown = {};  ///< one sentence; empty with `ns` 0 = nobody looked
  bool operator==(const BestLibrary&) const = default;
};

}  // namespace warpmind
