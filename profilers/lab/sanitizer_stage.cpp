#include "profilers/lab/kernel_judging.h"
#include "profilers/sanitizer/sanitizer_command.h"
#include "profilers/sanitizer/sanitizer_gate.h"

#include <utility>

namespace warpmind::profilers {

KernelJudging::Continue KernelJudging::sanitize() {
  const bool baseline = order_.incumbent == nullptr;
  if (!baseline && !promising_) return true;  // promote() says that it goes no further
  begin(Stage::sanitizer);
  auto program = find_sanitizer(parts_.settings.lab.sanitizer, parts_.toolchain.root());
  const SanitizerOrder order{candidate_, parts_.pool.place(), std::move(program), order_.effort,
                             bounds_checked_};
  WARPMIND_TRY(auto end, run_sanitizers(*judging_, order));
  verdict_.findings.insert(verdict_.findings.end(), end.findings.begin(), end.findings.end());
  if (end.failure) {
    verdict_.comparison.reset();  // of a kernel that is wrong no time is worth anything
    return stop_with(Stage::sanitizer, std::move(*end.failure));
  }
  return pass(Stage::sanitizer, std::move(end.detail));
}

}  // namespace warpmind::profilers
