#pragma once
/// \file
/// What whoever runs a job and whoever watches it tell each other while it runs.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

namespace warpmind {

/// One line of news about a running job.
struct JobProgress {
  std::int64_t step = 0;  ///< the given kernel is not counted
  std::int64_t steps = 0;
  double best_ratio = 1;  ///< product of confirmed ratios so far
  std::string line;
  std::int64_t candidate = 0;
  std::string technique = {};
  std::string stage = {};
  bool milestone = false;

  static void describe(auto& self, auto& field) {
    field.required("step", self.step, "candidates judged so far");
    field.required("steps", self.steps, "candidates in the budget");
    field.required("best_ratio", self.best_ratio, "baseline time / best time so far");
    field.required("line", self.line, "for a person, one line");
    field.required("candidate", self.candidate, "that is worked at, from 1; 0 = the given kernel");
    field.required("technique", self.technique, "of that candidate; empty for the given kernel");
    field.required("stage", self.stage,
                   "what is being done to it now, as `building` or `measuring`; empty = nothing");
    field.required("milestone", self.milestone,
                   "worth a line in a log: a kernel was judged, or memory was asked");
  }
};

/// What is passed along with a job. Functions may be empty and are called on the running thread.
struct JobControl {
  std::function<void(const JobProgress&)> progress = {};
  std::stop_token stop = {};           ///< stops at the next stage
  std::function<bool()> parking = {};  ///< asked once after a stop: true = leave the job as it is,
                                       ///< it will be run again; false or empty = it was cancelled
  std::function<void()> between_steps = {};  ///< called when nothing is under way: others may have
                                             ///< the lane; the time that it takes is nobody's
  std::size_t lane = 0;                      ///< number of the lane that runs it
  bool may_start_again = false;              ///< a start that the machine failed will be repeated
};

}  // namespace warpmind
