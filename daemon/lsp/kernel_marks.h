#pragma once
/// \file
/// Where the kernels of a text are, also while it is being written.

#include "syntax/text_edit.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::daemon::lsp {

/// A `__global__` function that has, or is about to have, a body. Offsets in bytes.
struct KernelMark {
  std::string name;
  syntax::Range name_range;
  syntax::Range range;             ///< from `__global__`, or before, to the last brace
  std::size_t parameters_end = 0;  ///< just after the parameter list; 0 = it is not closed yet
};

/// The name in `name<<<…>>>(…)`.
struct LaunchMark {
  std::string kernel;
  syntax::Range name_range;
};

struct KernelMarks {
  std::vector<KernelMark> kernels;  ///< in order
  std::vector<LaunchMark> launches;
};

/// By the grammar where it can read the text; by its words where it cannot. A text above 512 KiB
/// has no marks: it would be read on the thread that serves every client.
[[nodiscard]] KernelMarks find_kernels(const std::string& text);

/// Line, from 0, where the kernel of that name begins; of the first one when there is none of that
/// name, 0 without any.
[[nodiscard]] std::int64_t line_of_kernel(const std::string& text, std::string_view name);

/// The text defines a function `main`: it is a whole program.
[[nodiscard]] bool defines_main(const std::string& text);

}  // namespace warpmind::daemon::lsp
