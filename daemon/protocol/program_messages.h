#pragma once
/// \file
/// Whole programs (`program.lift`, `program.rewrite`), as values. Names on the wire are the field
/// names. The daemon reads files; it never runs the program.

#include "base/model/task.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warpmind::daemon::protocol {

struct ProgramLiftParams {
  std::string source;  ///< absolute path of a CUDA file
  std::string record;  ///< absolute path of a launch record of a run of it
  std::string name;    ///< begins the names of the tasks
};

/// Launches that are optimised together.
struct ProgramPartMessage {
  std::string name;
  std::vector<std::string> kernels;
  std::int64_t times = 1;  ///< how often the recorded run launched just this
  Task task;
  std::string refusal;  ///< why a better kernel cannot be written back
  std::vector<std::string> notes;
};

/// A kernel, a part or a host edit that is left as it is.
struct LeftOut {
  std::string name;
  std::string reason;
  bool operator==(const LeftOut&) const = default;
};

struct ProgramLiftResult {
  std::vector<ProgramPartMessage> parts;
  std::vector<LeftOut> skipped;  ///< kernels
  std::vector<std::string> notes;
  std::string launches;               ///< equal for runs with the same launches: a count and a hash
  std::vector<std::string> faults;    ///< of the recorded run, a sentence each; then no parts
  std::vector<std::string> findings;  ///< launches that CUDA refused, what checks found
};

struct PartKernelMessage {
  std::string part;
  Kernel kernel;
};

struct ProgramRewriteParams {
  std::string source;
  std::string record;
  std::vector<PartKernelMessage> kernels;
  bool assume_shapes = false;
  std::vector<std::string> host_edits;  ///< names of host edits; applied first
};

struct ProgramRewriteResult {
  std::string text;
  std::vector<std::string> written;  ///< parts
  std::vector<LeftOut> refused;      ///< parts
  std::vector<std::string> edited;   ///< host edits
  std::vector<LeftOut> unedited;     ///< host edits
};

/// One part at the end of `warpmind optimize FILE.cu --run`: a line of its table.
struct ProgramPartReport {
  std::string name;
  std::vector<std::string> kernels;
  std::int64_t times = 1;
  std::string job;  ///< empty: nothing was submitted
  std::string outcome;
  double given_ns = 0;  ///< 0: not known
  double best_ns = 0;
  double gain = 1;
  bool predicted = false;               ///< by the simulator's model, not measured
  std::vector<std::string> techniques;  ///< of the best kernel, in order
  bool written = false;                 ///< the program uses it
  std::string reason;                   ///< why not, or what is left out
  std::string inputs;                   ///< what they are: recorded, like the recorded, invented
  std::vector<std::string> notes;
};

/// The document of `warpmind optimize FILE.cu --run --json`. Not a message of the wire.
struct ProgramReport {
  std::string source;
  std::string output;    ///< file of the optimised program; empty: none was written
  std::string folder;    ///< record, tasks
  std::string verified;  ///< "same output", …; empty: it was not run
  std::vector<ProgramPartReport> parts;
  std::vector<std::string> findings;    ///< what went wrong in the recorded run, a sentence each
  std::vector<LeftOut> skipped;         ///< kernels
  std::vector<std::string> host_edits;  ///< made
  std::vector<LeftOut> unedited;        ///< host edits
  std::vector<std::string> notes;
  std::string rejected;      ///< file of an optimised program that failed its proof
  bool was_stopped = false;  ///< by Ctrl-C, before a program could be written
};

/// What a host edit would do to a source, in `moves.explain`.
struct ExplainedHostEdit {
  std::string name;
  std::string rationale;
  std::string refusal;              ///< why it does not apply
  std::vector<std::string> places;  ///< what is edited, a clause each
  std::string text;                 ///< the whole source after it; empty when refused
};

}  // namespace warpmind::daemon::protocol
