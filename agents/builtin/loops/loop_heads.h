#pragma once
/// \file
/// Heads of loops in the form `for (int i = start; i < bound; i += step)`. Each function changes
/// the first loop that is spelled another way, or nothing.

#include "agents/builtin/loops/kernel_body.h"

#include <vector>

namespace warpmind::agents::builtin {

/// `while (i < n) { …; i += step; }` becomes `for (; i < n; i += step) { … }`.
[[nodiscard]] std::vector<TextEdit> while_as_for(const KernelBody& body);
/// `for (int i = 0, end = 2 * n; …)`: what the loop does not count with is declared above it.
[[nodiscard]] std::vector<TextEdit> split_loop_head(const KernelBody& body);
/// The variable of `int i; for (i = 0; …)` or `for (; i < n; …)` is declared in the head, where
/// nothing after the loop reads it.
[[nodiscard]] std::vector<TextEdit> declared_in_head(const KernelBody& body);

/// `stem`, with a number behind it where the source has that word.
[[nodiscard]] std::string free_name(const SyntaxTree& tree, const std::string& stem);

}  // namespace warpmind::agents::builtin
