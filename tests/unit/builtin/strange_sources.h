#pragma once
/// \file
/// Sources that techniques must leave alone or get right: templates, macros, `#if`, assembly,
/// cooperative groups, twins, CRLF, tabs, long files, other languages, UTF-8. Each with launches of
/// kernels `scale(const float* x, float* y, int n)` where there is one.

#include "base/model/task.h"

#include <string>
#include <vector>

namespace warpmind::agents::builtin {

struct StrangeSource {
  std::string name;
  std::string source;
  bool builds = true;  ///< as given
};

inline std::string with_line_ends(std::string text, const std::string& end) {
  std::string out;
  for (const char c : text) out += c == '\n' ? end : std::string(1, c);
  return out;
}

inline std::vector<StrangeSource> strange_sources() {
  const std::string plain =
      "extern \"C\" __global__ void scale(const float* x, float* y, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i >= n) return;\n"
      "  // twice, and one more\n"
      "  y[i] = 2.0f * x[i] + 1.0f;\n"
      "}\n";
  std::string tabs;
  for (std::size_t at = 0; at < plain.size(); ++at) {
    const bool indent = plain.compare(at, 2, "  ") == 0;
    tabs += indent ? '\t' : plain[at];
    at += indent ? 1 : 0;
  }
  std::string long_file = plain;
  for (int i = 0; i < 2'000; ++i) {
    long_file += "__device__ int filler" + std::to_string(i) + "(int a) { return a + 1; }\n";
  }
  return {
      {"plain", plain},
      {"crlf", with_line_ends(plain, "\r\n")},
      {"tabs", tabs},
      {"long file", long_file},
      {"utf-8 names",
       "extern \"C\" __global__ void scale(const float* x, float* y, int n) {\n"
       "  int größe = n; // Länge in µs\n"
       "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
       "  if (i < größe) y[i] = x[i] * 3.0f;\n}\n"},
      {"template",
       "template <typename T> __global__ void shared_scale(const T* x, T* y, int n) {\n"
       "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i] * T(2); }\n" +
           plain},
      {"macro in the kernel",
       "#define LOAD(p, i) (p)[(i)]\n#define STEP if (i >= n) return;\n"
       "extern \"C\" __global__ void scale(const float* x, float* y, int n) {\n"
       "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  STEP\n"
       "  y[i] = LOAD(x, i) + 1.0f;\n}\n"},
      {"macro that is the loop",
       "#define EACH(i, n) for (int i = 0; i < n; ++i)\n"
       "extern \"C\" __global__ void scale(const float* x, float* y, int n) {\n"
       "  if (blockIdx.x + threadIdx.x == 0) EACH(i, n) y[i] = x[i];\n}\n"},
      {"#if on the architecture",
       "extern \"C\" __global__ void scale(const float* x, float* y, int n) {\n"
       "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
       "#if __CUDA_ARCH__ >= 800\n  if (i < n) y[i] = __ldg(x + i) * 2.0f;\n#else\n"
       "  if (i < n) y[i] = x[i] * 2.0f;\n#endif\n}\n"},
      {"inline assembly",
       "extern \"C\" __global__ void scale(const float* x, float* y, int n) {\n"
       "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  float v;\n  if (i >= n) return;\n"
       "  asm volatile(\"mul.f32 %0, %1, 0f40000000;\" : \"=f\"(v) : \"f\"(x[i]));\n"
       "  y[i] = v;\n}\n"},
      {"cooperative groups",
       "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
       "extern \"C\" __global__ void scale(const float* x, float* y, int n) {\n"
       "  auto block = cg::this_thread_block();\n"
       "  int i = blockIdx.x * blockDim.x + block.thread_rank();\n  block.sync();\n"
       "  if (i < n) y[i] = x[i] * 2.0f;\n}\n"},
      {"twins", plain + "__global__ void scale(const double* x, double* y) { y[0] = x[0]; }\n"},
      {"kernel in a namespace",
       "namespace mine {\nextern \"C\" __global__ void scale(const float* x, float* y, int n) {\n"
       "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = x[i];\n}\n}\n"},
      {"pointer walk",
       "extern \"C\" __global__ void scale(const float* x, float* y, int n) {\n"
       "  const float* p = x; float* q = y;\n"
       "  if (blockIdx.x || threadIdx.x) return;\n"
       "  while (p != x + n) *q++ = *p++ * 2.0f;\n}\n"},
      {"goto",
       "extern \"C\" __global__ void scale(const float* x, float* y, int n) {\n"
       "  int i = blockIdx.x * blockDim.x + threadIdx.x;\nagain:\n"
       "  if (i < n) { y[i] = x[i]; i += gridDim.x * blockDim.x; goto again; }\n}\n"},
      {"names of ours",
       "__device__ float wm_body(float v) { return v * 2.0f; }\n"
       "extern \"C\" __global__ void scale(const float* x, float* y, int n) {\n"
       "  int wm_lane = blockIdx.x * blockDim.x + threadIdx.x;\n"
       "  if (wm_lane < n) y[wm_lane] = wm_body(x[wm_lane]);\n}\n"},
      {"no CUDA at all", "#include <vector>\nint main() { std::vector<int> v{1, 2}; }\n"},
      {"another language", "def scale(x, y):\n    return [2 * v for v in x]\n", false},
      {"half a kernel", "extern \"C\" __global__ void scale(const float* x, float* y, int n) {\n",
       false},
      {"bytes", std::string("\x00\xff\xfe __global__ \x80(", 18), false},
      {"empty", "", false},
  };
}

/// A task that launches `scale` over n elements.
inline Task strange_task(const StrangeSource& strange) {
  Task task;
  task.name = strange.name;
  Argument x;
  x.name = "x";
  x.dtype = Dtype::f32;
  x.shape = {"n"};
  Argument y = x;
  y.name = "y";
  y.kind = ArgumentKind::out;
  task.arguments = {x, y};
  task.workloads = {{"large", {{"n", 4099}}, true}, {"tiny", {{"n", 3}}, false}};
  task.contract.tolerance = ToleranceClass::reduction;
  task.kernel.source = strange.source;
  Launch launch;
  launch.kernel = "scale";
  launch.grid = {"ceil_div(n, block_x)", "1", "1"};
  launch.block = {"128", "1", "1"};
  launch.arguments = {"x", "y", "i32:n"};
  task.kernel.plan.launches = {launch};
  return task;
}

}  // namespace warpmind::agents::builtin
