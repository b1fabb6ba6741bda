#include "agents/builtin/hosting/host_edits.h"

#include "agents/builtin/hosting/all_host_edits.h"

#include <array>

namespace warpmind::agents::builtin {
namespace {

struct KnownHostEdit {
  std::string_view name;
  std::string_view rationale;
  HostEditPlan (*plan)(const CudaSource&);
};

constexpr std::array<KnownHostEdit, 3> kHostEdits{{
    {"direct_output", "a kernel that writes where the result shall be saves a copy and a buffer",
     direct_output},
    {"drop_redundant_sync",
     "launches on one stream run in order by themselves; a wait between them leaves the device "
     "idle. Errors of the first kernel are seen at the next wait",
     drop_redundant_sync},
    {"stream_ordered_alloc",
     "cudaMalloc and cudaFree wait for the device; the stream's pool does not, and keeps the "
     "memory for the next call",
     stream_ordered_alloc},
}};

HostEdit edit_of(const KnownHostEdit& known, const CudaSource& program) {
  HostEditPlan plan = known.plan(program);
  HostEdit edit;
  edit.name = known.name;
  edit.rationale = known.rationale;
  edit.refusal = std::move(plan.refusal);
  if (plan.edits.empty() && edit.refusal.empty()) edit.refusal = "there is nothing to edit";
  if (!edit.refusal.empty()) return edit;
  edit.places = std::move(plan.places);
  edit.text = apply_edits(program.tree.source(), std::move(plan.edits));
  return edit;
}

}  // namespace

std::vector<HostEdit> host_edits(const CudaSource& program) {
  std::vector<HostEdit> edits;
  edits.reserve(kHostEdits.size());
  for (const auto& known : kHostEdits) edits.push_back(edit_of(known, program));
  return edits;
}

Result<HostEdit> host_edit(std::string_view name, const CudaSource& program) {
  std::string names;
  for (const auto& known : kHostEdits) {
    if (known.name == name) return edit_of(known, program);
    names += (names.empty() ? "" : ", ") + std::string(known.name);
  }
  return fail(Errc::not_found, "there is no host edit '" + std::string(name.substr(0, 64)) +
                                   "'; there are " + names);
}

}  // namespace warpmind::agents::builtin
