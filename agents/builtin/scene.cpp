#include "agents/builtin/scene.h"

#include "agents/builtin/probe/integer_interpreter.h"
#include "base/sequence.h"

#include <algorithm>
#include <cstring>

namespace warpmind::agents::builtin {
namespace {

template <class T>
T read_as(const std::string& bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof(T)));
  return value;
}

/// Two's complement.
std::int64_t signed_byte(std::uint8_t byte) {
  constexpr int kBytes = 256;
  return byte < kBytes / 2 ? int{byte} : int{byte} - kBytes;
}

void keep_scalar(SceneLaunch& launch, const std::string& name, Dtype dtype,
                 const std::string& bytes) {
  switch (dtype) {
    case Dtype::f32: launch.reals[name] = read_as<float>(bytes); break;
    case Dtype::f64: launch.reals[name] = read_as<double>(bytes); break;
    case Dtype::f16:
    case Dtype::bf16: break;
    case Dtype::i8: launch.scalars[name] = signed_byte(read_as<std::uint8_t>(bytes)); break;
    case Dtype::u8: launch.scalars[name] = read_as<std::uint8_t>(bytes); break;
    case Dtype::i32: launch.scalars[name] = read_as<std::int32_t>(bytes); break;
    case Dtype::u32: launch.scalars[name] = read_as<std::uint32_t>(bytes); break;
    case Dtype::i64: launch.scalars[name] = read_as<std::int64_t>(bytes); break;
  }
}

/// `argument` as the plan binds it to the parameter `name`.
Result<void> bind(SceneLaunch& launch, const ProposalContext& context, const Workload& workload,
                  const std::string& name, const std::string& argument) {
  const LaunchPlan& plan = context.kernel.plan;
  if (is_scalar_argument(argument)) {
    WARPMIND_TRY(const auto bytes, evaluate_scalar_bytes(argument, plan, workload.sizes));
    const auto dtype = parse_enum<Dtype>(argument.substr(0, argument.find(':')));
    if (dtype) keep_scalar(launch, name, *dtype, bytes);
    return {};
  }
  for (const auto& scratch : plan.scratch) {
    if (scratch.name != argument) continue;
    WARPMIND_TRY(launch.extents[name], evaluate_scratch_elements(scratch, plan, workload.sizes));
    launch.buffers[name] = argument;
  }
  for (const auto& known : context.task.arguments) {
    if (known.name != argument) continue;
    if (known.kind == ArgumentKind::scalar) {
      WARPMIND_TRY(const auto bytes, evaluate_scalar_bytes(known, workload.sizes));
      keep_scalar(launch, name, known.dtype, bytes);
      continue;
    }
    WARPMIND_TRY(launch.extents[name], evaluate_product(known.shape, workload.sizes));
    launch.buffers[name] = argument;
  }
  return {};
}

/// A launch may outlive its scene: the program keeps its source.
struct Probed {
  Probed(std::shared_ptr<const CudaSource> read, const PlanConstants& constants)
      : source(std::move(read)), program(*source, constants) {}
  std::shared_ptr<const CudaSource> source;
  ProbeProgram program;
};

}  // namespace

std::int64_t SceneLaunch::threads() const {
  std::int64_t threads = 1;
  for (const auto extent : shape.grid) threads *= extent;
  for (const auto extent : shape.block) threads *= extent;
  return threads;
}

Result<Scene> Scene::read(const ProposalContext& context) {
  Scene scene;
  scene.context_ = &context;
  WARPMIND_TRY(auto source, CudaSource::read(context.kernel.source));
  scene.source_ = std::make_shared<const CudaSource>(std::move(source));
  const LaunchPlan& plan = context.kernel.plan;
  const auto probed = std::make_shared<const Probed>(scene.source_, plan.constants);
  const std::shared_ptr<const ProbeProgram> program(probed, &probed->program);
  for (const auto& workload : context.task.workloads) {
    for (std::size_t i = 0; i < plan.launches.size(); ++i) {
      SceneLaunch launch;
      launch.index = i;
      launch.workload = workload.name;
      launch.timed = workload.timed;
      launch.constants = plan.constants;
      launch.program = program;
      WARPMIND_TRY(launch.shape, evaluate_launch(plan.launches[i], plan, workload.sizes));
      const Function* function = scene.function_of(i);
      const auto& arguments = plan.launches[i].arguments;
      for (std::size_t p = 0; function != nullptr && p < arguments.size(); ++p) {
        if (p >= function->parameters.size()) break;
        WARPMIND_CHECK(bind(launch, context, workload, function->parameters[p].name, arguments[p]));
      }
      scene.launches_.push_back(std::move(launch));
    }
  }
  std::stable_sort(scene.launches_.begin(), scene.launches_.end(),
                   [](const SceneLaunch& a, const SceneLaunch& b) {
                     if (a.timed != b.timed) return a.timed;
                     return a.threads() > b.threads();
                   });
  return scene;
}

std::vector<SceneLaunch> Scene::launches_of(std::size_t index) const {
  std::vector<SceneLaunch> found;
  for (const auto& launch : launches_) {
    if (launch.index == index) found.push_back(launch);
  }
  return found;
}

std::vector<const SceneLaunch*> Scene::launches_of(const Function& function) const {
  std::vector<const SceneLaunch*> found;
  for (const auto& launch : launches_) {
    if (function_of(launch.index) == &function) found.push_back(&launch);
  }
  return found;
}

const Function* Scene::function_of(std::size_t index) const {
  return index < plan().launches.size() ? source_->kernel(plan().launches[index].kernel) : nullptr;
}

const Function* Scene::only_function() const {
  const auto& all = plan().launches;
  const bool same = std::all_of(all.begin(), all.end(), [&](const Launch& launch) {
    return launch.kernel == all.front().kernel;
  });
  return all.empty() || !same ? nullptr : function_of(0);
}

double Scene::time_share(std::size_t index) const {
  const auto& states = context_->bottleneck.launches;
  if (index < states.size()) return states[index].time_share;
  return 1.0 / static_cast<double>(std::max<std::size_t>(plan().launches.size(), 1));
}

double Scene::plan_gain(std::size_t index, double gain) const {
  const double share = time_share(index);
  return 1 / (1 - share + share / gain);
}

double Scene::plan_gain_by_time(std::span<const std::size_t> launches, double guess,
                                double nanoseconds) const {
  double share = 0;
  for (const std::size_t launch : launches) share += time_share(launch);
  share = std::clamp(share, 0.0, 1.0);
  double now = guess;
  if (context_->edited < context_->steps.size()) {
    const auto& measured = context_->steps[context_->edited].verdict.measurement;
    if (measured && measured->median_ns > 0) now = measured->median_ns * share;
  }
  return 1 / (1 - share + share * std::min(nanoseconds / std::max(now, 1.0), 1e3));
}

bool Scene::suffers(BottleneckClass what) const {
  const auto& secondary = context_->bottleneck.secondary;
  return context_->bottleneck.primary == what || contains(secondary, what);
}

Kernel with_edits(const Scene& scene, std::vector<TextEdit> edits) {
  Kernel edited = scene.kernel();
  edited.source = apply_edits(scene.tree().source(), std::move(edits));
  return edited;
}

}  // namespace warpmind::agents::builtin
