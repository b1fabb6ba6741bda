#pragma once
/// \file
/// Library calls for one task as they are tried, and what that taught.

#include "base/model/best_library.h"
#include "base/model/verdict.h"
#include "profilers/baseline/libraries.h"
#include "profilers/baseline/library_calls.h"

#include <set>
#include <string>

namespace warpmind::profilers {

/// A call whose library is here.
struct LibraryTrial {
  const LibraryCall* call = nullptr;
  FoundLibrary library;
};

/// What came of a library call.
struct LibraryTime {
  Outcome outcome = Outcome::same;  ///< same = it computes what the task asks for
  std::string reason;
  double ns = 0;
  std::string choice;  ///< as in RunnerReport
};

/// The fastest call that is right, and what became of the others.
struct LibraryTrials {
  BestLibrary best = {};
  std::string meaning = {};  ///< of the calls that are right
  std::set<std::string> wrong = {};
  std::string detail = {};
  bool was_blocked = false;  ///< one failed for a reason that may pass

  /// Of calls that compute the same, none is tried once one was wrong; and once one was right only
  /// these are.
  [[nodiscard]] bool worth_a_try(const LibraryCall& call) const;
  void add(const LibraryTrial& trial, const LibraryTime& time);
};

}  // namespace warpmind::profilers
