#pragma once
/// \file
/// The judge's second desk: runs between which something must hold, whatever the reference says.

#include "base/model/task.h"
#include "base/result.h"
#include "profilers/job/judge_job.h"
#include "profilers/judge/reference_library.h"
#include "profilers/judge/relation_comparison.h"
#include "profilers/judge/relation_inputs.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace warpmind::profilers {

/// Serves one candidate. Not thread-safe. The runs of a group are cases like any other for the
/// runner; they are compared with each other, by the contract's tolerance.
class RelationDesk {
 public:
  [[nodiscard]] static bool serves(JudgeCommand command) {
    return command == JudgeCommand::relate || command == JudgeCommand::compare_related;
  }

  /// Never fails as a call: what is wrong is in the reply.
  [[nodiscard]] JudgeReply handle(const JudgeJob& job);

 private:
  struct Group {
    std::shared_ptr<const Task> task;
    Workload workload;
    std::string directory;
    std::shared_ptr<const ReferenceLibrary> library;  ///< null: the given kernel is the reference
    RelatedRuns related;
    std::vector<PreparedCase> cases;  ///< one a run
  };

  Result<std::vector<PreparedCase>> prepare(const JudgeJob& job);
  Result<void> write_runs(Group& group);
  Result<Correctness> compare(double baseline_error);
  static Result<Correctness> compare_group(const Group& group, double baseline_error);
  static Result<std::vector<RunOutput>> read_outputs(const Group& group, const Argument& argument,
                                                     double baseline_error);

  std::vector<Group> groups_;  ///< that wait to be compared
  std::int64_t next_number_ = 0;
};

}  // namespace warpmind::profilers
