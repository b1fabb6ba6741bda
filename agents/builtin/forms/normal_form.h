#pragma once
/// \file
/// What a kernel computes, apart from how: its normal form. A form names what every kernel of its
/// kind has (rows, terms, outputs) and carries the kernel's own code for it as a device struct, the
/// *problem*, around which a skill's template is written. docs/skills.md lists the members of the
/// problem of each kind.

#include "agents/builtin/scene.h"
#include "base/enum_names.h"

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::agents::builtin {

enum class FormKind {
  contraction,   ///< sums of products: dense layers, convolutions
  reduction,     ///< one value a row, of all of its terms; rows may differ in length
  scan,          ///< one value for every prefix of a row
  pointwise,     ///< outputs that do not depend on each other
  window,        ///< outputs that read a neighbourhood: stencils, pooling
  gather,        ///< reads at positions that data name
  scatter,       ///< adds to places that data name: histograms
  selection,     ///< the k best of a row
  sort_pass,     ///< a stable distribution by one digit
  attention,     ///< two contractions with a softmax between
  normalization  ///< rows that are passed over several times: softmax, layer norm
};

}  // namespace warpmind::agents::builtin

namespace warpmind {
WARPMIND_ENUM_NAMES(agents::builtin::FormKind,
                    {agents::builtin::FormKind::contraction, "contraction"},
                    {agents::builtin::FormKind::reduction, "reduction"},
                    {agents::builtin::FormKind::scan, "scan"},
                    {agents::builtin::FormKind::pointwise, "pointwise"},
                    {agents::builtin::FormKind::window, "window"},
                    {agents::builtin::FormKind::gather, "gather"},
                    {agents::builtin::FormKind::scatter, "scatter"},
                    {agents::builtin::FormKind::selection, "selection"},
                    {agents::builtin::FormKind::sort_pass, "sort_pass"},
                    {agents::builtin::FormKind::attention, "attention"},
                    {agents::builtin::FormKind::normalization, "normalization"});
}  // namespace warpmind

namespace warpmind::agents::builtin {

/// A number that a skill may compute with, under a name of lower-case letters.
struct FormFact {
  std::string name;
  /// In the language of launch plans, of every size; empty: it only serves the choice of a skill.
  std::string plan;
  std::vector<std::int64_t> values;  ///< one for each of NormalForm::workloads
};

struct NormalForm {
  FormKind kind = FormKind::pointwise;
  /// Launches of the plan that it covers, one behind the other; a skill's launches replace them.
  std::vector<std::size_t> launches;
  std::string kernel;  ///< function of the first of them; its name names the problem
  std::vector<std::string> workloads;  ///< in which it was found; those that are timed first
  std::size_t timed = 0;               ///< of them, how many are
  /// What kernels around the problem take: "const float* x", and what launches give them: "x".
  std::vector<std::string> parameters, arguments;
  std::string problem;  ///< definition of `struct wm_problem_<kernel>`, members in that order first
  std::map<std::string, std::string, std::less<>> types;  ///< "value" → "float"
  std::vector<FormFact> facts;
  /// What the given launches take in all timed workloads, as far as the finder can tell; 0:
  /// unknown.
  double given_ns = 0;
  /// For people: "exclusive scan of int, sum; rows=1, length=1048576".
  std::string summary;

  [[nodiscard]] const FormFact* fact(std::string_view name) const;
};

/// What the given launches may take in all timed workloads where each goes over all terms, and each
/// of its threads over its share, one behind the other; `counts` are the facts whose product says
/// how many terms there are.
[[nodiscard]] double nanoseconds_one_by_one(const Scene& scene, const NormalForm& form,
                                            std::initializer_list<std::string_view> counts);

/// Finds the forms of one kind: an entry for each that is there. Errors: not_found with one clause
/// that says what stands in the way.
using FormFinder = Result<std::vector<NormalForm>> (*)(const Scene& scene);

/// A kind and what there is of it in the scene, or the clause that says why there is nothing.
struct FormFinding {
  FormKind kind = FormKind::pointwise;
  std::vector<NormalForm> forms;
  std::string refusal;
};

/// One entry for each kind that has a finder; found once for each scene.
[[nodiscard]] const std::vector<FormFinding>& find_forms(const Scene& scene);

}  // namespace warpmind::agents::builtin
