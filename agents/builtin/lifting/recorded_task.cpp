#include "agents/builtin/lifting/recorded_task.h"

#include "agents/builtin/lifting/device_source.h"
#include "agents/builtin/lifting/launch_matching.h"
#include "agents/builtin/lifting/recorded_buffers.h"

#include <algorithm>
#include <set>
#include <utility>

namespace warpmind::agents::builtin {
namespace {

using profilers::ProgramRecord;
using profilers::RecordedLaunch;

std::array<std::string, 3> as_text(const std::array<std::uint32_t, 3>& extents) {
  return {std::to_string(extents[0]), std::to_string(extents[1]), std::to_string(extents[2])};
}

Launch launch_of_plan(const MatchedLaunch& matched, const RecordedLaunch& recorded,
                      const DeviceSource& source, const RecordedBuffers& buffers) {
  Launch launch;
  launch.kernel = source.names.at(matched.kernel->name);
  launch.grid = as_text(recorded.grid);
  launch.block = as_text(recorded.block);
  launch.shared_bytes = std::to_string(recorded.shared_bytes);
  for (const auto& argument : matched.arguments) {
    launch.arguments.push_back(argument.place ? buffers.names.at(argument.place->allocation)
                                              : argument.scalar);
  }
  return launch;
}

/// Bytes that inputs and outputs have: each is moved at least once.
std::string bytes_of(const std::vector<Argument>& arguments) {
  std::string sum;
  for (const auto& argument : arguments) {
    const auto times = argument.kind == ArgumentKind::inout ? 2 : 1;
    sum += (sum.empty() ? "" : " + ") + argument.shape.front() + " * " +
           std::to_string(times * static_cast<int>(size_in_bytes(argument.dtype)));
  }
  return sum.empty() ? "1" : sum;
}

std::vector<std::string> notes_of(const ProgramRecord& record, std::size_t count) {
  std::vector<std::string> notes;
  if (count < record.launches.size()) {
    notes.push_back("only the first " + std::to_string(count) + " of " +
                    std::to_string(record.launches.size()) + " launches are taken");
  }
  std::set<std::uint64_t> streams;
  for (const auto& launch : record.launches) streams.insert(launch.stream);
  if (streams.size() > 1) {
    notes.push_back("the program uses " + std::to_string(streams.size()) +
                    " streams, the plan one");
  }
  for (const auto& unseen : record.unseen) notes.push_back("the record does not show " + unseen);
  if (record.is_cut) notes.emplace_back("the program made more calls than a record holds");
  return notes;
}

std::string why_nothing(const ProgramRecord& record, const std::vector<SkippedLaunch>& skipped) {
  if (!skipped.empty()) return "kernel '" + skipped.front().kernel + "': " + skipped.front().reason;
  if (!record.unseen.empty()) return "the record does not show " + record.unseen.front();
  return "the program launched no kernel";
}

}  // namespace

Result<RecordedTask> recorded_task(const std::string& name, const CudaSource& program,
                                   const ProgramRecord& record) {
  const std::size_t count = std::min(launches_before_repetition(record), kMostLiftedLaunches);
  const auto matched = match_launches(program, record, count);
  if (matched.launches.empty()) {
    return fail(Errc::invalid_argument, why_nothing(record, matched.skipped));
  }
  const auto buffers = buffers_of(matched, record);
  std::set<std::string, std::less<>> kernels;
  for (const auto& launch : matched.launches) kernels.insert(launch.kernel->name);
  const auto source = device_source(program, kernels);

  RecordedTask recorded;
  recorded.skipped = matched.skipped;
  recorded.notes = notes_of(record, count);
  recorded.notes.insert(recorded.notes.end(), buffers.notes.begin(), buffers.notes.end());
  Task& task = recorded.task;
  task.name = name;
  task.description = "Recorded from a run of the program.";
  task.operator_family = "other";
  task.arguments = buffers.arguments;
  task.workloads = {{"recorded", {}, true}};
  task.contract.tolerance = ToleranceClass::reduction;
  task.cost = {bytes_of(task.arguments), "1"};
  task.kernel.source = source.text;
  task.kernel.plan.scratch = buffers.scratch;
  for (const auto& launch : matched.launches) {
    recorded.launches.push_back(launch.launch);
    task.kernel.plan.launches.push_back(
        launch_of_plan(launch, record.launches[launch.launch], source, buffers));
  }
  task.id = id_of(task);
  return recorded;
}

}  // namespace warpmind::agents::builtin
