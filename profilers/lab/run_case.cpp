#include "profilers/lab/run_case.h"

#include "base/plan_evaluation.h"
#include "base/text.h"

#include <algorithm>
#include <limits>

namespace warpmind::profilers {
namespace {

const Argument* find_argument(const Task& task, std::string_view name) {
  const auto found = std::find_if(task.arguments.begin(), task.arguments.end(),
                                  [&](const Argument& a) { return a.name == name; });
  return found == task.arguments.end() ? nullptr : &*found;
}

Result<std::int64_t> buffer_bytes(const Argument& argument, const Workload& workload) {
  WARPMIND_TRY(const auto elements, evaluate_product(argument.shape, workload.sizes));
  const auto size = static_cast<std::int64_t>(size_in_bytes(argument.dtype));
  if (elements < 0 || elements > std::numeric_limits<std::int64_t>::max() / size) {
    return fail(Errc::invalid_argument, "argument '" + argument.name + "' has no usable size");
  }
  return elements * size;
}

Result<CallArgument> make_call_argument(const Task& task, const Kernel& kernel,
                                        const Workload& workload, const std::string& name) {
  if (is_scalar_argument(name)) {
    WARPMIND_TRY(const auto bytes, evaluate_scalar_bytes(name, kernel.plan, workload.sizes));
    const auto dtype = parse_enum<Dtype>(std::string_view(name).substr(0, name.find(':')));
    return CallArgument{"", encode_hex(bytes), dtype.value_or(Dtype::i32)};
  }
  const Argument* argument = find_argument(task, name);
  if (argument != nullptr && argument->kind == ArgumentKind::scalar) {
    WARPMIND_TRY(const auto bytes, evaluate_scalar_bytes(*argument, workload.sizes));
    return CallArgument{"", encode_hex(bytes), argument->dtype};
  }
  const bool scratch =
      std::any_of(kernel.plan.scratch.begin(), kernel.plan.scratch.end(),
                  [&](const ScratchBuffer& buffer) { return buffer.name == name; });
  if (argument == nullptr && !scratch) {
    return fail(Errc::invalid_argument,
                "launch argument '" + name.substr(0, 80) +
                    "' is neither an argument of the task nor a scratch buffer of the plan");
  }
  CallArgument buffer;
  buffer.buffer = name;
  return buffer;
}

std::vector<Launch> launches_of(const Task& task, const Kernel& kernel) {
  if (kernel.tier != Tier::b || !kernel.plan.launches.empty()) return kernel.plan.launches;
  Launch call;
  call.kernel = kernel.entry;
  for (const auto& argument : task.arguments) call.arguments.push_back(argument.name);
  return {call};
}

std::string file_of(const std::map<std::string, std::string>& files, const std::string& name) {
  const auto found = files.find(name);
  return found == files.end() ? "" : found->second;
}

}  // namespace

Result<Program> make_program(const Task& task, const Kernel& kernel, const Workload& workload,
                             const std::string& binary) {
  Program program;
  program.tier = kernel.tier;
  program.binary = binary;
  program.entry = kernel.entry;
  for (const auto& scratch : kernel.plan.scratch) {
    if (find_argument(task, scratch.name) != nullptr) {
      return fail(Errc::invalid_argument,
                  "scratch buffer '" + scratch.name + "' has the name of a task argument");
    }
    WARPMIND_TRY(const auto elements,
                 evaluate_scratch_elements(scratch, kernel.plan, workload.sizes));
    const auto size = static_cast<std::int64_t>(size_in_bytes(scratch.dtype));
    if (elements > std::numeric_limits<std::int64_t>::max() / size) {
      return fail(Errc::invalid_argument, "scratch buffer '" + scratch.name + "' is too large");
    }
    program.scratch.push_back({{scratch.name, elements * size}, scratch.zeroed, scratch.dtype});
  }
  for (const auto& launch : launches_of(task, kernel)) {
    LaunchCall call;
    if (kernel.tier == Tier::a) {
      WARPMIND_TRY(call.shape(), evaluate_launch(launch, kernel.plan, workload.sizes));
    }
    call.kernel = launch.kernel;
    call.cooperative = launch.cooperative;
    for (const auto& name : launch.arguments) {
      WARPMIND_TRY(auto argument, make_call_argument(task, kernel, workload, name));
      call.arguments.push_back(std::move(argument));
    }
    program.launches.push_back(std::move(call));
  }
  return program;
}

Result<std::vector<BufferSpec>> make_buffers(const Task& task, const Workload& workload,
                                             const PreparedCase& prepared) {
  std::vector<BufferSpec> buffers;
  for (const auto& argument : task.arguments) {
    if (argument.kind == ArgumentKind::scalar) continue;
    WARPMIND_TRY(const auto bytes, buffer_bytes(argument, workload));
    buffers.push_back({argument.name, bytes, file_of(prepared.inputs, argument.name),
                       file_of(prepared.outputs, argument.name),
                       static_cast<std::int64_t>(size_in_bytes(argument.dtype)), argument.dtype});
  }
  return buffers;
}

Result<std::int64_t> case_bytes(const Task& task, const Workload& workload) {
  std::int64_t total = 0;
  for (const auto& argument : task.arguments) {
    if (argument.kind == ArgumentKind::scalar) continue;
    WARPMIND_TRY(const auto bytes, buffer_bytes(argument, workload));
    if (__builtin_add_overflow(total, bytes, &total)) {
      return fail(Errc::invalid_argument, "workload '" + workload.name + "' is too large");
    }
  }
  return total;
}

Result<const Workload*> find_workload(const Task& task, std::string_view name) {
  for (const auto& workload : task.workloads) {
    if (workload.name == name) return &workload;
  }
  return fail(Errc::not_found,
              "task '" + task.name + "' has no workload '" + std::string(name) + "'");
}

std::vector<const Workload*> timed_workloads(const Task& task) {
  std::vector<const Workload*> timed;
  for (const auto& workload : task.workloads) {
    if (workload.timed) timed.push_back(&workload);
  }
  if (timed.empty()) timed.push_back(&task.workloads.back());
  return timed;
}

const Workload& smallest_workload(const Task& task) {
  return *std::min_element(
      task.workloads.begin(), task.workloads.end(), [&](const Workload& a, const Workload& b) {
        return case_bytes(task, a).value_or(0) < case_bytes(task, b).value_or(0);
      });
}

}  // namespace warpmind::profilers
