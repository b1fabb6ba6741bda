#pragma once
/// \file
/// Whole programs (`program.lift`, `program.rewrite`), as values. Names on the wire are the field
/// names. The daemon reads files; it never runs the program.

#include "base/model/program_parts.h"
#include "daemon/protocol/messages.h"

#include <string>
#include <vector>

namespace warpmind::daemon::protocol {

struct ProgramLiftParams {
  std::string source;
  std::string record;
  std::string name;

  static void describe(auto& self, auto& field) {
    field.required("source", self.source, "absolute path of a CUDA file");
    field.required("record", self.record, "absolute path of a launch record of a run of it");
    field.required("name", self.name, "begins the names of the tasks");
  }
};

struct ProgramRewriteParams {
  std::string source;
  std::string record;
  std::vector<PartKernel> kernels;
  bool assume_shapes = false;
  std::vector<std::string> host_edits;

  static void describe(auto& self, auto& field) {
    field.required("source", self.source, "as for `program.lift`");
    field.required("record", self.record, "as for `program.lift`");
    field.optional("kernels", self.kernels, "each with `part` and the better `kernel`");
    field.optional("assume_shapes", self.assume_shapes,
                   "true: neither guards nor the given launches (false)");
    field.optional("host_edits", self.host_edits, "names of host edits, applied first");
  }
};

struct ProgramRewriteResult : RewrittenProgram {
  std::vector<std::string> edited;
  std::vector<LeftOut> unedited;

  static void describe(auto& self, auto& field) {
    RewrittenProgram::describe(self, field);
    field.required("edited", self.edited, "host edits that were made");
    field.required("unedited", self.unedited,
                   "those that do not apply: each with `name`, `reason`");
  }
};

/// One part at the end of `warpmind optimize FILE.cu --run`: a line of its table.
struct ProgramPartReport : LaunchGroup {
  std::string job;
  std::string outcome;
  double given_ns = 0;
  double best_ns = 0;
  double gain = 1;
  bool predicted = false;
  std::vector<std::string> techniques;
  bool written = false;
  std::string reason;
  std::string inputs;

  static void describe(auto& self, auto& field) {
    LaunchGroup::describe(self, field);
    field.required("job", self.job, "empty: nothing was submitted");
    field.required("outcome", self.outcome);
    field.required("given_ns", self.given_ns, "0: not known");
    field.required("best_ns", self.best_ns);
    field.required("gain", self.gain);
    field.required("predicted", self.predicted, "by the simulator's model, not measured");
    field.required("techniques", self.techniques, "of the best kernel, in order");
    field.required("written", self.written, "the program uses it");
    field.required("reason", self.reason, "why not, or what is left out");
    field.required("inputs", self.inputs, "what they are: recorded, like the recorded, invented");
  }
};

/// The document of `warpmind optimize FILE.cu --run --json`. Not a message of the wire.
struct ProgramReport : RunNotes {
  std::string source;
  std::string output;
  std::string folder;
  std::string verified;
  std::vector<ProgramPartReport> parts;
  std::vector<std::string> host_edits;
  std::vector<LeftOut> unedited;
  std::string rejected;
  bool was_stopped = false;

  static void describe(auto& self, auto& field) {
    field.required("source", self.source);
    field.required("output", self.output, "file of the optimised program; empty: none was written");
    field.required("folder", self.folder, "record, tasks");
    field.required("verified", self.verified, "\"same output\", …; empty: it was not run");
    field.required("parts", self.parts);
    field.required("findings", self.findings,
                   "what went wrong in the recorded run, a sentence each");
    field.required("skipped", self.skipped, "kernels");
    field.required("host_edits", self.host_edits, "made");
    field.required("unedited", self.unedited, "host edits");
    field.required("notes", self.notes);
    field.required("rejected", self.rejected, "file of an optimised program that failed its proof");
    field.required("was_stopped", self.was_stopped, "by Ctrl-C, before a program could be written");
  }
};

// --- Methods

inline constexpr Method<ProgramLiftParams, LiftedProgram> kProgramLift{
    "program.lift",
    "Cuts a program into tasks by the record of one of its runs. The daemon reads both files "
    "and runs neither."};
inline constexpr Method<ProgramRewriteParams, ProgramRewriteResult> kProgramRewrite{
    "program.rewrite",
    "Writes better kernels of parts back into the program, and edits its host code."};

[[nodiscard]] std::vector<MethodSpec> program_methods();

}  // namespace warpmind::daemon::protocol
