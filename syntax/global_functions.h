#pragma once
/// \file
/// The kernels of a CUDA source by its words alone, where the grammar is not needed.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::syntax {

/// A `__global__` function as written.
struct GlobalFunction {
  std::string name;
  std::size_t parameters = 0;
};

/// Those of `source`, in order; a function that a macro writes is not found.
[[nodiscard]] std::vector<GlobalFunction> find_global_functions(std::string_view source);

}  // namespace warpmind::syntax
