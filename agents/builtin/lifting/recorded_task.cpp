#include "agents/builtin/lifting/recorded_task.h"

#include "agents/builtin/contraction/contraction.h"
#include "agents/builtin/lifting/device_source.h"
#include "agents/builtin/lifting/flat_grid.h"
#include "agents/builtin/lifting/launch_matching.h"
#include "agents/builtin/lifting/recorded_buffers.h"
#include "agents/builtin/loops/plain_spelling.h"
#include "agents/builtin/loops/scene_loops.h"
#include "agents/builtin/pointwise/element_loop.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace warpmind::agents::builtin {
namespace {

using profilers::ProgramRecord;
using profilers::RecordedLaunch;

std::array<std::string, 3> as_text(const std::array<std::uint32_t, 3>& extents) {
  return {std::to_string(extents[0]), std::to_string(extents[1]), std::to_string(extents[2])};
}

/// The scalar that the kernel gets as `parameter`, when it is an integer.
std::optional<std::int64_t> integer_argument(const MatchedLaunch& matched,
                                             const std::string& parameter) {
  const auto& parameters = matched.kernel->parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string& text = matched.arguments[i].scalar;
    if (parameters[i].name != parameter || text.empty() || text.starts_with("f")) continue;
    const auto value = evaluate(std::string_view(text).substr(text.find(':') + 1), {});
    if (value) return *value;
  }
  return std::nullopt;
}

/// A grid that follows the block along the axes where the kernel only wants enough threads.
std::array<std::string, 3> grid_of_plan(const CudaSource& program, const MatchedLaunch& matched,
                                        const RecordedLaunch& recorded) {
  std::array<std::string, 3> grid = as_text(recorded.grid);
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const char letter = axis == 0 ? 'x' : 'y';
    const auto flat = flat_axis(program, *matched.kernel, letter);
    if (!flat) continue;
    const std::int64_t block = recorded.block[axis];
    std::int64_t threads = recorded.grid[axis] * block;
    const auto bound = integer_argument(matched, flat->bound);
    if (bound && *bound > 0 && (*bound + block - 1) / block == recorded.grid[axis]) {
      threads = *bound;
    }
    grid[axis] = "ceil_div(" + std::to_string(threads) + ", block_" + letter + ")";
  }
  return grid;
}

Launch launch_of_plan(const CudaSource& program, const MatchedLaunch& matched,
                      const RecordedLaunch& recorded, const DeviceSource& source,
                      const RecordedBuffers& buffers) {
  Launch launch;
  launch.kernel = source.names.at(matched.kernel->name);
  launch.grid = grid_of_plan(program, matched, recorded);
  launch.block = as_text(recorded.block);
  launch.shared_bytes = std::to_string(recorded.shared_bytes);
  launch.cooperative = recorded.cooperative;
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

bool has_sums(const Scene& scene, const Function& function) {
  const KernelBody body(scene.source(), function);
  for (const NodeId node : scene.tree().descendants(function.body, "for_statement")) {
    const auto loop = counted_loop(body, node);
    if (!loop) continue;
    const auto unknown = [](NodeId, NodeId) { return false; };
    const auto facts = loop_facts(body, *loop, buffer_names(scene, function), unknown);
    if (!facts.reductions.empty()) return true;
  }
  return false;
}

/// What the kernels of the scene compute; of several, what costs most as a rule.
std::string family_of(const Scene& scene) {
  const std::size_t launches = scene.plan().launches.size();
  for (std::size_t i = 0; i < launches; ++i) {
    if (find_contraction(scene, i)) return "gemm";
  }
  std::string refusal;
  const auto pointwise = one_element_kernels(scene, refusal);
  bool is_pointwise = true;
  for (std::size_t i = 0; i < launches; ++i) {
    const Function* const function = scene.function_of(i);
    if (function == nullptr) return "other";
    if (has_sums(scene, *function)) return "reduction";
    is_pointwise = is_pointwise && pointwise.contains(function);
  }
  return is_pointwise ? "elementwise" : "other";
}

/// The same of a task, of its kernels in plain spelling.
std::string operator_family_of(const Task& task) {
  const Bottleneck bottleneck;
  const Advice advice;
  const DeviceSpec device;
  const ProposalContext given{task, task.kernel, bottleneck, advice, device};
  const auto scene = Scene::read(given);
  if (!scene) return "other";
  const auto normal = plain_spelling(*scene);
  if (!normal) return family_of(*scene);
  const ProposalContext context{task, *normal, bottleneck, advice, device};
  const auto normal_scene = Scene::read(context);
  return normal_scene ? family_of(*normal_scene) : "other";
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
  std::map<std::string, TemplateValues, std::less<>> kernels;
  for (const auto& launch : matched.launches) kernels[launch.kernel->name] = launch.values;
  const auto source = device_source(program, kernels);

  RecordedTask recorded;
  recorded.skipped = matched.skipped;
  recorded.notes = notes_of(record, count);
  recorded.notes.insert(recorded.notes.end(), buffers.notes.begin(), buffers.notes.end());
  Task& task = recorded.task;
  task.name = name;
  task.description = "Recorded from a run of the program.";
  task.arguments = buffers.arguments;
  task.workloads = {{"recorded", {}, true}};
  task.contract.tolerance = ToleranceClass::reduction;
  task.cost = {bytes_of(task.arguments), "1"};
  task.kernel.source = source.text;
  task.kernel.plan.scratch = buffers.scratch;
  for (const auto& launch : matched.launches) {
    recorded.launches.push_back(launch.launch);
    task.kernel.plan.launches.push_back(
        launch_of_plan(program, launch, record.launches[launch.launch], source, buffers));
  }
  task.operator_family = operator_family_of(task);
  task.id = id_of(task);
  return recorded;
}

}  // namespace warpmind::agents::builtin
