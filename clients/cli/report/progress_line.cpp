#include "clients/cli/report/progress_line.h"

#include "clients/cli/report/text.h"
#include "clients/cli/report/units.h"

#include <limits>

namespace warpmind::clients {

std::string render_progress(const daemon::protocol::ProgressParams& progress, std::size_t columns) {
  std::string line = clean_line(progress.job_id);
  if (progress.steps > 0) {
    line += "  " + std::to_string(progress.step) + "/" + std::to_string(progress.steps);
  }
  if (progress.best_ratio != 1) line += "  best " + format_ratio(progress.best_ratio);
  line += "  " + (progress.line.empty() ? std::string(name_of(progress.state))
                                        : clean_line(progress.line));
  return clip(line, columns);
}

void ProgressDisplay::show(const daemon::protocol::ProgressParams& progress) {
  if (style_ == ProgressStyle::silent) return;
  const bool lines = style_ == ProgressStyle::lines;
  // The last column stays free: some terminals wrap as soon as it is written.
  const std::size_t columns = lines          ? std::numeric_limits<std::size_t>::max()
                              : columns_ > 1 ? columns_ - 1
                                             : 1;
  const std::string line = render_progress(progress, columns);
  if (line == last_) return;
  last_ = line;
  if (lines) {
    out_ << line << '\n' << std::flush;
    return;
  }
  out_ << "\r\x1b[K" << line << std::flush;
  shown_ = true;
}

void ProgressDisplay::note(const std::string& sentence) {
  clear();
  out_ << sentence << '\n' << std::flush;
}

void ProgressDisplay::clear() {
  if (shown_) out_ << "\r\x1b[K" << std::flush;
  shown_ = false;
  last_.clear();
}

}  // namespace warpmind::clients
