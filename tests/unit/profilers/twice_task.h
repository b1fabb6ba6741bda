#pragma once
/// \file
/// The task y = 2 x, and kernels for it that fake_runner knows by a marker in their cubin.

#include "base/model/task.h"

#include <string>

namespace warpmind::profilers {

/// `kind` is "right", "wrong", "fast", … (fake_runner.cpp); it becomes the name of an empty kernel.
inline Kernel twice_kernel(const std::string& kind = "right") {
  Kernel kernel;
  kernel.source = "extern \"C\" __global__ void kind_" + kind +
                  "() {}\n"
                  "extern \"C\" __global__ void twice(const float* x, float* y, int n) {\n"
                  "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                  "  if (i < n) y[i] = 2.0f * x[i];\n"
                  "}\n";
  Launch launch;
  launch.kernel = "twice";
  launch.grid = {"ceil_div(n, block_x)", "1", "1"};
  launch.block = {"BLOCK", "1", "1"};
  launch.arguments = {"x", "y", "i32:n"};
  kernel.plan.constants = {{"BLOCK", 256}};
  kernel.plan.launches = {launch};
  return kernel;
}

inline Task twice_task() {
  Task task;
  task.name = "twice";
  task.operator_family = "elementwise";
  Argument x;
  x.name = "x";
  x.shape = {"n"};
  Argument y;
  y.name = "y";
  y.kind = ArgumentKind::out;
  y.shape = {"n"};
  task.arguments = {x, y};
  task.workloads = {{"large", {{"n", 1 << 16}}, true}, {"tiny", {{"n", 1000}}, false}};
  task.cost = {"8*n", "4000*n"};  // floor on an H200: 2 us
  task.reference =
      "#include \"warpmind_reference.h\"\n"
      "void reference(const warpmind::ReferenceCall& call) {\n"
      "  const int64_t n = call.size(\"n\");\n"
      "  for (int64_t i = 0; i < n; ++i) call.output(\"y\")[i] = 2 * call.input(\"x\")[i];\n}\n";
  task.kernel = twice_kernel();
  task.id = id_of(task);
  return task;
}

}  // namespace warpmind::profilers
