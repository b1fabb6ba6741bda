#pragma once
/// \file
/// From a kernel record to times per kernel.

#include "base/model/program_check.h"
#include "base/result.h"
#include "config/program_task_pattern.h"
#include "profilers/inject/kernel_record.h"

#include <string>
#include <vector>

namespace warpmind::profilers {

/// "space::scan" for "_ZN5space4scanIfEEvPT_"; a name that is not mangled stays.
[[nodiscard]] std::string plain_kernel_name(const std::string& mangled);

/// Which of a program's kernels a task times. A pattern must match the whole plain name, or its
/// last part.
class KernelSelection {
 public:
  /// Errors: invalid_argument for a pattern.
  [[nodiscard]] static Result<KernelSelection> compile(const std::vector<std::string>& patterns);
  [[nodiscard]] bool takes(const std::string& plain_name) const;
  /// The first pattern that takes none of `names`; empty = each takes one.
  [[nodiscard]] std::string idle_pattern(const std::vector<KernelTimes>& kernels) const;

 private:
  struct Entry {
    std::string text;
    config::ProgramPattern pattern;
  };
  explicit KernelSelection(std::vector<Entry> entries) : entries_(std::move(entries)) {}
  std::vector<Entry> entries_;
};

/// Most total time first.
[[nodiscard]] std::vector<KernelTimes> times_per_kernel(const KernelRecord& record,
                                                        const KernelSelection& selection);

}  // namespace warpmind::profilers
