#pragma once
/// \file
/// A job as a person reads it: what came of it, why, what was changed, what to do next.

#include "base/model/job.h"
#include "clients/cli/report/plain_words.h"
#include "clients/cli/report/text.h"

#include <cstddef>
#include <string>

namespace warpmind::clients {

struct ReportOptions {
  Paint paint;
  std::size_t columns = 80;
  std::string output_file;           ///< where the best kernel was written; empty = nowhere
  std::string program = "warpmind";  ///< how the user called it, for the commands to try next
  std::string path = {};             ///< of the task, as typed; empty = where it was read from
  SourceFile source = {};            ///< the user's file of the given kernel
};

/// A job in any state, in about 15 lines. Text that others wrote (names, reasons, compiler output,
/// sources) is made safe to print.
[[nodiscard]] std::string render_job(const Job& job, const ReportOptions& options);

/// All that the episode has to say (tables, metrics, diff, lessons), and the short report below it.
[[nodiscard]] std::string render_job_in_full(const Job& job, const ReportOptions& options);

/// The best kernel as one compilable file: its source below a comment that says where it comes
/// from, how fast it is and how it is launched.
[[nodiscard]] std::string kernel_file_text(const Job& job, const Episode& episode);

}  // namespace warpmind::clients
