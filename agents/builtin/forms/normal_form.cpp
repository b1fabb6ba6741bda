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

#include <algorithm>
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

double nanoseconds_one_by_one(const Scene& scene, const NormalForm& form,
                              std::initializer_list<std::string_view> counts) {
  constexpr double kTermNs = 36;  ///< of a thread alone on an H200
  constexpr double kBytesATerm = 8;
  constexpr double kAnyBandwidth = 500;
  const double bandwidth = std::max(scene.context().device.memory_bandwidth_gb_s, kAnyBandwidth);
  double sum = 0;
  for (const std::size_t index : form.launches) {
    const auto launches = scene.launches_of(index);
    for (std::size_t at = 0; at < form.timed && at < launches.size(); ++at) {
      double terms = 1;
      for (const auto name : counts) terms *= static_cast<double>(form.fact(name)->values[at]);
      const auto threads = static_cast<double>(std::max<std::int64_t>(launches[at].threads(), 1));
      sum += std::max(terms / threads * kTermNs, terms * kBytesATerm / bandwidth);
    }
  }
  return sum;
}

const std::vector<FormFinding>& find_forms(const Scene& scene) {
  return scene.remembered<Findings>(0, [&] { return look_for_forms(scene); }).all;
}

}  // namespace warpmind::agents::builtin
