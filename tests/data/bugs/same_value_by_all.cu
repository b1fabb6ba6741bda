// Right, but wasted.
// expect: same-value stores
// launch: grid 2 block 64
// argument: buffer 4096 zero

extern "C" __global__ void kernel(float* out) {
  out[0] = 3;  // here
}
