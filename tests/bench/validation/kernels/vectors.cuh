// Loads and stores of several neighbouring elements in one instruction, and sums over a block.
#pragma once

#include <cuda_fp16.h>

template <int kBytes>
struct Word;
template <>
struct Word<2> {
  using type = unsigned short;
};
template <>
struct Word<4> {
  using type = unsigned int;
};
template <>
struct Word<8> {
  using type = uint2;
};
template <>
struct Word<16> {
  using type = uint4;
};

template <int kCount>
__device__ void load_halves(const __half* from, float (&values)[kCount]) {
  using Packed = typename Word<2 * kCount>::type;
  Packed packed = *reinterpret_cast<const Packed*>(from);
  const __half* halves = reinterpret_cast<const __half*>(&packed);
#pragma unroll
  for (int i = 0; i < kCount; ++i) values[i] = __half2float(halves[i]);
}

template <int kCount>
__device__ void store_halves(__half* to, const float (&values)[kCount]) {
  using Packed = typename Word<2 * kCount>::type;
  Packed packed;
  __half* halves = reinterpret_cast<__half*>(&packed);
#pragma unroll
  for (int i = 0; i < kCount; ++i) halves[i] = __float2half(values[i]);
  *reinterpret_cast<Packed*>(to) = packed;
}

template <int kCount>
__device__ void load_floats(const float* from, float (&values)[kCount]) {
  using Packed = typename Word<4 * kCount>::type;
  Packed packed = *reinterpret_cast<const Packed*>(from);
  const float* floats = reinterpret_cast<const float*>(&packed);
#pragma unroll
  for (int i = 0; i < kCount; ++i) values[i] = floats[i];
}

template <int kCount>
__device__ void store_floats(float* to, const float (&values)[kCount]) {
  using Packed = typename Word<4 * kCount>::type;
  Packed packed;
  float* floats = reinterpret_cast<float*>(&packed);
#pragma unroll
  for (int i = 0; i < kCount; ++i) floats[i] = values[i];
  *reinterpret_cast<Packed*>(to) = packed;
}

__device__ inline float warp_sum(float value) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  }
  return value;
}

__device__ inline float warp_max(float value) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, offset));
  }
  return value;
}

// Every thread gets the sum; `partial` holds one float a warp.
template <int kBlock>
__device__ float block_sum(float value, float* partial) {
  value = warp_sum(value);
  __syncthreads();
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  float total = 0.0f;
#pragma unroll
  for (int warp = 0; warp < kBlock / 32; ++warp) total += partial[warp];
  return total;
}

template <int kBlock>
__device__ float block_max(float value, float* partial) {
  value = warp_max(value);
  __syncthreads();
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  float largest = partial[0];
#pragma unroll
  for (int warp = 1; warp < kBlock / 32; ++warp) largest = fmaxf(largest, partial[warp]);
  return largest;
}
