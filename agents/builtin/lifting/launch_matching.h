#pragma once
/// \file
/// Recorded launches beside the source that they come from.

#include "agents/builtin/lifting/parameter_use.h"
#include "agents/builtin/lifting/recorded_task.h"
#include "agents/builtin/lifting/template_instance.h"

#include <optional>
#include <string>
#include <vector>

namespace warpmind::agents::builtin {

/// One argument of a launch that can be lifted.
struct MatchedArgument {
  std::string scalar;  ///< as launch plans write it; empty for a buffer
  std::optional<profilers::RecordedPlace> place;
  Dtype dtype = Dtype::f32;  ///< elements of the buffer
  PointerUse use;
};

struct MatchedLaunch {
  std::size_t launch = 0;  ///< position in ProgramRecord::launches
  const Function* kernel = nullptr;
  TemplateValues values;                   ///< of an instance of a template
  std::vector<MatchedArgument> arguments;  ///< by parameter
};

struct MatchedProgram {
  std::vector<MatchedLaunch> launches;
  std::vector<SkippedLaunch> skipped;
};

/// The kernel's name in the source: "sum" for "_ZN1a3sumEPf" and for "_ZN1a3sumILi2EEvPf".
[[nodiscard]] std::string source_name(const std::string& linker_name);

/// The first `count` launches of the record.
[[nodiscard]] MatchedProgram match_launches(const CudaSource& program,
                                            const profilers::ProgramRecord& record,
                                            std::size_t count);

/// How many launches the program makes before it repeats them all; all of them when it does not.
[[nodiscard]] std::size_t launches_before_repetition(const profilers::ProgramRecord& record);

}  // namespace warpmind::agents::builtin
