// data[i] = max(data[i], 0), one element a thread.
#include <cuda_fp16.h>

extern "C" __global__ void relu_f16(const __half* in, __half* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = __hmax(in[i], __float2half(0.0F));
}
