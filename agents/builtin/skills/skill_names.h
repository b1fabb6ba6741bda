#pragma once
/// \file
/// The names that expressions of a skill may use, and a check of an expression before any kernel is
/// there to evaluate it for.

#include "agents/builtin/forms/normal_form.h"
#include "base/result.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::agents::builtin {

/// Facts that every form of a kind has; docs/skills-forms.md says what they mean.
[[nodiscard]] std::span<const std::string_view> facts_of(FormKind kind);
/// Types that a form of a kind may have: "value" of scans.
[[nodiscard]] std::span<const std::string_view> types_of(FormKind kind);

/// One clause that says what is wrong with `expression`, whose names must be in `known`; empty:
/// nothing. Values are not looked at.
[[nodiscard]] std::string mistake_in(std::string_view expression,
                                     const std::vector<std::string>& known);

}  // namespace warpmind::agents::builtin
