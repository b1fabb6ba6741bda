#pragma once
/// \file
/// Rewritten device code as an addition to the program that it was made from.

#include "agents/builtin/syntax.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace warpmind::agents::builtin {

/// Collects what several rewritten kernels add to one program. What the program already says, word
/// for word, is not said again; kernels and functions that differ get names of their own.
class DeviceMerge {
 public:
  /// `program` must outlive it.
  explicit DeviceMerge(const CudaSource& program);

  struct Addition {
    std::string text;
    std::map<std::string, std::string> kernels;  ///< name in the rewritten source → in the program
  };
  /// `part` becomes part of new names, `kernels` are those that are launched. Errors:
  /// invalid_argument with one clause when a name would stand for two things.
  [[nodiscard]] Result<Addition> add(const std::string& part, const CudaSource& rewritten,
                                     const std::set<std::string>& kernels);
  /// A name that neither the program nor an addition uses.
  [[nodiscard]] std::string free_name(const std::string& wish);

 private:
  const CudaSource& program_;
  std::set<std::string> said_;   ///< items, without comments and layout
  std::set<std::string> names_;  ///< that stand for something at file level
};

}  // namespace warpmind::agents::builtin
