// One warp waits at a barrier of two that the other never comes to.
// expect: clean
// ends: deadlock
// launch: grid 1 block 64
// argument: buffer 4096 zero

extern "C" __global__ void kernel(float* x) {
  if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;" ::: "memory");
  x[threadIdx.x] = 1;
}
