// expect: misaligned access
// ends: fault
// launch: grid 1 block 32
// argument: buffer 4096 ramp
// argument: buffer 4096 zero

extern "C" __global__ void kernel(const char* in, int* out) {
  out[threadIdx.x] = *reinterpret_cast<const int*>(in + 5 * threadIdx.x);  // here
}
