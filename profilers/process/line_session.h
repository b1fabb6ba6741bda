#pragma once
/// \file
/// A child that answers lines with lines, each exchange with a deadline and a way to cancel.

#include "base/result.h"
#include "profilers/process/channel.h"
#include "profilers/process/spawn.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace warpmind::profilers {

/// Where the child writes its answers; the other stream is captured as text.
enum class AnswerChannel { standard_output, report };

struct SessionLimits {
  AnswerChannel answers = AnswerChannel::report;
  std::size_t line_bytes = std::size_t{64} * 1024 * 1024;
  std::size_t captured_bytes = std::size_t{64} * 1024;
};

/// An answer, or why there is none. After an end the session is over.
struct SessionAnswer {
  std::optional<std::string> line;  ///< without its line break
  ProcessEnd end;                   ///< when there is no line
};

class LineSession {
 public:
  /// Errors: as Child::start.
  [[nodiscard]] static Result<LineSession> start(ProcessOrder order, SessionLimits limits);

  /// Writes `line` and a line break, waits for one line. Any end of the child, the deadline, a stop
  /// and a line over the limit end the session: the child is killed and reaped.
  [[nodiscard]] SessionAnswer exchange(std::string_view line, Deadline deadline,
                                       const std::stop_token& stop);

  /// Whether the child still runs.
  [[nodiscard]] bool alive();
  [[nodiscard]] pid_t pid() const { return child_.pid(); }
  /// What outlived the end of the session; null = nothing.
  [[nodiscard]] const std::shared_ptr<StuckProcess>& stuck() const { return child_.stuck(); }
  /// What the child printed so far besides its answers, cut at the limit. Untrusted.
  [[nodiscard]] const std::string& captured_output() const { return output_.text; }
  [[nodiscard]] const std::string& captured_diagnostics() const { return diagnostics_.text; }
  /// Closes the child's input and gives it until `deadline` to leave by itself, then kills it.
  ProcessEnd close(Deadline deadline);

 private:
  LineSession(Child child, SessionLimits limits);
  SessionAnswer finish(ProcessEnd end);
  void drain_text();
  std::optional<std::string> take_line();

  Child child_;
  SessionLimits limits_;
  Capture answers_;
  Capture output_;
  Capture diagnostics_;
  std::optional<ProcessEnd> end_;
};

}  // namespace warpmind::profilers
