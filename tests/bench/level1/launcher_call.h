#pragma once
/// \file
/// How to call the launcher of a KernelBlaster problem: its parameters, from init.cu, with the
/// values that the folder's driver.cpp gives them, made small.

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace warpmind::level1 {

enum class Content {
  scalar,
  null_pointer,  ///< a bias that the driver does not use
  output,
  signed_halves,    ///< f16 in [-1, 1)
  positive_halves,  ///< f16 in [0.1, 1): probabilities, variances
  classes,          ///< i64 class numbers
  flags,            ///< bytes 0 and 1
};

struct LauncherArgument {
  std::string type;  ///< as declared: "void*", "int64_t"
  std::string name;
  Content content = Content::scalar;
  std::string value;  ///< C++ literal of a scalar; of Content::classes how many there are
};

/// `kernel` is the text of init.cu, `driver` that of driver.cpp.
/// Errors: invalid_argument naming what was not found or cannot be evaluated.
[[nodiscard]] Result<std::vector<LauncherArgument>> launcher_call(std::string_view kernel,
                                                                  std::string_view driver);

/// A program that includes `kernel_file` and calls the launcher with those arguments.
[[nodiscard]] std::string driver_program(const std::string& kernel_file,
                                         const std::vector<LauncherArgument>& arguments);

}  // namespace warpmind::level1
