#pragma once
/// \file
/// The judge's work: prepare cases, then compare what a runner made of them.

#include "base/result.h"
#include "profilers/job/judge_job.h"
#include "profilers/judge/case_deck.h"
#include "profilers/judge/given_comparison.h"
#include "profilers/judge/reference_library.h"
#include "profilers/judge/reference_pool.h"
#include "profilers/judge/reference_values.h"
#include "profilers/judge/tolerance.h"

#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::profilers {

/// Serves one candidate. Not thread-safe; its references are computed on threads of its own. A task
/// without reference is judged by what the given kernel's runner left: decision 0019.
class JudgeDesk {
 public:
  /// Never fails as a call: what is wrong is in the reply. Prepare returns when the inputs are on
  /// disk; the references follow in the background, and compare waits for them. A case can be
  /// compared once: its reference may be large, and goes then.
  [[nodiscard]] JudgeReply handle(const JudgeJob& job);

 private:
  struct Case {
    PreparedCase prepared;
    Probe probe = Probe::none;
    std::shared_ptr<const Task> task;
    Sizes sizes;
    std::string directory;
    std::string expected_directory;  ///< of the given kernel's runner, where the task has no
                                     ///< reference
    std::shared_future<std::shared_ptr<const Result<ReferenceValues>>> reference;
  };
  struct Drawing;
  struct DrawnInputs {
    std::map<std::string, std::string> raw;
    std::string distribution;                  ///< as the case names it
    std::optional<ReferenceValues> reference;  ///< where drawing needed it
  };

  Result<std::vector<PreparedCase>> prepare(const JudgeJob& job);
  Result<DrawnInputs> draw_inputs(Drawing& drawing, const Workload& workload, InputDraw draw);
  Result<PreparedCase> prepare_case(Drawing& drawing, const Workload& workload,
                                    const InputDraw& draw);
  Result<JudgeReply> compare(const JudgeJob& job);
  static bool is_doubtful(const Case& one, const JudgeJob& job, const GivenComparison& compared);
  void start_reference(Case& one, const Drawing& drawing,
                       std::map<std::string, std::string> raw_inputs);
  static Result<GivenComparison> compare_case(const Case& one, const JudgeJob& job);
  static Result<GivenComparison> compare_with_reference(const Case& one, const JudgeJob& job);
  static Result<AdmissionReport> admit(const JudgeJob& job);

  std::map<std::string, Case> cases_;
  CaseDeck deck_;
  struct UnevenRows {
    bool calm = false;  ///< an honest kernel does not agree with the reference on all families
    int halvings = 0;   ///< how much nearer to 0 far rows had to come, at most
  };
  std::optional<UnevenRows> uneven_;                 ///< nullopt = not tried yet
  std::map<std::string, std::int64_t> next_number_;  ///< by workload
  std::int64_t next_file_ = 0;
  ReferencePool pool_;  // last: its threads end before what they use goes
};

}  // namespace warpmind::profilers
