#pragma once
/// \file
/// A task made of a program's text alone: the launches that stand in it, with grids, blocks and
/// sizes as far as the text says them.

#include "agents/builtin/syntax.h"
#include "base/model/task.h"
#include "profilers/launch_record/program_record.h"

#include <string>
#include <vector>

namespace warpmind::agents::builtin {

struct TextTask {
  Task task;  ///< its source is the whole program; without launches where none can be read
  std::vector<std::string> notes;  ///< what was assumed, and which launches were not read
};

/// Sizes that only a run would show (parameters of the launching function, what is read from the
/// command line) are assumed, the same for each name. Never fails.
[[nodiscard]] TextTask task_of_text(const CudaSource& program);

}  // namespace warpmind::agents::builtin
