// expect: device assertion
// ends: fault
// launch: grid 1 block 32
// argument: buffer 4096 ramp
// argument: buffer 4096 zero

#undef NDEBUG
#include <cassert>
extern "C" __global__ void kernel(const float* in, float* out) {
  assert(in[threadIdx.x] < 8);  // here
  out[threadIdx.x] = 1;
}
