#pragma once
/// \file
/// Why a kernel is slow and what an edit does, in the words of a CUDA programmer.

#include "base/model/episode.h"
#include "clients/cli/report/table.h"

#include <string>
#include <string_view>
#include <vector>

namespace warpmind::clients {

/// A file of the user's that holds the kernel, for "kernel.cu:9". Empty = not known.
struct SourceFile {
  std::string name;  ///< as the user would name it
  std::string text;
};

/// "kernel.cu:9"; where `file` is another text than `source`, the one line of it that is like line
/// `line` of `source`. "line 9" without a file; empty when there is no such line.
[[nodiscard]] std::string place_of(const SourceFile& file, std::string_view source, int line);

/// A row for each cause: class, time and share at stake, confidence. Of older records, empty.
[[nodiscard]] Table cause_table(const Bottleneck& bottleneck);

/// What slows the kernel of `given`: the main cause, as "kernel.cu:9 each load of a warp touches 32
/// sectors where 4 would do (up to 91 % of the time)", then the others in one clause. Empty when
/// nothing is known.
[[nodiscard]] std::vector<std::string> reasons_of(const Step& given, const Bottleneck& bottleneck,
                                                  const SourceFile& file);

/// "one warp or more per output": what a technique does; its name in words when it is not known.
[[nodiscard]] std::string technique_words(std::string_view technique);

/// The edits that led from the given kernel to `step`, in their order.
[[nodiscard]] std::vector<std::string> changes_to(const Episode& episode, const Step& step);

/// The bottleneck of the given kernel; null when no candidate was judged.
[[nodiscard]] const Bottleneck* given_bottleneck(const Episode& episode);

}  // namespace warpmind::clients
