#pragma once
/// \file
/// The filter for degenerate tasks: no control may pass, and what is right must depend on what is
/// given.

#include "base/model/task.h"
#include "base/result.h"
#include "profilers/job/judge_job.h"
#include "profilers/judge/reference_library.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warpmind::profilers {

/// Tries every control on every output, with the widest tolerance that any kernel could meet, on
/// the plainest distribution of the task. A control passes where every workload of `workloads`
/// accepts it.
/// Then looks at the reference itself: with the narrowest tolerance,
///   sums and elementwise   at most half of the elements may be the same for all inputs, and of the
///                          others 99 % must vary between inputs by 100 tolerances (where a narrow
///                          dtype does not allow that: by half their magnitude and 4 tolerances)
///   exact, integers        at least half of the elements must change between inputs
/// Stops adding inputs after a few seconds, not before three. The same `seed` gives the same
/// answer but for that. Errors: not_found for a workload; as compute_reference().
[[nodiscard]] Result<AdmissionReport> check_admission(const Task& task,
                                                      const ReferenceLibrary& library,
                                                      const std::vector<std::string>& workloads,
                                                      std::int64_t seeds, std::uint64_t seed);

/// The workloads that check_admission() needs: all that are small, else the smallest.
[[nodiscard]] std::vector<std::string> admission_workloads(const Task& task);

}  // namespace warpmind::profilers
