#pragma once
/// \file
/// What the daemon tells the judge (warpmind-judge) and what it says back: one JSON object a line,
/// requests on standard input, replies on standard output. A judge serves one candidate. It owns
/// seeds, inputs, the double-precision reference and the verdict, and never loads candidate code.

#include "base/enum_names.h"
#include "base/model/task.h"
#include "base/model/verdict.h"
#include "profilers/job/perturbed_run.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpmind::profilers {

enum class JudgeCommand { prepare, compare, admit, relate, compare_related };

/// Which kinds of inputs the cases of a workload have.
enum class InputChoice {
  dealt,      ///< the plainest first, then as the deck deals them
  every,      ///< every kind at least once
  uneven,     ///< the first case has rows that differ most: all that one case can show
  continued,  ///< as the deck deals them: the workload has had its first case before, alone
};

}  // namespace warpmind::profilers

namespace warpmind {
WARPMIND_ENUM_NAMES(profilers::InputChoice, {profilers::InputChoice::dealt, "dealt"},
                    {profilers::InputChoice::every, "every"},
                    {profilers::InputChoice::uneven, "uneven"},
                    {profilers::InputChoice::continued, "continued"});
WARPMIND_ENUM_NAMES(profilers::JudgeCommand, {profilers::JudgeCommand::prepare, "prepare"},
                    {profilers::JudgeCommand::compare, "compare"},
                    {profilers::JudgeCommand::admit, "admit"},
                    {profilers::JudgeCommand::relate, "relate"},
                    {profilers::JudgeCommand::compare_related, "compare_related"});
}  // namespace warpmind

namespace warpmind::profilers {

struct JudgeJob {
  JudgeCommand command = JudgeCommand::prepare;
  // prepare; admit takes these, too, and draws at least two inputs a workload
  Task task;                      ///< without kernel
  std::string reference_library;  ///< absolute path of the built reference
  std::string directory;  ///< job directory: inputs are written to in/, outputs expected in out/
  std::vector<std::string> workloads;
  std::int64_t seeds = 6;                   ///< cases a workload; `every` may make it more
  InputChoice inputs = InputChoice::dealt;  ///< prepare
  std::uint64_t fixed_seed = 0;             ///< of the inputs; 0 = drawn from getrandom
  // compare
  std::vector<std::string> cases;  ///< ids from an earlier prepare in this process
  double baseline_error = 0;       ///< reduction class; 0 = this is the baseline
  /// prepare, for a task without reference: the job directory of the given kernel's runner. It gets
  /// the same inputs, and its outputs are what is expected. Empty: the cases are not compared.
  std::string expected_directory;
  /// prepare, with expected_directory: some cases may be probes.
  bool probes = false;
  /// compare: only some blocks ran. Elements that nobody wrote are left out, and outputs that are
  /// inputs as well; `elements` of the answer counts what was compared.
  bool partial = false;
  /// compare: the candidate is the given kernel itself. It must compute its own bytes again (where
  /// it is deterministic), and its outputs on timed workloads must say something.
  bool given_itself = false;
  /// compare, where the given kernel is the reference: its perturbed runs lie beside its outputs.
  /// Without them, cases that fail are doubtful, and wait.
  std::vector<PerturbedRun> perturbed = {};
  /// compare: the given kernel's runs differ, so that every case is doubtful.
  bool doubt_all = false;
  /// relate: prepares `seeds` groups of runs of the one workload named, between which this must
  /// hold. compare_related then compares all groups that wait.
  Relation relation = {};
  /// relate: instead, runs on the same inputs, which must stay within a quarter of the tolerance.
  bool repetition = false;
  bool operator==(const JudgeJob&) const = default;
};

struct PreparedCase {
  std::string id;  ///< "<workload>/<number>"
  std::string workload;
  std::string distribution;
  std::map<std::string, std::string> inputs;  ///< argument -> file, relative to the directory
  std::map<std::string, std::string> outputs;
  /// Nobody but the given kernel says whether its inputs are fair (decision 0062).
  bool probes = false;
  bool operator==(const PreparedCase&) const = default;
};

/// Whether a task can tell a kernel from none (reliability of its verdicts; docs/numerics.md).
struct AdmissionReport {
  bool admitted = false;
  std::string refusal;  ///< one sentence naming the control; empty when admitted
  std::vector<std::string> workloads;
  std::int64_t seeds = 0;     ///< inputs drawn a workload
  std::int64_t controls = 0;  ///< control outputs that were compared
  std::string closest;        ///< the control that came nearest to passing, "zeros on y"
  double closest_ratio = 0;   ///< its smallest |error| / tolerance; above 1 in an admitted task
  double varying = 0;         ///< smallest share of an output's elements that depend on the inputs
  double seconds = 0;
  bool operator==(const AdmissionReport&) const = default;
};

struct JudgeReply {
  bool ok = false;
  std::string error;
  std::vector<PreparedCase> cases;  ///< prepare
  Correctness correctness;          ///< compare
  AdmissionReport admission = {};   ///< admit
  /// compare: cases that only perturbed runs can decide; not in `correctness`.
  std::vector<std::string> doubtful = {};
  /// compare: right as far as can be told, but rounding alone moves too much of an output; not in
  /// `correctness`.
  std::vector<std::string> silent = {};
  std::string worst_place = {};  ///< compare: "output 'y', inputs of the distribution 'wide'"
  bool operator==(const JudgeReply&) const = default;
};

}  // namespace warpmind::profilers
