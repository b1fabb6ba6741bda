// expect: misaligned access
// ends: fault
// launch: grid 1 block 32
// argument: buffer 4096 ramp at 4
// argument: buffer 4096 zero

extern "C" __global__ void kernel(const float4* in, float4* out) {
  out[threadIdx.x] = in[threadIdx.x];  // here
}
