#pragma once
/// \file
/// Kernel templates: the instance that a program launched, written out as a plain kernel.

#include "agents/builtin/syntax.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::agents::builtin {

/// By template parameter: "2", "float", "true".
using TemplateValues = std::map<std::string, std::string, std::less<>>;

/// The arguments of "void k<2, float>(float*)", which a demangler wrote: "2", "float".
[[nodiscard]] std::vector<std::string> template_arguments(std::string_view demangled);

/// Errors: invalid_argument with one clause for packs, templates of templates, a count that does
/// not fit, or a template inside of another.
[[nodiscard]] Result<TemplateValues> template_values(const CudaSource& source,
                                                     const Function& kernel,
                                                     const std::vector<std::string>& arguments);

/// Edits that turn the template into the instance: the `template <…>` goes, parameters are replaced
/// in the kernel's head and become constants and aliases at the beginning of its body.
[[nodiscard]] std::vector<TextEdit> instance_edits(const CudaSource& source, const Function& kernel,
                                                   const TemplateValues& values);

}  // namespace warpmind::agents::builtin
