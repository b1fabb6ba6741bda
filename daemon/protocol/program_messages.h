#pragma once
/// \file
/// Whole programs (`program.lift`, `program.rewrite`), as values. Names on the wire are the field
/// names. The daemon reads files; it never runs the program.

#include "base/model/task.h"
#include "daemon/protocol/messages.h"

#include <cstdint>
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

/// Launches that are optimised together.
struct ProgramPartMessage {
  std::string name;
  std::vector<std::string> kernels;
  std::int64_t times = 1;
  Task task;
  std::string refusal;
  std::vector<std::string> notes;

  static void describe(auto& self, auto& field) {
    field.required("name", self.name);
    field.required("kernels", self.kernels);
    field.required("times", self.times, "how often the recorded run launched just this");
    field.required("task", self.task);
    field.required("refusal", self.refusal, "why a better kernel cannot be written back");
    field.required("notes", self.notes);
  }
};

/// A kernel, a part or a host edit that is left as it is.
struct LeftOut {
  std::string name;
  std::string reason;
  bool operator==(const LeftOut&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("name", self.name);
    field.required("reason", self.reason);
  }
};

struct ProgramLiftResult {
  std::vector<ProgramPartMessage> parts;
  std::vector<LeftOut> skipped;
  std::vector<std::string> notes;
  std::string launches;
  std::vector<std::string> faults;
  std::vector<std::string> findings;

  static void describe(auto& self, auto& field) {
    field.required(
        "parts", self.parts,
        "launches that are optimised together, most threads first: each with `name`, "
        "`kernels`, `times` (how often the run launched just this), `task`, `refusal` (why a "
        "better kernel cannot be written back), `notes`");
    field.required("skipped", self.skipped, "kernels without a task: each with `name`, `reason`");
    field.required("notes", self.notes, "what of the program the parts do not show");
    field.required(
        "launches", self.launches,
        "count and hash: equal for runs with the same kernels, grids, blocks and scalars in "
        "the same order");
    field.required("faults", self.faults,
                   "what ended all work in that run, a sentence each; then there are no parts");
    field.required("findings", self.findings,
                   "launches that CUDA refused, and what the simulator's checks found");
  }
};

struct PartKernelMessage {
  std::string part;
  Kernel kernel;

  static void describe(auto& self, auto& field) {
    field.required("part", self.part);
    field.required("kernel", self.kernel);
  }
};

struct ProgramRewriteParams {
  std::string source;
  std::string record;
  std::vector<PartKernelMessage> kernels;
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

struct ProgramRewriteResult {
  std::string text;
  std::vector<std::string> written;
  std::vector<LeftOut> refused;
  std::vector<std::string> edited;
  std::vector<LeftOut> unedited;

  static void describe(auto& self, auto& field) {
    field.required("text", self.text, "of the whole program");
    field.required("written", self.written, "parts that use their better kernel");
    field.required("refused", self.refused, "parts that do not: each with `name`, `reason`");
    field.required("edited", self.edited, "host edits that were made");
    field.required("unedited", self.unedited,
                   "those that do not apply: each with `name`, `reason`");
  }
};

/// One part at the end of `warpmind optimize FILE.cu --run`: a line of its table.
struct ProgramPartReport {
  std::string name;
  std::vector<std::string> kernels;
  std::int64_t times = 1;
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
  std::vector<std::string> notes;

  static void describe(auto& self, auto& field) {
    field.required("name", self.name);
    field.required("kernels", self.kernels);
    field.required("times", self.times);
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
    field.required("notes", self.notes);
  }
};

/// The document of `warpmind optimize FILE.cu --run --json`. Not a message of the wire.
struct ProgramReport {
  std::string source;
  std::string output;
  std::string folder;
  std::string verified;
  std::vector<ProgramPartReport> parts;
  std::vector<std::string> findings;
  std::vector<LeftOut> skipped;
  std::vector<std::string> host_edits;
  std::vector<LeftOut> unedited;
  std::vector<std::string> notes;
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

/// What a host edit would do to a source, in `moves.explain`.
struct ExplainedHostEdit {
  std::string name;
  std::string rationale;
  std::string refusal;
  std::vector<std::string> places;
  std::string text;

  static void describe(auto& self, auto& field) {
    field.required("name", self.name);
    field.required("rationale", self.rationale);
    field.required("refusal", self.refusal, "why it does not apply");
    field.required("places", self.places, "what is edited, a clause each");
    field.required("text", self.text, "the whole source after it; empty when refused");
  }
};

// --- Methods

inline constexpr Method<ProgramLiftParams, ProgramLiftResult> kProgramLift{
    "program.lift",
    "Cuts a program into tasks by the record of one of its runs. The daemon reads both files "
    "and runs neither."};
inline constexpr Method<ProgramRewriteParams, ProgramRewriteResult> kProgramRewrite{
    "program.rewrite",
    "Writes better kernels of parts back into the program, and edits its host code."};

[[nodiscard]] std::vector<MethodSpec> program_methods();

}  // namespace warpmind::daemon::protocol
