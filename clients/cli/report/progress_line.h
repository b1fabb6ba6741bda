#pragma once
/// \file
/// Live progress of a job: one line that is rewritten on a terminal, one line a kernel elsewhere.

#include "clients/cli/console.h"
#include "daemon/protocol/messages.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <ostream>
#include <string>
#include <utility>

namespace warpmind::clients {

/// For how long the job has been watched, and its stage has run.
struct ProgressTimes {
  std::chrono::seconds job{0};
  std::chrono::seconds stage{0};
};

/// "[2/24] warp_per_output: measuring 4 s   best 31.4×   0:21", at most `columns` wide: what is
/// being done now. The figures at the end stay when the rest is cut.
[[nodiscard]] std::string render_progress(const daemon::protocol::ProgressParams& progress,
                                          ProgressTimes times, std::size_t columns);

/// "[2/24] warp_per_output lanes=32: improved, 31.4x   best 31.4×": what came of a kernel, for a
/// log; at most 120 columns.
[[nodiscard]] std::string render_milestone(const daemon::protocol::ProgressParams& progress);

enum class ProgressStyle { rewritten, lines, silent };

/// Writes progress to a stream. The rewritten line is cleared by clear() and by the destructor.
class ProgressDisplay {
 public:
  using Now = std::function<std::chrono::steady_clock::time_point()>;

  /// `columns` of the terminal. `out` must outlive the object.
  ProgressDisplay(std::ostream& out, ProgressStyle style, std::size_t columns,
                  Now now = std::chrono::steady_clock::now)
      : out_(out), style_(style), columns_(columns), now_(std::move(now)) {}
  /// On the console's standard error: rewritten on a terminal, lines elsewhere.
  explicit ProgressDisplay(Console& console)
      : ProgressDisplay(console.err,
                        console.err_is_terminal ? ProgressStyle::rewritten : ProgressStyle::lines,
                        console.columns) {}
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;
  ~ProgressDisplay() { clear(); }

  void show(const daemon::protocol::ProgressParams& progress);
  /// Rewrites the line with the times of now; call it about every second.
  void tick();
  /// A sentence that stays, above the rewritten line; printed in every style.
  void note(const std::string& sentence);
  void clear();

 private:
  void rewrite();
  void write_line(const daemon::protocol::ProgressParams& progress);

  std::ostream& out_;
  ProgressStyle style_;
  std::size_t columns_;
  Now now_;
  daemon::protocol::ProgressParams last_;
  std::chrono::steady_clock::time_point job_since_;
  std::chrono::steady_clock::time_point stage_since_;
  std::string written_;
  bool shown_ = false;
};

}  // namespace warpmind::clients
