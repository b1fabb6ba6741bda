#pragma once
/// \file
/// A task's double-precision reference: a shared object built from its reference.cpp.

#include "base/expression.h"
#include "base/model/task.h"
#include "base/result.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace warpmind::profilers {

/// Values by argument name.
using Values = std::map<std::string, std::vector<double>, std::less<>>;

/// Whether the reference gets its inputs and scalars as they are or by absolute value: for a
/// contraction the latter computes |A||B|, the magnitude that its error is held against.
enum class InputSign { as_given, absolute };

/// Thread-safe as the reference promises to be (config/reference/warpmind_reference.h). A reference
/// that crashes takes the process with it; the lab then sees the end of the judge.
class ReferenceLibrary {
 public:
  /// Errors: not_found without the file; invalid_argument without the function.
  [[nodiscard]] static Result<std::shared_ptr<const ReferenceLibrary>> load(
      const std::string& path);

  /// Runs the reference on the inputs (in and inout) and returns the outputs (out and inout).
  /// Errors: invalid_argument with the sentence that the reference gave to `fail`, or of a shape.
  [[nodiscard]] Result<Values> compute_reference(const Task& task, const Sizes& sizes,
                                                 const Values& inputs, InputSign sign) const;

 private:
  struct Closer {
    void operator()(void* library) const noexcept;
  };
  ReferenceLibrary(std::unique_ptr<void, Closer> library, void* function)
      : library_(std::move(library)), function_(function) {}

  std::unique_ptr<void, Closer> library_;
  void* function_;  ///< of the type that warpmind_reference.h declares
};

/// Product of the extents of `argument`. Errors: invalid_argument naming it.
[[nodiscard]] Result<std::int64_t> element_count(const Argument& argument, const Sizes& sizes);

}  // namespace warpmind::profilers
