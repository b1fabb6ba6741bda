#pragma once
/// \file
/// What an export wrote and what it left out.

#include <cstdint>
#include <string>
#include <vector>

namespace warpmind {

struct ExportCounts {
  std::int64_t lines = 0;
  std::int64_t episodes = 0;
  std::int64_t tasks = 0;
  std::int64_t heldout = 0;
  std::int64_t other_provider = 0;
  std::int64_t no_reasoning = 0;
  std::int64_t duplicates = 0;
  std::int64_t unbalanced = 0;
  std::vector<std::string> notes;

  static void describe(auto& self, auto& field) {
    field.required("lines", self.lines, "written");
    field.required("episodes", self.episodes, "with at least one line");
    field.required("tasks", self.tasks, "with at least one line");
    field.required("heldout", self.heldout,
                   "attempts left out: of held-out tasks, or their kernels");
    field.required("other_provider", self.other_provider, "episodes left out: another provider's");
    field.required("no_reasoning", self.no_reasoning,
                   "`concur`: attempts left out without reasoning text");
    field.required("duplicates", self.duplicates, "`concur`: picks left out as copies");
    field.required("unbalanced", self.unbalanced, "`concur`: picks left out by the balance");
    field.required("notes", self.notes, "what a reader should know");
  }
};

}  // namespace warpmind
