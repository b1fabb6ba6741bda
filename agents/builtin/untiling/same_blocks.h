#pragma once
/// \file
/// Whether two kernels of one launch compute the same: blocks of both are run on numbers of a field
/// (untiling/block_machine.h), at the task's sizes and at others.

#include "agents/builtin/scene.h"
#include "agents/builtin/untiling/output_tiles.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::agents::builtin {

class SameBlocks {
 public:
  /// `function` of `source` is the scene's, perhaps in another spelling. All must outlive it.
  SameBlocks(const Scene& scene, const CudaSource& source, const Function& function);
  SameBlocks(const SameBlocks&) = delete;
  SameBlocks& operator=(const SameBlocks&) = delete;
  SameBlocks(SameBlocks&&) = delete;
  SameBlocks& operator=(SameBlocks&&) = delete;
  ~SameBlocks();

  /// Why the given kernel cannot be judged, or empty: it races, its branches hang on data.
  [[nodiscard]] const std::string& refusal() const { return refusal_; }
  /// Why `other`, the kernel with the same name and launches in another source, is not the same; or
  /// empty. `grid`: on which it runs, where it is another.
  [[nodiscard]] std::string compared(const CudaSource& other,
                                     const std::optional<FinerGrid>& grid) const;

 private:
  struct Sample;
  struct OtherSizes;

  void add_samples(const Scene& scene, bool is_given);

  const CudaSource& source_;
  const Function& function_;
  std::vector<std::unique_ptr<OtherSizes>> other_sizes_;
  std::vector<Sample> samples_;
  std::string refusal_;
  std::int64_t work_ = 0;
};

}  // namespace warpmind::agents::builtin
