#include "agents/builtin/forms/normal_form.h"

#include "agents/builtin/forms/attention_form.h"
#include "agents/builtin/forms/contraction_form.h"
#include "agents/builtin/forms/gather_form.h"
#include "agents/builtin/forms/normalization_form.h"
#include "agents/builtin/forms/pointwise_form.h"
#include "agents/builtin/forms/reduction_form.h"
#include "agents/builtin/forms/scan_form.h"
#include "agents/builtin/forms/scatter_form.h"
#include "agents/builtin/forms/selection_form.h"
#include "agents/builtin/forms/sort_pass_form.h"
#include "agents/builtin/forms/window_form.h"

#include <array>
#include <utility>

namespace warpmind::agents::builtin {
namespace {

struct FinderRow {
  FormKind kind;
  FormFinder find;
};

/// Kinds that are found today; a new one is a row.
constexpr std::array<FinderRow, 11> kFinders{{
    {FormKind::contraction, find_contraction_forms},
    {FormKind::reduction, find_reduction_forms},
    {FormKind::gather, find_gather_forms},
    {FormKind::scan, find_scan_forms},
    {FormKind::scatter, find_scatter_forms},
    {FormKind::selection, find_selection_forms},
    {FormKind::sort_pass, find_sort_pass_forms},
    {FormKind::pointwise, find_pointwise_forms},
    {FormKind::window, find_window_forms},
    {FormKind::attention, find_attention_forms},
    {FormKind::normalization, find_normalization_forms},
}};

/// What `Scene::remembered` keeps.
struct Findings {
  std::vector<FormFinding> all;
};

Findings look_for_forms(const Scene& scene) {
  Findings found;
  for (const FinderRow& row : kFinders) {
    FormFinding finding{row.kind, {}, {}};
    if (auto forms = row.find(scene)) {
      finding.forms = std::move(*forms);
    } else {
      finding.refusal = forms.error().message;
    }
    found.all.push_back(std::move(finding));
  }
  return found;
}

}  // namespace

const FormFact* NormalForm::fact(std::string_view name) const {
  for (const FormFact& one : facts) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

const std::vector<FormFinding>& find_forms(const Scene& scene) {
  return scene.remembered<Findings>(0, [&] { return look_for_forms(scene); }).all;
}

}  // namespace warpmind::agents::builtin
