// A user's program, one case an argument. Each case returns 0 when everything held, and prints the
// line that did not. Built by nvcc with the shared runtime; it knows nothing of the simulator.
#include <cooperative_groups.h>
#include <atomic>
#include <cassert>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#define HOLDS(condition)                                                                       \
  do {                                                                                         \
    if (!(condition)) {                                                                        \
      std::printf("line %d does not hold: %s (last error: %s)\n", __LINE__, #condition,        \
                  cudaGetErrorString(cudaPeekAtLastError()));                                  \
      return 1;                                                                                \
    }                                                                                          \
  } while (false)
#define SUCCEEDS(call) HOLDS((call) == cudaSuccess)

__device__ int counter = 7;
__constant__ float factors[4] = {1, 2, 3, 4};
__managed__ int managed_value = 5;

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
__global__ void scale(float* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= factors[i % 4];
}
__global__ void increment(int* value) { *value += 1; }
__global__ void touch_globals() {
  counter += 1;
  managed_value += 10;
}
__global__ void speak(const char* word) {
  printf("thread %d of %u says %s %5.2f %c%% %lld %x\n", threadIdx.x, blockDim.x, word, 1.5, 'z',
         -5000000000LL, 255);
}
__global__ void store(int* to, int value) { *to = value; }
__global__ void store_at(char* base, int offset) {
  *reinterpret_cast<volatile double*>(base + offset) = 1;
}
__global__ void claim(int value) { assert(value == 42); }
__global__ void spin(volatile int* flag) {
  while (*flag == 0) {
  }
}
__global__ void use_shared(float* out) {
  extern __shared__ float values[];
  values[threadIdx.x] = static_cast<float>(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = values[blockDim.x - 1 - threadIdx.x];
}
__global__ void __launch_bounds__(64) small_blocks(int* value) { *value = 1; }

__device__ __noinline__ int deeper(volatile int* value, int depth) {
  return *value + deeper(value, depth + 1) + depth;
}
__global__ void recurse_for_ever(int* value) {
  volatile int local = 1;
  local = deeper(&local, 0);
  if (local == 0) *value = local;
}
__device__ unsigned long long factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }
__global__ void store_factorial(unsigned long long* to, int n) { *to = factorial(n); }
__global__ void wait_for_clock(long long* waited) {
  const long long start = clock64();
  while (clock64() - start < 1000) {
  }
  if (threadIdx.x == 0) *waited = clock64() - start;
}
__global__ void increment_nothing() {}

