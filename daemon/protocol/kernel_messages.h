#pragma once
/// \file
/// What can be done to a kernel without running it (`moves.explain`), as values. Names on the wire
/// are the field names.

#include "base/model/kernel.h"
#include "daemon/protocol/program_messages.h"

#include <optional>
#include <string>
#include <vector>

namespace warpmind::daemon::protocol {

struct MovesExplainParams {
  std::string directory;   ///< absolute path of a task folder, or
  std::string source;      ///< CUDA text by itself: no launch is known
  std::string device;      ///< key of the device table; "" = lab.target
  std::string technique;   ///< "" = all
  std::string parameters;  ///< of the one technique
};

struct ExplainedMove {
  std::string parameters;
  double predicted_gain = 1;  ///< factor, by the agent's own model: nothing was measured
  bool operator==(const ExplainedMove&) const = default;
};

struct ExplainedTechnique {
  std::string technique;
  std::string rationale;
  std::string parameters;            ///< their range, for a person
  std::vector<ExplainedMove> moves;  ///< best first
  std::string refusal;               ///< why there is none
  std::vector<std::string> kernels;  ///< functions that the first move changes or adds
  std::optional<Kernel> rewritten;   ///< by the first move
};

struct MovesExplainResult {
  std::string name;    ///< of the task; empty for bare source
  std::string device;  ///< that gains were guessed for
  Kernel kernel;       ///< as given
  std::vector<ExplainedTechnique> techniques;
  std::string note;                     ///< what is not known, and how to tell it
  std::vector<ExplainedHostEdit> host;  ///< of bare source
};

}  // namespace warpmind::daemon::protocol
