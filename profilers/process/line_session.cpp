#include "profilers/process/line_session.h"

#include "profilers/process/stop_signal.h"

#include <array>
#include <chrono>
#include <poll.h>
#include <utility>

namespace warpmind::profilers {

LineSession::LineSession(Child child, SessionLimits limits)
    : child_(std::move(child)), limits_(limits) {
  answers_.limit = limits.line_bytes;
  output_.limit = limits.captured_bytes;
  diagnostics_.limit = limits.captured_bytes;
}

Result<LineSession> LineSession::start(ProcessOrder order, SessionLimits limits) {
  WARPMIND_TRY(auto child, Child::start(std::move(order)));
  return LineSession(std::move(child), limits);
}

SessionAnswer LineSession::finish(ProcessEnd end) {
  child_.kill();
  end_ = end;
  drain_text();
  return {std::nullopt, end};
}

void LineSession::drain_text() {
  auto& channels = child_.channels();
  const bool on_report = limits_.answers == AnswerChannel::report;
  drain(channels.output, on_report ? output_ : answers_);
  drain(channels.report, on_report ? answers_ : output_);
  drain(channels.diagnostics, diagnostics_);
}

std::optional<std::string> LineSession::take_line() {
  const std::size_t at = answers_.text.find('\n');
  if (at == std::string::npos) return std::nullopt;
  std::string line = answers_.text.substr(0, at);
  answers_.text.erase(0, at + 1);
  return line;
}

SessionAnswer LineSession::exchange(std::string_view line, Deadline deadline,
                                    const std::stop_token& stop) {
  if (end_) return {std::nullopt, *end_};
  // An answer to a question not yet asked is no answer.
  drain_text();
  if (!answers_.text.empty()) return finish({EndKind::output_limit, 0});
  const StopSignal stop_signal(stop);
  const std::string message = std::string(line) + '\n';
  std::string_view pending = message;
  while (true) {
    auto& channels = child_.channels();
    std::array<pollfd, 6> waits{{{pending.empty() ? -1 : channels.input.get(), POLLOUT, 0},
                                 {channels.output.get(), POLLIN, 0},
                                 {channels.diagnostics.get(), POLLIN, 0},
                                 {channels.report.get(), POLLIN, 0},
                                 {child_.end_descriptor(), POLLIN, 0},
                                 {stop_signal.descriptor(), POLLIN, 0}}};
    ::poll(waits.data(), waits.size(), poll_timeout(deadline));
    feed(channels.input, pending);
    drain_text();
    if (waits[5].revents != 0) return finish({EndKind::cancelled, 0});
    if (auto answer = take_line()) return {std::move(answer), {}};
    if (answers_.cut) return finish({EndKind::output_limit, 0});
    if (auto end = child_.poll_end()) {
      drain_text();  // written between the last look and the end
      if (auto answer = take_line()) return {std::move(answer), {}};
      return finish(*end);
    }
    if (std::chrono::steady_clock::now() >= deadline) return finish({EndKind::deadline, 0});
  }
}

bool LineSession::alive() { return !end_ && !child_.poll_end(); }

ProcessEnd LineSession::close(Deadline deadline) {
  if (end_) return *end_;
  child_.channels().input.reset();
  while (true) {
    auto& channels = child_.channels();
    std::array<pollfd, 4> waits{{{channels.output.get(), POLLIN, 0},
                                 {channels.diagnostics.get(), POLLIN, 0},
                                 {channels.report.get(), POLLIN, 0},
                                 {child_.end_descriptor(), POLLIN, 0}}};
    ::poll(waits.data(), waits.size(), poll_timeout(deadline));
    drain_text();
    if (auto end = child_.poll_end()) return finish(*end).end;
    if (std::chrono::steady_clock::now() >= deadline) return finish({EndKind::deadline, 0}).end;
  }
}

}  // namespace warpmind::profilers
