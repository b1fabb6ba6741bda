#include "tests/bench/gpu_timing/planted_kernels.h"

namespace warpmind::bench {
namespace {

constexpr const char* kChain = R"(
extern "C" __global__ void chain(const float* x, float* y, int n, int steps, int extra, float one,
                                 float zero) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float value = x[i];
#pragma unroll 1
  for (int s = 0; s < steps; ++s) value = fmaf(value, one, one);
#pragma unroll 1
  for (int s = 0; s < extra; ++s) value = fmaf(value, one, zero);
  y[i] = value;
}
)";

constexpr const char* kCopy = R"(
extern "C" __global__ void copy(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}
)";

/// A window that persists takes its size from the array; the limit takes what there is.
constexpr const char* kPersistingCopy = R"(
extern "C" __global__ void copy(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}
extern "C" int run(const float* x, float* y, int n, cudaStream_t stream) {
  cudaDeviceProp properties;
  if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) return 1;
  (void)cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, properties.persistingL2CacheMaxSize);
  cudaLaunchAttributeValue window = {};
  size_t bytes = sizeof(float) * (size_t)n;
  size_t most = (size_t)properties.accessPolicyMaxWindowSize;
  window.accessPolicyWindow.base_ptr = (void*)x;
  window.accessPolicyWindow.num_bytes = bytes < most ? bytes : most;
  window.accessPolicyWindow.hitRatio = 1.0f;
  window.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  window.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  (void)cudaStreamSetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &window);
  copy<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n);
  return (int)cudaGetLastError();
}
)";

/// Argument x, then y, both of n floats.
Task task_of(const std::string& name, const std::string& value_of_y, const Workload& workload) {
  Task task;
  task.name = name;
  task.operator_family = "elementwise";
  Argument x;
  x.name = "x";
  x.shape = {"n"};
  x.distributions = {Distribution::exact};
  Argument y;
  y.name = "y";
  y.kind = ArgumentKind::out;
  y.shape = {"n"};
  task.arguments = {x, y};
  task.workloads = {workload};
  task.contract.tolerance = ToleranceClass::exact;
  task.reference =
      "#include \"warpmind_reference.h\"\n"
      "void reference(const warpmind::ReferenceCall& call) {\n"
      "  const int64_t n = call.size(\"n\");\n"
      "  for (int64_t i = 0; i < n; ++i) call.output(\"y\")[i] = " +
      value_of_y + ";\n}\n";
  return task;
}

}  // namespace

Task chain_task(const std::string& name, std::int64_t threads, std::int64_t steps) {
  Workload workload;
  workload.name = "chain";
  workload.sizes = {{"n", threads}, {"steps", steps}};
  workload.timed = true;
  Task task =
      task_of(name, "call.input(\"x\")[i] + static_cast<double>(call.size(\"steps\"))", workload);
  task.cost = {"8 * n", "2 * n * steps"};
  task.kernel = chain_kernel();
  task.id = id_of(task);
  return task;
}

Kernel chain_kernel(std::int64_t percent) {
  Kernel kernel;
  kernel.source = kChain;
  kernel.plan.constants = {{"EXTRA_PERCENT", percent}};
  Launch launch;
  launch.kernel = "chain";
  launch.grid = {"ceil_div(n, block_x)", "1", "1"};
  launch.block = {"256", "1", "1"};
  launch.arguments = {"x",       "y",      "i32:n", "i32:steps", "i32:steps * EXTRA_PERCENT / 100",
                      "f32:1.0", "f32:0.0"};
  kernel.plan.launches = {launch};
  return kernel;
}

Task copy_task(const std::string& name, std::int64_t n) {
  Workload workload;
  workload.name = "copy";
  workload.sizes = {{"n", n}};
  workload.timed = true;
  Task task = task_of(name, "call.input(\"x\")[i]", workload);
  task.cost = {"8 * n", "0"};
  task.kernel.source = kCopy;
  Launch launch;
  launch.kernel = "copy";
  launch.grid = {"ceil_div(n, block_x)", "1", "1"};
  launch.block = {"256", "1", "1"};
  launch.arguments = {"x", "y", "i32:n"};
  task.kernel.plan.launches = {launch};
  task.id = id_of(task);
  return task;
}

Kernel persisting_copy_kernel() {
  Kernel kernel;
  kernel.tier = Tier::b;
  kernel.entry = "run";
  kernel.source = kPersistingCopy;
  kernel.plan.launches.emplace_back().arguments = {"x", "y", "i32:n"};
  return kernel;
}

}  // namespace warpmind::bench
