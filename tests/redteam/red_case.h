#pragma once
/// \file
/// The corpus of tests/redteam/cases: kernels that cheat, and honest ones that look like them.

#include "base/model/kernel.h"
#include "base/model/task.h"
#include "base/model/verdict.h"
#include "base/result.h"

#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace warpmind::redteam {

/// One section of a file: what follows "//@ case NAME" up to the next one. Its own lines:
///   //@ task NAME          folder of tasks/ or tests/redteam/tasks/ whose kernel is replaced;
///   none: only the source is checked
///   //@ tier b             a host function `run`
///   //@ timed              the timed workloads, made small, decide as well
///   //@ simulator          says nothing about a GPU
///   //@ expect OUTCOME     of a verdict, or `accepted`: none of the failures; or `no_gain`: a
///   kernel that is right and keeps what it computed, which may be refused but not called faster
///   //@ reason TEXT        stands in the verdict's reason
///   //@ by_given WHY       accepted where the given kernel is the reference: what it does wrong
///   cannot be seen there
///   //@ unseen             a device alone may well compute the right result
///   //@ scratch NAME DTYPE ELEMENTS [zeroed]
///   //@ edit FROM => TO    of the task's own kernel, in place of a source: the first FROM; \n is a
///   new line
///   //@ launch KERNEL | GRID | BLOCK | ARGUMENTS [| SHARED BYTES]    in place of the task's
///   launches
///   //@ cooperative        the launch above it
struct RedCase {
  std::string name;  ///< "e08_cached_by_pointer.leaves_the_output"
  std::string task;
  Kernel kernel;                   ///< its plan is empty when the task's holds
  std::optional<Outcome> outcome;  ///< nullopt: accepted
  bool no_gain = false;            ///< a cheat without an outcome of its own
  std::string reason;
  std::string by_given = {};  ///< why a task without reference cannot tell; empty = it must
  std::vector<std::pair<std::string, std::string>> edits = {};
  bool timed = false;      ///< the simulator checks the timed workloads by a sample of their blocks
  bool simulator = false;  ///< there is nothing of the kind on a GPU
  bool unseen = false;     ///< only the simulator's checks are sure to see it

  [[nodiscard]] bool is_cheat() const { return outcome.has_value() || no_gain; }
};
std::ostream& operator<<(std::ostream& out, const RedCase& one);

/// Errors: invalid_argument as "FILE: …".
[[nodiscard]] Result<std::vector<RedCase>> read_cases(const std::filesystem::path& file);
/// Of all files of the folder, by name.
[[nodiscard]] Result<std::vector<RedCase>> read_corpus(const std::filesystem::path& folder);

/// The case's kernel with the plan that it needs for the task.
[[nodiscard]] Kernel kernel_for(const RedCase& one, const Task& task);

}  // namespace warpmind::redteam
