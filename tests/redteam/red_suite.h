#pragma once
/// \file
/// What every run of the corpus does alike, whichever lab judges: selection, expectation, tally.

#include "base/model/task.h"
#include "base/model/verdict.h"
#include "base/result.h"
#include "config/settings.h"
#include "tests/redteam/red_case.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace warpmind::redteam {

/// The whole corpus, read once. A corpus that cannot be read fails the running test.
const std::vector<RedCase>& corpus();
/// Those that replace the kernel of a task, or those whose source alone is read.
std::vector<RedCase> corpus_with(bool task);
std::string test_name(const testing::TestParamInfo<RedCase>& tested);

/// The task of tests/redteam/tasks/NAME or tasks/NAME. Errors: as config::load_task.
[[nodiscard]] Result<Task> corpus_task(const std::string& name);
/// The same as if it had been lifted from a program: its kernel is the only reference.
[[nodiscard]] Task as_lifted(Task task);
/// Programs of this build for a lab; a case that hangs costs three seconds a run.
void use_suite_settings(config::Settings& settings);

/// A source of host functions, by the static rules alone.
[[nodiscard]] Verdict judge_source(const RedCase& one);

/// Whether the verdict is what the case deserves.
enum class Fit {
  right,         ///< a cheat refused with its outcome and reason, or an honest kernel not refused
  other_reason,  ///< a cheat refused otherwise
  missed,        ///< a cheat that passed
  refused,       ///< an honest kernel that failed
  unjudged,      ///< the lab could not say
};
[[nodiscard]] Fit fit_of(const RedCase& one, const Verdict& verdict);
/// The same for a lab without the simulator's checks: a device cannot tell a read out of bounds or
/// a race from a wrong result, so a cheat may end `wrong` as well as `crashed`, in other words, and
/// does not know what an endless wait waits for.
[[nodiscard]] Fit fit_on_device_alone(const RedCase& one, const Verdict& verdict);
void expect_right(const RedCase& one, const Verdict& verdict, Fit fit);
/// Of a task without its reference: a cheat may be refused for another reason, and an exception
/// must be one.
void expect_right_by_given(const RedCase& one, const Verdict& verdict);

/// Counts verdicts. A case judged twice counts twice.
class Tally {
 public:
  void add(const RedCase& one, const Verdict& verdict, Fit fit);

  /// Two lines for a person, the second with the stages that refused cheats.
  [[nodiscard]] std::string describe() const;
  /// " cheats=… right=… …", each name behind `prefix`.
  [[nodiscard]] std::string figures(const std::string& prefix) const;
  [[nodiscard]] int count(bool honest, Fit fit) const;
  /// Cases that got different outcomes when judged again.
  [[nodiscard]] int flips() const;

 private:
  [[nodiscard]] int all(bool honest) const;

  std::map<std::pair<bool, Fit>, int> fits_;
  std::map<Stage, int> catches_;
  std::map<std::string, std::set<Outcome>> outcomes_;
};

}  // namespace warpmind::redteam
