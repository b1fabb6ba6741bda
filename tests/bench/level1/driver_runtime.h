#pragma once
/// \file
/// What a generated driver needs: buffers with content, and one line about the output. Only the
/// CUDA runtime; compiled by nvcc together with a problem's init.cu.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace level1 {

/// Larger than any tensor of the shrunken problems: shapes are not known here, so that reads a
/// little beyond a tensor go unseen. The kernels' own buffers are of exact size.
constexpr std::size_t kInputBytes = std::size_t{4} << 20;
constexpr std::size_t kOutputBytes = std::size_t{16} << 20;

inline void check(cudaError_t code, const char* where) {
  if (code == cudaSuccess) return;
  std::printf("failed %s: %s (%s)\n", where, cudaGetErrorName(code), cudaGetErrorString(code));
  std::fflush(stdout);
  std::_Exit(1);
}

/// SplitMix64 on a counter that all buffers share.
inline std::uint64_t random_bits() {
  static std::uint64_t counter = 0;
  std::uint64_t mixed = ++counter * 0x9E3779B97F4A7C15U;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9U;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBU;
  return mixed ^ (mixed >> 31);
}

inline void* upload(const void* data) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, kInputBytes), "cudaMalloc");
  check(cudaMemcpy(memory, data, kInputBytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  return memory;
}

inline void* halves(float low, float high) {
  std::vector<__half> values(kInputBytes / sizeof(__half));
  std::vector<__half> some(4093);
  for (__half& value : some) {
    const float unit = static_cast<float>(random_bits() >> 40) * 0x1p-24f;
    value = __float2half(low + unit * (high - low));
  }
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = some[i % some.size()];
  return upload(values.data());
}

inline void* classes(std::int64_t count) {
  std::vector<std::int64_t> values(kInputBytes / sizeof(std::int64_t));
  for (std::int64_t& value : values) {
    value = static_cast<std::int64_t>(random_bits() % static_cast<std::uint64_t>(count));
  }
  return upload(values.data());
}

inline void* flags() {
  std::vector<std::uint8_t> values(kInputBytes);
  for (std::uint8_t& value : values) value = random_bits() & 1;
  return upload(values.data());
}

inline void*& output_memory() {
  static void* memory = nullptr;
  return memory;
}

/// Zeroes, as the folder's drivers allocate it.
inline void* output() {
  check(cudaMalloc(&output_memory(), kOutputBytes), "cudaMalloc");
  check(cudaMemset(output_memory(), 0, kOutputBytes), "cudaMemset");
  return output_memory();
}

/// Prints "ran nonzero=N nan=N": over the output as f16.
inline void report_output() {
  std::vector<__half> values(kOutputBytes / sizeof(__half));
  check(cudaMemcpy(values.data(), output_memory(), kOutputBytes, cudaMemcpyDeviceToHost),
        "reading the output");
  std::size_t nonzero = 0;
  std::size_t nan = 0;
  for (const __half value : values) {
    const unsigned bits = __half_as_ushort(value);
    nonzero += (bits & 0x7fffu) != 0 ? 1 : 0;
    nan += (bits & 0x7fffu) > 0x7c00u ? 1 : 0;
  }
  std::printf("ran nonzero=%zu nan=%zu\n", nonzero, nan);
}

template <class Launch>
int run(const Launch& launch) {
  launch();
  check(cudaGetLastError(), "launching");
  check(cudaDeviceSynchronize(), "running");
  report_output();
  return 0;
}

}  // namespace level1
