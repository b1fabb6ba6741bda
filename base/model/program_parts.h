#pragma once
/// \file
/// A recorded program cut into parts that are optimised one by one, and what is done to its text.

#include "base/model/kernel.h"
#include "base/model/task.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warpmind {

/// A kernel, a part or a host edit that is left as it is.
struct LeftOut {
  std::string name;
  std::string reason;  ///< one clause without a full stop
  bool operator==(const LeftOut&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("name", self.name);
    field.required("reason", self.reason);
  }
};

/// A kernel, or launches that follow each other and pass data on, so that they may become one.
struct LaunchGroup {
  std::string name;                  ///< "scale", "scale_sum_rows"
  std::vector<std::string> kernels;  ///< by launch of the task's given plan
  std::int64_t times = 1;
  std::vector<std::string> notes;  ///< a clause each

  static void describe(auto& self, auto& field) {
    field.required("name", self.name);
    field.required("kernels", self.kernels);
    field.required("times", self.times, "how often the recorded run launched just this");
    field.required("notes", self.notes);
  }
};

struct ProgramPart : LaunchGroup {
  /// As `kernels`: positions in ProgramRecord::launches. Not described: it stays in the process.
  std::vector<std::size_t> launches = {};
  Task task = {};
  std::string refusal = {};

  static void describe(auto& self, auto& field) {
    LaunchGroup::describe(self, field);
    field.required("task", self.task);
    field.required("refusal", self.refusal, "why a better kernel cannot be written back");
  }
};

/// What is told of a recorded run beside its parts.
struct RunNotes {
  std::vector<LeftOut> skipped;  ///< kernels, each once
  std::vector<std::string> notes;
  std::vector<std::string> findings;
};

struct LiftedProgram : RunNotes {
  std::vector<ProgramPart> parts;
  std::string launches;
  std::vector<std::string> faults;

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

/// A better kernel for the part of that name.
struct PartKernel {
  std::string part;
  Kernel kernel;

  static void describe(auto& self, auto& field) {
    field.required("part", self.part);
    field.required("kernel", self.kernel);
  }
};

struct RewrittenProgram {
  std::string text;
  std::vector<std::string> written;
  std::vector<LeftOut> refused;

  static void describe(auto& self, auto& field) {
    field.required("text", self.text, "of the whole program");
    field.required("written", self.written, "parts that use their better kernel");
    field.required("refused", self.refused, "parts that do not: each with `name`, `reason`");
  }
};

/// An edit of host code that makes a program wait less.
struct HostEdit {
  std::string name;       ///< "drop_redundant_sync"
  std::string rationale;  ///< why it can help, and what it changes besides
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

}  // namespace warpmind
