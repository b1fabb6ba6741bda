#pragma once
/// \file
/// Where the ways of a jump meet again whose condition is not known, if nothing that counts lies
/// between: such a condition need not be known.

#include "profilers/flops/walk_program.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace warpmind::profilers {

struct WalkJoin {
  bool exists = false;
  std::size_t at = 0;                 ///< step where both ways go on; their number: the thread ends
  std::vector<std::int32_t> written;  ///< registers that a way may have changed
};

class WalkJoins {
 public:
  /// `counts`: whether the step, beside WalkProgram::steps, does what is being counted. `program`
  /// must outlive this.
  WalkJoins(const WalkProgram& program, std::vector<bool> counts);

  [[nodiscard]] bool counts(std::size_t step) const { return counts_[step]; }
  /// Of a guarded jump or leave. Found once.
  [[nodiscard]] const WalkJoin& join_at(std::size_t step);

 private:
  void split_into_blocks();
  [[nodiscard]] std::vector<std::uint32_t> successors_of(std::size_t block) const;
  [[nodiscard]] std::uint32_t block_at(std::size_t step) const;
  /// False when a step of the block counts.
  bool add_written(std::size_t block, WalkJoin& join) const;
  [[nodiscard]] WalkJoin find(std::size_t step) const;

  const WalkProgram& program_;
  std::vector<bool> counts_;
  std::vector<std::size_t> begins_;      ///< of blocks, and the number of steps
  std::vector<std::uint32_t> block_of_;  ///< by step
  std::vector<std::vector<std::uint32_t>> successors_;
  std::vector<std::uint32_t> post_dominators_;
  std::map<std::size_t, WalkJoin> found_;
};

}  // namespace warpmind::profilers
