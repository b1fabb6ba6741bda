// 250 elements are no multiple of 4.
// expect: global out of bounds
// ends: fault
// launch: grid 1 block 64
// argument: buffer 1000 ramp
// argument: buffer 4096 zero

extern "C" __global__ void kernel(const float4* in, float4* out) {
  out[threadIdx.x] = in[threadIdx.x];  // here
}
