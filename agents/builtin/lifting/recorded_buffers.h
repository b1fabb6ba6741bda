#pragma once
/// \file
/// What the buffers of a recorded program are to a task: arguments or scratch.

#include "agents/builtin/lifting/launch_matching.h"

#include <map>
#include <string>
#include <vector>

namespace warpmind::agents::builtin {

struct RecordedBuffers {
  std::vector<Argument> arguments;
  std::vector<ScratchBuffer> scratch;
  std::map<std::size_t, std::string> names;  ///< by position in ProgramRecord::allocations
  std::vector<std::string> notes;            ///< as RecordedTask::notes
};

[[nodiscard]] RecordedBuffers buffers_of(const MatchedProgram& program,
                                         const profilers::ProgramRecord& record);

}  // namespace warpmind::agents::builtin
