#include "profilers/process/child_process.h"

#include "profilers/process/channel.h"
#include "profilers/process/stop_signal.h"

#include <array>
#include <chrono>
#include <poll.h>

namespace warpmind::profilers {
namespace {

struct Streams {
  Capture output;
  Capture diagnostics;
  Capture report;

  [[nodiscard]] bool cut() const { return output.cut || diagnostics.cut || report.cut; }
};

void drain_all(Child& child, Streams& streams) {
  drain(child.channels().output, streams.output);
  drain(child.channels().diagnostics, streams.diagnostics);
  drain(child.channels().report, streams.report);
}

/// Until the child ends or has to; returns how.
ProcessEnd attend(Child& child, Streams& streams, const RunLimits& limits,
                  const StopSignal& stop_signal, std::string_view input) {
  while (true) {
    if (input.empty()) child.channels().input.reset();
    auto& channels = child.channels();
    // poll() skips negative descriptors.
    std::array<pollfd, 6> waits{{{channels.input.get(), POLLOUT, 0},
                                 {channels.output.get(), POLLIN, 0},
                                 {channels.diagnostics.get(), POLLIN, 0},
                                 {channels.report.get(), POLLIN, 0},
                                 {child.end_descriptor(), POLLIN, 0},
                                 {stop_signal.descriptor(), POLLIN, 0}}};
    ::poll(waits.data(), waits.size(), poll_timeout(limits.deadline));
    feed(channels.input, input);
    drain_all(child, streams);
    if (waits[5].revents != 0) return {EndKind::cancelled, 0};
    if (limits.end_on_output_limit && streams.cut()) return {EndKind::output_limit, 0};
    if (auto end = child.poll_end()) return *end;
    if (limits.deadline && std::chrono::steady_clock::now() >= *limits.deadline) {
      return {EndKind::deadline, 0};
    }
  }
}

}  // namespace

Result<ProcessOutcome> run_process(ProcessOrder order, const RunLimits& limits,
                                   const std::stop_token& stop, std::string_view input) {
  const StopSignal stop_signal(stop);
  WARPMIND_TRY(auto child, Child::start(std::move(order)));
  Streams streams{{limits.output_bytes, {}, false},
                  {limits.output_bytes, {}, false},
                  {limits.output_bytes, {}, false}};
  ProcessOutcome outcome;
  outcome.end = attend(child, streams, limits, stop_signal, input);
  child.kill();
  outcome.stuck = child.stuck();
  // What was still in the pipes. A process that fled the group may hold them open: one look only.
  drain_all(child, streams);
  outcome.cut = streams.cut();
  outcome.output = std::move(streams.output.text);
  outcome.diagnostics = std::move(streams.diagnostics.text);
  outcome.report = std::move(streams.report.text);
  return outcome;
}

}  // namespace warpmind::profilers
