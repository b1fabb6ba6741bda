#pragma once
/// \file
/// What the built-in agent could do to a kernel, for people and editors.

#include "base/model/kernel.h"

#include <optional>
#include <string>
#include <vector>

namespace warpmind {

struct ExplainedMove {
  std::string parameters;
  double predicted_gain = 1;
  bool operator==(const ExplainedMove&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("parameters", self.parameters);
    field.required("predicted_gain", self.predicted_gain,
                   "factor, by the agent's own model: nothing was measured");
  }
};

/// What launches of a kernel compute, apart from how (agents/builtin/forms).
struct ExplainedForm {
  std::string form;
  std::string kernel;
  std::string summary;
  bool operator==(const ExplainedForm&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("form", self.form, "reduction, scan, contraction, …: what skills are for");
    field.required("kernel", self.kernel, "function of the first launch that computes it");
    field.required("summary", self.summary, "with sizes, for a person");
  }
};

struct ExplainedTechnique {
  std::string technique;
  std::string rationale;
  std::string parameters;
  std::vector<ExplainedMove> moves;
  std::string refusal;
  std::vector<std::string> kernels;
  std::optional<Kernel> rewritten;

  static void describe(auto& self, auto& field) {
    field.required("technique", self.technique);
    field.required("rationale", self.rationale);
    field.required("parameters", self.parameters,
                   "their range, for a person; empty when it has none");
    field.required("moves", self.moves, "best first");
    field.required("refusal", self.refusal, "why there is none");
    field.required("kernels", self.kernels, "functions that the first move changes or adds");
    field.required("rewritten", self.rewritten, "by the first move");
  }
};

}  // namespace warpmind
