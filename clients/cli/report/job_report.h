#pragma once
/// \file
/// A job as a person reads it: what came of it, why, what was tried, where the kernel is.

#include "base/model/job.h"
#include "clients/cli/report/text.h"

#include <cstddef>
#include <string>

namespace warpmind::clients {

struct ReportOptions {
  Paint paint;
  std::size_t columns = 100;  ///< sentences are wrapped here; tables are as wide as they need
  std::string output_file;    ///< where the best kernel was written; empty = show the diff
};

/// The whole report of a job in any state. Text that others wrote (names, reasons, compiler output,
/// sources) is made safe to print.
[[nodiscard]] std::string render_job(const Job& job, const ReportOptions& options);

/// The best kernel as one compilable file: its source below a comment that says where it comes
/// from, how fast it is and how it is launched.
[[nodiscard]] std::string kernel_file_text(const Job& job, const Episode& episode);

}  // namespace warpmind::clients
