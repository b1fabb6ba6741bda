#pragma once
/// \file
/// Device buffers that one host function owns.

#include "agents/builtin/syntax.h"

#include <string>
#include <vector>

namespace warpmind::agents::builtin {

/// A local pointer that is allocated once and freed once in its function, each as a statement.
struct LocalPointer {
  std::string name;
  NodeId declared = kNoNode;     ///< its identifier
  NodeId allocation = kNoNode;   ///< the call of cudaMalloc
  NodeId release = kNoNode;      ///< of cudaFree
  std::vector<NodeId> launches;  ///< calls that get it as an argument
  std::vector<NodeId> copies;    ///< calls of cudaMemcpy and cudaMemset, likewise
  /// Whether that is all that is done with it.
  bool is_only_used_so = false;
};

[[nodiscard]] std::vector<LocalPointer> local_pointers(const CudaSource& program,
                                                       const Function& function);

}  // namespace warpmind::agents::builtin
