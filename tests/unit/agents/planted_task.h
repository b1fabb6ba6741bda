#pragma once
/// \file
/// A small task for tests of the agents: one launch, a swept block, loops and pointers to edit.

#include "base/model/job.h"

namespace warpmind::agents {

inline Task planted_task() {
  Task task;
  task.name = "planted";
  task.operator_family = "softmax";
  task.arguments = {{"x", ArgumentKind::in, Dtype::f32, {"n"}, "", {}, 0, 0},
                    {"y", ArgumentKind::out, Dtype::f32, {"n"}, "", {}, 0, 0}};
  task.workloads = {{"tiny", {{"n", 64}}, false}, {"large", {{"n", 4096}}, true}};
  task.cost = {"n*8", "n*2"};
  task.reference = "// never built: labs of tests are planted";
  task.kernel.source =
      "// expf( in a comment stays\n"
      "extern \"C\" __global__ void k(const float* x, float* y, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  float sum = 0.0f;\n"
      "  for (int j = 0; j < 8; ++j) {\n"
      "    for (int m = 0; m < 4; ++m) sum += expf(x[i]);\n"
      "  }\n"
      "  if (i < n) y[i] = sum;\n"
      "}\n";
  task.kernel.plan.launches = {
      {"k", {"ceil_div(n, block_x)", "1", "1"}, {"256", "1", "1"}, "0", {"x", "y", "i32:n"}}};
  task.id = id_of(task);
  return task;
}

inline Job planted_job(std::int64_t evaluations = 24) {
  Job job;
  job.id = JobId("j-0000000007");
  job.state = JobState::running;
  job.request.task = planted_task();
  job.request.budget = {evaluations, 60};
  return job;
}

}  // namespace warpmind::agents
