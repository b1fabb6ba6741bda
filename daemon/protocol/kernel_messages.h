#pragma once
/// \file
/// What can be done to a kernel without running it (`moves.explain`), as values. Names on the wire
/// are the field names.

#include "base/model/explained_technique.h"
#include "base/model/program_parts.h"
#include "daemon/protocol/messages.h"

#include <string>
#include <vector>

namespace warpmind::daemon::protocol {

struct MovesExplainParams {
  std::string directory;
  std::string source;
  std::string device;
  std::string technique;
  std::string parameters;

  static void describe(auto& self, auto& field) {
    field.optional("directory", self.directory, "absolute path of a task folder; or");
    field.optional("source", self.source, "CUDA text by itself: no launch is known");
    field.optional("device", self.device, "key of the device table; default `lab.target`");
    field.optional("technique", self.technique, "only this one");
    field.optional("parameters", self.parameters, "only this move of `technique`");
  }
};

struct MovesExplainResult {
  std::string name;
  std::string device;
  Kernel kernel;
  std::vector<ExplainedForm> forms;
  std::vector<ExplainedTechnique> techniques;
  std::string note;
  std::vector<HostEdit> host;

  static void describe(auto& self, auto& field) {
    field.required("name", self.name, "of the task; empty for bare source");
    field.required("device", self.device, "that gains were guessed for");
    field.required("kernel", self.kernel, "as given");
    field.required("forms", self.forms, "what the kernel computes, as far as that is recognised");
    field.required(
        "techniques", self.techniques,
        "each with `technique`, `rationale`, `parameters` (their range), `moves` "
        "(`parameters`, `predicted_gain`: a guess, nothing was measured), `refusal` (why there "
        "is none), `kernels` (functions that the first move changes or adds), `rewritten` (the "
        "kernel after the first move)");
    field.required("note", self.note, "what is not known, and how to tell it");
    field.required(
        "host", self.host,
        "edits of host code, for bare source: each with `name`, `rationale`, `places` (what is "
        "edited), `refusal` (why it does not apply), `text` (the source after it)");
  }
};

// --- Methods

inline constexpr Method<MovesExplainParams, MovesExplainResult> kMovesExplain{
    "moves.explain",
    "Which techniques of the built-in agent apply to a kernel, where, and what they write. "
    "Nothing is built or run."};

[[nodiscard]] std::vector<MethodSpec> kernel_methods();

}  // namespace warpmind::daemon::protocol
