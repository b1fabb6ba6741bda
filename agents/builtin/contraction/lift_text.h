#pragma once
/// \file
/// The texts of a contraction around a tile template: load functions out of the kernel's own index
/// code, the tail out of its own body.

#include "agents/builtin/contraction/contraction_text.h"
#include "agents/builtin/contraction/separable_terms.h"

namespace warpmind::agents::builtin {

/// Why the text of the kernel cannot be used so, or empty.
[[nodiscard]] std::string lift_left_out(const Scene& scene, const Contraction& contraction);

/// Of the kernel.
[[nodiscard]] std::string lifted_body(const Scene& scene, const Contraction& contraction,
                                      const ContractionTile& tile);

/// The same around a template that takes separable terms; `tile` is for their contraction.
[[nodiscard]] std::string gathered_body(const Scene& scene, const SeparableTerms& terms,
                                        const ContractionTile& tile);

struct PartTexts {
  std::string body;                    ///< of the kernel that sums a part of the terms
  std::vector<TextEdit> sum_of_parts;  ///< make the loops of the given kernel add the parts
};
[[nodiscard]] PartTexts part_texts(const Scene& scene, const Contraction& contraction,
                                   const ContractionTile& tile);

/// The contraction as the problem of a normal form: `struct wm_problem_<kernel>`, whose members
/// docs/skills-forms.md lists. Precondition: lift_left_out() and reserved_name_used() are empty.
struct ProblemText {
  std::string definition;
  std::string output;  ///< type of what the tail stores; empty: not one store of an element
  bool is_output_even = false;  ///< neighbouring columns of a row are neighbours in memory
};
[[nodiscard]] ProblemText problem_text(const Scene& scene, const Contraction& contraction);

/// The first parameter that the kernel changes before its sum, or empty: a problem copies it for
/// each call, functions in the kernel's own body cannot.
[[nodiscard]] std::string parameter_changed(const Scene& scene, const Contraction& contraction);

/// The first name of the file that the kernel uses and that a member of the problem would hide.
[[nodiscard]] std::string reserved_name_used(const Scene& scene, const Contraction& contraction);

}  // namespace warpmind::agents::builtin
