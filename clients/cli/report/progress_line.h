#pragma once
/// \file
/// Live progress of a job: one line that is rewritten on a terminal, one line a change elsewhere.

#include "daemon/protocol/messages.h"

#include <cstddef>
#include <ostream>
#include <string>

namespace warpmind::clients {

/// "j-0000000007  3/24  best 1.42×  judging block_size block_x=512", at most `columns` wide.
[[nodiscard]] std::string render_progress(const daemon::protocol::ProgressParams& progress,
                                          std::size_t columns);

enum class ProgressStyle { rewritten, lines, silent };

/// Writes progress to a stream. The rewritten line is cleared by clear() and by the destructor.
class ProgressDisplay {
 public:
  /// `columns` of the terminal. `out` must outlive the object.
  ProgressDisplay(std::ostream& out, ProgressStyle style, std::size_t columns)
      : out_(out), style_(style), columns_(columns) {}
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;
  ~ProgressDisplay() { clear(); }

  void show(const daemon::protocol::ProgressParams& progress);
  /// A sentence that stays, above the rewritten line; printed in every style.
  void note(const std::string& sentence);
  void clear();

 private:
  std::ostream& out_;
  ProgressStyle style_;
  std::size_t columns_;
  std::string last_;
  bool shown_ = false;
};

}  // namespace warpmind::clients
