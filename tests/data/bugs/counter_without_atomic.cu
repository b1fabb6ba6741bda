// expect: global race
// launch: grid 4 block 32
// argument: buffer 16 zero

extern "C" __global__ void kernel(int* count) {
  if (threadIdx.x == 0) *count = *count + 1;  // here
}