static int vector_add() {
  const int n = 1000;
  const size_t bytes = n * sizeof(float);
  std::vector<float> a(n, 1.5F), b(n, 2.0F), c(n);
  float *da = nullptr, *db = nullptr, *dc = nullptr;
  SUCCEEDS(cudaMalloc(&da, bytes));
  SUCCEEDS(cudaMalloc(&db, bytes));
  SUCCEEDS(cudaMalloc(&dc, bytes));
  SUCCEEDS(cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice));
  SUCCEEDS(cudaMemcpy(db, b.data(), bytes, cudaMemcpyDefault));
  add<<<(n + 127) / 128, 128>>>(da, db, dc, n);
  SUCCEEDS(cudaGetLastError());
  SUCCEEDS(cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost));
  for (float value : c) HOLDS(value == 3.5F);
  HOLDS(cudaMemcpy(c.data(), dc, bytes + 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  SUCCEEDS(cudaFree(da));
  HOLDS(cudaFree(da) == cudaErrorInvalidValue);
  return 0;
}

static int streams_and_events() {
  int* value = nullptr;
  SUCCEEDS(cudaMalloc(&value, sizeof(int)));
  SUCCEEDS(cudaMemset(value, 0, sizeof(int)));
  cudaStream_t first, second;
  SUCCEEDS(cudaStreamCreate(&first));
  SUCCEEDS(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  cudaEvent_t start, middle, end, never;
  SUCCEEDS(cudaEventCreate(&start));
  SUCCEEDS(cudaEventCreate(&middle));
  SUCCEEDS(cudaEventCreate(&end));
  SUCCEEDS(cudaEventCreate(&never));
  float ms = -1;
  HOLDS(cudaEventElapsedTime(&ms, start, end) == cudaErrorInvalidResourceHandle);
  SUCCEEDS(cudaEventRecord(start, first));
  for (int i = 0; i < 10; ++i) increment<<<1, 1, 0, first>>>(value);
  SUCCEEDS(cudaEventRecord(middle, first));
  SUCCEEDS(cudaStreamWaitEvent(second, middle, 0));
  increment<<<1, 1, 0, second>>>(value);
  SUCCEEDS(cudaEventRecord(end, second));
  SUCCEEDS(cudaEventSynchronize(end));
  float to_middle = 0, to_end = 0;
  SUCCEEDS(cudaEventElapsedTime(&to_middle, start, middle));
  SUCCEEDS(cudaEventElapsedTime(&to_end, start, end));
  HOLDS(to_middle > 0.005F);       // ten launches of a microsecond and more
  HOLDS(to_end > to_middle);       // the second stream went on from the event
  HOLDS(to_end < 2 * to_middle);   // one launch more
  int host = 0;
  SUCCEEDS(cudaMemcpyAsync(&host, value, sizeof host, cudaMemcpyDeviceToHost, second));
  SUCCEEDS(cudaStreamSynchronize(second));
  HOLDS(host == 11);
  SUCCEEDS(cudaStreamDestroy(second));
  HOLDS(cudaStreamDestroy(second) == cudaErrorInvalidResourceHandle);
  return 0;
}

static int symbols() {
  int host = 0;
  SUCCEEDS(cudaMemcpyFromSymbol(&host, counter, sizeof host));
  HOLDS(host == 7);
  host = 20;
  SUCCEEDS(cudaMemcpyToSymbol(counter, &host, sizeof host));
  touch_globals<<<1, 1>>>();
  SUCCEEDS(cudaMemcpyFromSymbol(&host, counter, sizeof host));
  HOLDS(host == 21);
  const float two[2] = {10, 20};
  SUCCEEDS(cudaMemcpyToSymbol(factors, two, sizeof two, 2 * sizeof(float)));
  float* data = nullptr;
  SUCCEEDS(cudaMalloc(&data, 4 * sizeof(float)));
  const float ones[4] = {1, 1, 1, 1};
  SUCCEEDS(cudaMemcpy(data, ones, sizeof ones, cudaMemcpyHostToDevice));
  scale<<<1, 4>>>(data, 4);
  float out[4];
  SUCCEEDS(cudaMemcpy(out, data, sizeof out, cudaMemcpyDeviceToHost));
  HOLDS(out[0] == 1 && out[1] == 2 && out[2] == 10 && out[3] == 20);
  size_t bytes = 0;
  SUCCEEDS(cudaGetSymbolSize(&bytes, factors));
  HOLDS(bytes == sizeof factors);
  void* address = nullptr;
  SUCCEEDS(cudaGetSymbolAddress(&address, counter));
  SUCCEEDS(cudaMemcpy(&host, address, sizeof host, cudaMemcpyDeviceToHost));
  HOLDS(host == 21);
  HOLDS(cudaMemcpyToSymbol(factors, two, sizeof two, 3 * sizeof(float)) == cudaErrorInvalidValue);
  return 0;
}

static int managed() {
  HOLDS(managed_value == 5);
  managed_value = 6;
  touch_globals<<<1, 1>>>();
  SUCCEEDS(cudaDeviceSynchronize());
  HOLDS(managed_value == 16);
  int* values = nullptr;
  SUCCEEDS(cudaMallocManaged(&values, 10000));
  values[0] = 1;
  increment<<<1, 1>>>(values);
  SUCCEEDS(cudaDeviceSynchronize());
  HOLDS(values[0] == 2);
  int* pinned = nullptr;
  SUCCEEDS(cudaMallocHost(&pinned, sizeof(int)));
  *pinned = 41;
  increment<<<1, 1>>>(pinned);
  SUCCEEDS(cudaDeviceSynchronize());
  HOLDS(*pinned == 42);
  cudaPointerAttributes about;
  SUCCEEDS(cudaPointerGetAttributes(&about, values));
  HOLDS(about.type == cudaMemoryTypeManaged);
  SUCCEEDS(cudaPointerGetAttributes(&about, pinned));
  HOLDS(about.type == cudaMemoryTypeHost);
  SUCCEEDS(cudaFree(values));
  SUCCEEDS(cudaFreeHost(pinned));
  return 0;
}

static int print() {
  char* word = nullptr;
  SUCCEEDS(cudaMalloc(&word, 8));
  SUCCEEDS(cudaMemcpy(word, "hello", 6, cudaMemcpyHostToDevice));
  speak<<<1, 2>>>(word);
  SUCCEEDS(cudaDeviceSynchronize());
  return 0;
}

static void CUDART_CB wait_for_flag(void* data) {
  static_cast<std::atomic<int>*>(data)->wait(0);
}
static int gate() {
  int* value = nullptr;
  SUCCEEDS(cudaMallocHost(&value, 2 * sizeof(int)));
  value[0] = value[1] = 0;
  cudaStream_t gated, other;
  SUCCEEDS(cudaStreamCreateWithFlags(&gated, cudaStreamNonBlocking));
  SUCCEEDS(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  std::atomic<int> opened = 0;
  SUCCEEDS(cudaLaunchHostFunc(gated, wait_for_flag, &opened));
  increment<<<1, 1, 0, gated>>>(value);
  cudaEvent_t behind;
  SUCCEEDS(cudaEventCreate(&behind));
  SUCCEEDS(cudaEventRecord(behind, gated));
  std::vector<int> host(1, 1000);  // pageable: taken at the call, changed before the gate opens
  int* copied = nullptr;
  SUCCEEDS(cudaMalloc(&copied, sizeof(int)));
  SUCCEEDS(cudaMemcpyAsync(copied, host.data(), sizeof(int), cudaMemcpyHostToDevice, gated));
  host[0] = 0;
  increment<<<1, 1, 0, other>>>(value + 1);
  SUCCEEDS(cudaStreamSynchronize(other));
  HOLDS(value[1] == 1);  // the other stream did not wait
  HOLDS(value[0] == 0);
  HOLDS(cudaEventQuery(behind) == cudaErrorNotReady);
  HOLDS(cudaStreamQuery(gated) == cudaErrorNotReady);
  SUCCEEDS(cudaGetLastError());
  opened.store(1);
  opened.notify_all();
  SUCCEEDS(cudaEventSynchronize(behind));
  HOLDS(value[0] == 1);
  SUCCEEDS(cudaDeviceSynchronize());
  int got = 0;
  SUCCEEDS(cudaMemcpy(&got, copied, sizeof got, cudaMemcpyDeviceToHost));
  HOLDS(got == 1000);
  return 0;
}

static int bad_configuration() {
  int* value = nullptr;
  SUCCEEDS(cudaMalloc(&value, 4096));
  increment<<<1, 2048>>>(value);
  HOLDS(cudaGetLastError() == cudaErrorInvalidConfiguration);
  increment<<<0, 1>>>(value);
  HOLDS(cudaGetLastError() == cudaErrorInvalidConfiguration);
  small_blocks<<<1, 65>>>(value);
  HOLDS(cudaGetLastError() == cudaErrorLaunchOutOfResources);
  float* out = reinterpret_cast<float*>(value);
  use_shared<<<1, 32, 64 * 1024>>>(out);
  HOLDS(cudaGetLastError() == cudaErrorInvalidValue);
  const auto attribute = cudaFuncAttributeMaxDynamicSharedMemorySize;
  HOLDS(cudaFuncSetAttribute(use_shared, attribute, 1 << 20) == cudaErrorInvalidValue);
  HOLDS(cudaGetLastError() == cudaErrorInvalidValue);
  SUCCEEDS(cudaFuncSetAttribute(use_shared, attribute, 64 * 1024));
  use_shared<<<1, 32, 64 * 1024>>>(out);
  SUCCEEDS(cudaGetLastError());
  SUCCEEDS(cudaDeviceSynchronize());
  float first = 0;
  SUCCEEDS(cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost));
  HOLDS(first == 31);
  return 0;
}

static int sticky(cudaError_t wanted) {
  int* more = nullptr;
  SUCCEEDS(cudaGetLastError());  // as on the machine: the launch itself went well
  HOLDS(cudaDeviceSynchronize() == wanted);
  HOLDS(cudaMalloc(&more, 4) == wanted);
  HOLDS(cudaGetLastError() == wanted);
  HOLDS(cudaGetLastError() == wanted);  // it does not go away
  SUCCEEDS(cudaDeviceReset());
  SUCCEEDS(cudaMalloc(&more, 4));
  store<<<1, 1>>>(more, 3);
  SUCCEEDS(cudaDeviceSynchronize());
  return 0;
}
static int illegal_address() {
  int* value = nullptr;
  SUCCEEDS(cudaMalloc(&value, 4));
  store<<<1, 1>>>(value + 100, 1);
  return sticky(cudaErrorIllegalAddress);
}
static int misaligned() {
  char* value = nullptr;
  SUCCEEDS(cudaMalloc(&value, 64));
  store_at<<<1, 1>>>(value, 4);
  return sticky(cudaErrorMisalignedAddress);
}
static int assertion() {
  claim<<<1, 1>>>(41);
  return sticky(cudaErrorAssert);
}
static int endless() {
  int* flag = nullptr;
  SUCCEEDS(cudaMalloc(&flag, 4));
  SUCCEEDS(cudaMemset(flag, 0, 4));
  spin<<<1, 1>>>(flag);
  return sticky(cudaErrorLaunchTimeout);
}

static int endless_recursion() {
  recurse_for_ever<<<1, 1>>>(nullptr);
  return sticky(cudaErrorLaunchFailure);
}
static int recursion() {
  unsigned long long* value = nullptr;
  SUCCEEDS(cudaMallocHost(&value, sizeof *value));
  store_factorial<<<1, 1>>>(value, 20);
  SUCCEEDS(cudaDeviceSynchronize());
  HOLDS(*value == 2432902008176640000ULL);
  return 0;
}
static int clocks() {
  long long* waited = nullptr;
  SUCCEEDS(cudaMallocHost(&waited, sizeof *waited));
  wait_for_clock<<<1, 64>>>(waited);
  SUCCEEDS(cudaDeviceSynchronize());
  HOLDS(*waited >= 1000);
  return 0;
}
static int host_pointer() {
  int value = 0;
  store<<<1, 1>>>(&value, 1);
  return sticky(cudaErrorIllegalAddress);
}
static int out_of_memory() {
  void* memory = nullptr;
  HOLDS(cudaMalloc(&memory, size_t{1} << 40) == cudaErrorMemoryAllocation);
  HOLDS(cudaGetLastError() == cudaErrorMemoryAllocation);
  SUCCEEDS(cudaMalloc(&memory, 4));  // not sticky
  return 0;
}
__global__ void pass_round(int* values) {
  const auto grid = cooperative_groups::this_grid();
  const unsigned from = (blockIdx.x + 1) % gridDim.x;
  for (int turn = 0; turn < 3; ++turn) {
    const int taken = values[from] + 1;
    grid.sync();
    if (threadIdx.x == 0) values[blockIdx.x] = taken;
    grid.sync();
  }
}

static int blocks_side_by_side() {
  constexpr int kBlocks = 40;
  int* value = nullptr;
  SUCCEEDS(cudaMalloc(&value, kBlocks * sizeof(int)));
  SUCCEEDS(cudaMemset(value, 0, kBlocks * sizeof(int)));
  void* arguments[] = {&value};
  int cooperative = 0;
  SUCCEEDS(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, 0));
  HOLDS(cooperative == 1);
  SUCCEEDS(cudaLaunchCooperativeKernel(pass_round, dim3(kBlocks), dim3(64), arguments, 0, nullptr));
  int values[kBlocks] = {};
  SUCCEEDS(cudaMemcpy(values, value, sizeof values, cudaMemcpyDeviceToHost));
  for (const int one : values) HOLDS(one == 3);
  HOLDS(cudaLaunchCooperativeKernel(pass_round, dim3(100000), dim3(64), arguments, 0, nullptr) ==
        cudaErrorCooperativeLaunchTooLarge);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 2;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(2);
  config.blockDim = dim3(32);
  config.attrs = &attribute;
  config.numAttrs = 1;
  HOLDS(cudaLaunchKernelEx(&config, increment, value) == cudaErrorNotSupported);
  (void)cudaGetLastError();
  return 0;
}
static int billion_threads() {
  increment_nothing<<<1000000, 1024>>>();
  return sticky(cudaErrorLaunchTimeout);
}

static int refused() {
  cudaGraph_t graph = nullptr;
  HOLDS(cudaGraphCreate(&graph, 0) == cudaErrorNotSupported);
  HOLDS(cudaGetLastError() == cudaErrorNotSupported);
  HOLDS(cudaGraphCreate(&graph, 0) == cudaErrorNotSupported);
  (void)cudaGetLastError();
  return 0;
}

static int planes() {
  const size_t width = 20, height = 5;
  char* device = nullptr;
  size_t pitch = 0;
  SUCCEEDS(cudaMallocPitch(&device, &pitch, width, height));
  HOLDS(pitch >= width && pitch % 512 == 0);
  SUCCEEDS(cudaMemset2D(device, pitch, 9, width, height));
  std::string in(width * height, 'x'), out(width * height, ' ');
  in[width + 1] = 'y';
  SUCCEEDS(cudaMemcpy2D(device, pitch, in.data(), width, width, height - 1,
                        cudaMemcpyHostToDevice));
  SUCCEEDS(cudaMemcpy2D(out.data(), width, device, pitch, width, height, cudaMemcpyDeviceToHost));
  HOLDS(out.substr(0, width * 4) == in.substr(0, width * 4));
  HOLDS(out[width * 4] == 9);
  return 0;
}

static int library() {
  const char* ptx =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry answer(.param .u64 out, .param .u32 value) {\n"
      ".reg .b32 %r<2>; .reg .b64 %rd<3>;\n"
      "ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [value]; cvta.to.global.u64 %rd2, %rd1;\n"
      "st.global.u32 [%rd2], %r1; ret; }\n";
  cudaLibrary_t library = nullptr;
  SUCCEEDS(cudaLibraryLoadData(&library, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
  unsigned count = 0;
  SUCCEEDS(cudaLibraryGetKernelCount(&count, library));
  HOLDS(count == 1);
  cudaKernel_t kernel = nullptr;
  HOLDS(cudaLibraryGetKernel(&kernel, library, "nothing") == cudaErrorSymbolNotFound);
  (void)cudaGetLastError();
  SUCCEEDS(cudaLibraryGetKernel(&kernel, library, "answer"));
  size_t offset = 0, bytes = 0;
  SUCCEEDS(cudaFuncGetParamInfo(kernel, 1, &offset, &bytes));
  HOLDS(offset == 8 && bytes == 4);
  HOLDS(cudaFuncGetParamInfo(kernel, 2, &offset, &bytes) == cudaErrorInvalidValue);
  (void)cudaGetLastError();
  int* value = nullptr;
  SUCCEEDS(cudaMalloc(&value, sizeof(int)));
  int number = 42, got = 0;
  void* arguments[] = {&value, &number};
  SUCCEEDS(cudaLaunchKernel(kernel, dim3(1), dim3(1), arguments, 0, nullptr));
  SUCCEEDS(cudaMemcpy(&got, value, sizeof got, cudaMemcpyDeviceToHost));
  HOLDS(got == 42);
  SUCCEEDS(cudaLibraryUnload(library));
  const char* elf = "\x7f" "ELF";
  HOLDS(cudaLibraryLoadData(&library, elf, nullptr, nullptr, 0, nullptr, nullptr, 0) ==
        cudaErrorNoKernelImageForDevice);
  return 0;
}

static int device() {
  cudaDeviceProp properties;
  SUCCEEDS(cudaGetDeviceProperties(&properties, 0));
  std::printf("%s\n", properties.name);
  int count = 0;
  SUCCEEDS(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
  HOLDS(count == properties.multiProcessorCount);
  int blocks = 0;
  SUCCEEDS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, small_blocks, 64, 0));
  HOLDS(blocks >= 1 && blocks <= properties.maxBlocksPerMultiProcessor);
  SUCCEEDS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, use_shared, 64, 100 * 1024));
  HOLDS(blocks == 2);  // of 228 KiB
  HOLDS(cudaSetDevice(1) == cudaErrorInvalidDevice);
  HOLDS(std::strcmp(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress") == 0);
  return 0;
}

int main(int count, char** words) {
  const std::string name = count > 1 ? words[1] : "";
  const struct {
    const char* name;
    int (*run)();
  } cases[] = {{"vector_add", vector_add}, {"streams_and_events", streams_and_events},
               {"symbols", symbols},       {"managed", managed},
               {"print", print},           {"gate", gate},
               {"bad_configuration", bad_configuration},
               {"illegal_address", illegal_address},
               {"misaligned", misaligned}, {"assertion", assertion},
               {"endless", endless},       {"refused", refused},
               {"endless_recursion", endless_recursion},
               {"recursion", recursion},   {"clocks", clocks},
               {"host_pointer", host_pointer},
               {"out_of_memory", out_of_memory},
               {"blocks_side_by_side", blocks_side_by_side},
               {"billion_threads", billion_threads},
               {"planes", planes},         {"library", library},
               {"device", device}};
  for (const auto& one : cases) {
    if (name == one.name) return one.run();
  }
  std::printf("no case %s\n", name.c_str());
  return 2;
}
