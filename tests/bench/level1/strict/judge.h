#pragma once
/// \file
/// The strict rule: per tile of 4096 elements, an error of at most four times that of PyTorch
/// eager, both against float64.

#include <cstdint>
#include <string>
#include <torch/torch.h>

namespace level1_strict {

struct StrictVerdict {
  bool passed = false;
  std::string reason;  ///< why not
  double worst = 0;    ///< largest error of a tile, in those of eager (1 = the same)
  std::int64_t tiles = 0;
  std::int64_t bad_tiles = 0;
  double candidate_error = 0;  ///< relative L2, of all
  double eager_error = 0;
};

/// Flat float64 tensors of the same size. `type` is that of the output.
[[nodiscard]] StrictVerdict judge_values(const torch::Tensor& candidate, const torch::Tensor& eager,
                                         const torch::Tensor& exact, torch::ScalarType type);

/// Half the distance of neighbours at 1.
[[nodiscard]] double unit_of(torch::ScalarType type);

}  // namespace level1_strict
