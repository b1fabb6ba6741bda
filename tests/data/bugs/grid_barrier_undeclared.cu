// expect: block waits for another block
// ends: fault
// launch: grid 6 block 1
// argument: buffer 4 zero
// argument: buffer 512 unset
extern "C" __global__ void kernel(unsigned int* arrived, float* part) {
  part[blockIdx.x] = 1.0f;
  __threadfence();
  atomicAdd(arrived, 1u);
  while (*(volatile unsigned int*)arrived < gridDim.x) {  // here
  }
  __threadfence();
  part[64 + blockIdx.x] = part[(blockIdx.x + 1) % gridDim.x];
}
