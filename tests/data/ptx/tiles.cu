// Asynchronous copies and matrix instructions.
// nvcc -std=c++17 -arch=compute_90a -ptx -lineinfo tiles.cu

__global__ void tile(const float4* in, unsigned* out) {
  __shared__ alignas(128) float4 staged[2][32];
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(&staged[0][threadIdx.x]));
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(address), "l"(in));
  asm volatile("cp.async.commit_group; cp.async.wait_group 0;");
  __syncwarp();
  unsigned a[4], b[2] = {1, 2}, c[4] = {};
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
               : "r"(address));
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  asm volatile("{ .reg .pred p; shfl.sync.down.b32 %0|p, %0, 1, 31, -1; @!p mov.u32 %0, 7; }"
               : "+r"(c[1]));
  asm volatile("griddepcontrol.wait;");
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = c[i];
}
