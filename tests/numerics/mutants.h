#pragma once
/// \file
/// Mistakes made in an output: what a kernel with a bug, or one that saves work, would leave.

#include "base/model/dtype.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace warpmind::numerics {

/// One output that was right, to be spoiled.
class Spoiled {
 public:
  Spoiled(std::string bytes, std::string stale, Dtype dtype, std::vector<std::int64_t> extents);

  [[nodiscard]] Dtype dtype() const { return dtype_; }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] std::size_t rows() const { return count_ / columns_; }
  [[nodiscard]] double get(std::size_t index) const;
  void set(std::size_t index, double value);
  /// As the runner filled it, before the kernel.
  void leave_unwritten(std::size_t index);
  /// As another case's kernel left it.
  void leave_stale(std::size_t index);
  void copy_element(std::size_t to, std::size_t from);
  void swap_elements(std::size_t a, std::size_t b);
  /// Moves by `steps` units in the last place, away from zero.
  void step(std::size_t index, std::int64_t steps);
  [[nodiscard]] std::size_t largest() const;
  [[nodiscard]] double root_mean_square() const;
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  std::string stale_;
  Dtype dtype_;
  std::size_t size_;
  std::size_t count_;
  std::size_t columns_;
};

struct Mutant {
  const char* name;
  std::function<void(Spoiled&)> spoil;
};

[[nodiscard]] const std::vector<Mutant>& mutants();

}  // namespace warpmind::numerics
