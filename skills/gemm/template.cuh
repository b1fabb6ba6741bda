// Products of matrices with groups of four warps (skill gemm): one group fetches tiles, others multiply
// and write them; blocks stay and take one tile of the outputs after another. For sm_90a.

// ---- Barriers in shared memory, by address.
__device__ __forceinline__ unsigned wm_gemm_address(const void* at) {
  return static_cast<unsigned>(__cvta_generic_to_shared(at));
}
__device__ __forceinline__ void wm_gemm_make_barrier(unsigned at, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at), "r"(arrivals) : "memory");
}
__device__ __forceinline__ void wm_gemm_arrive(unsigned at) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at) : "memory");
}
__device__ __forceinline__ void wm_gemm_expect(unsigned at, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void wm_gemm_wait(unsigned at, unsigned parity) {
  unsigned done;
  do {
    asm volatile(
        "{\n.reg .pred done;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\n"
        "selp.u32 %0, 1, 0, done;\n}"
        : "=r"(done)
        : "r"(at), "r"(parity)
        : "memory");
  } while (done == 0);
}
// What threads wrote to shared memory becomes visible to the products.
__device__ __forceinline__ void wm_gemm_show() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// ---- Products of groups of four warps: sums += left * right of 64 rows and sixteen terms, from
// descriptors of tiles; kTurn...: lines run along rows (columns).
template <bool kBfloat, int kTurnLeft, int kTurnRight>
__device__ __forceinline__ void wm_gemm_product(float (&sums)[32], unsigned long long left,
                                                unsigned long long right) {
  if constexpr (kBfloat) {
    asm volatile(
        "{\n.reg .pred add;\nsetp.eq.u32 add, 0, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
        "%32, %33, add, 1, 1, %34, %35;\n}"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3]),
          "+f"(sums[4]), "+f"(sums[5]), "+f"(sums[6]), "+f"(sums[7]),
          "+f"(sums[8]), "+f"(sums[9]), "+f"(sums[10]), "+f"(sums[11]),
          "+f"(sums[12]), "+f"(sums[13]), "+f"(sums[14]), "+f"(sums[15]),
          "+f"(sums[16]), "+f"(sums[17]), "+f"(sums[18]), "+f"(sums[19]),
          "+f"(sums[20]), "+f"(sums[21]), "+f"(sums[22]), "+f"(sums[23]),
          "+f"(sums[24]), "+f"(sums[25]), "+f"(sums[26]), "+f"(sums[27]),
          "+f"(sums[28]), "+f"(sums[29]), "+f"(sums[30]), "+f"(sums[31])
        : "l"(left), "l"(right), "n"(kTurnLeft), "n"(kTurnRight));
  }
  if constexpr (!kBfloat) {
    asm volatile(
        "{\n.reg .pred add;\nsetp.eq.u32 add, 0, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
        "%32, %33, add, 1, 1, %34, %35;\n}"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3]),
          "+f"(sums[4]), "+f"(sums[5]), "+f"(sums[6]), "+f"(sums[7]),
          "+f"(sums[8]), "+f"(sums[9]), "+f"(sums[10]), "+f"(sums[11]),
          "+f"(sums[12]), "+f"(sums[13]), "+f"(sums[14]), "+f"(sums[15]),
          "+f"(sums[16]), "+f"(sums[17]), "+f"(sums[18]), "+f"(sums[19]),
          "+f"(sums[20]), "+f"(sums[21]), "+f"(sums[22]), "+f"(sums[23]),
          "+f"(sums[24]), "+f"(sums[25]), "+f"(sums[26]), "+f"(sums[27]),
          "+f"(sums[28]), "+f"(sums[29]), "+f"(sums[30]), "+f"(sums[31])
        : "l"(left), "l"(right), "n"(kTurnLeft), "n"(kTurnRight));
  }
}
template <bool kBfloat, int kTurnLeft, int kTurnRight>
__device__ __forceinline__ void wm_gemm_product(float (&sums)[64], unsigned long long left,
                                                unsigned long long right) {
  if constexpr (kBfloat) {
    asm volatile(
        "{\n.reg .pred add;\nsetp.eq.u32 add, 0, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
        "%64, %65, add, 1, 1, %66, %67;\n}"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3]),
          "+f"(sums[4]), "+f"(sums[5]), "+f"(sums[6]), "+f"(sums[7]),
          "+f"(sums[8]), "+f"(sums[9]), "+f"(sums[10]), "+f"(sums[11]),
          "+f"(sums[12]), "+f"(sums[13]), "+f"(sums[14]), "+f"(sums[15]),
          "+f"(sums[16]), "+f"(sums[17]), "+f"(sums[18]), "+f"(sums[19]),
          "+f"(sums[20]), "+f"(sums[21]), "+f"(sums[22]), "+f"(sums[23]),
          "+f"(sums[24]), "+f"(sums[25]), "+f"(sums[26]), "+f"(sums[27]),
          "+f"(sums[28]), "+f"(sums[29]), "+f"(sums[30]), "+f"(sums[31]),
          "+f"(sums[32]), "+f"(sums[33]), "+f"(sums[34]), "+f"(sums[35]),
          "+f"(sums[36]), "+f"(sums[37]), "+f"(sums[38]), "+f"(sums[39]),
          "+f"(sums[40]), "+f"(sums[41]), "+f"(sums[42]), "+f"(sums[43]),
          "+f"(sums[44]), "+f"(sums[45]), "+f"(sums[46]), "+f"(sums[47]),
          "+f"(sums[48]), "+f"(sums[49]), "+f"(sums[50]), "+f"(sums[51]),
          "+f"(sums[52]), "+f"(sums[53]), "+f"(sums[54]), "+f"(sums[55]),
          "+f"(sums[56]), "+f"(sums[57]), "+f"(sums[58]), "+f"(sums[59]),
          "+f"(sums[60]), "+f"(sums[61]), "+f"(sums[62]), "+f"(sums[63])
        : "l"(left), "l"(right), "n"(kTurnLeft), "n"(kTurnRight));
  }
  if constexpr (!kBfloat) {
    asm volatile(
        "{\n.reg .pred add;\nsetp.eq.u32 add, 0, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
        "%64, %65, add, 1, 1, %66, %67;\n}"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3]),
          "+f"(sums[4]), "+f"(sums[5]), "+f"(sums[6]), "+f"(sums[7]),
          "+f"(sums[8]), "+f"(sums[9]), "+f"(sums[10]), "+f"(sums[11]),
          "+f"(sums[12]), "+f"(sums[13]), "+f"(sums[14]), "+f"(sums[15]),
          "+f"(sums[16]), "+f"(sums[17]), "+f"(sums[18]), "+f"(sums[19]),
          "+f"(sums[20]), "+f"(sums[21]), "+f"(sums[22]), "+f"(sums[23]),
          "+f"(sums[24]), "+f"(sums[25]), "+f"(sums[26]), "+f"(sums[27]),
          "+f"(sums[28]), "+f"(sums[29]), "+f"(sums[30]), "+f"(sums[31]),
          "+f"(sums[32]), "+f"(sums[33]), "+f"(sums[34]), "+f"(sums[35]),
          "+f"(sums[36]), "+f"(sums[37]), "+f"(sums[38]), "+f"(sums[39]),
          "+f"(sums[40]), "+f"(sums[41]), "+f"(sums[42]), "+f"(sums[43]),
          "+f"(sums[44]), "+f"(sums[45]), "+f"(sums[46]), "+f"(sums[47]),
          "+f"(sums[48]), "+f"(sums[49]), "+f"(sums[50]), "+f"(sums[51]),
          "+f"(sums[52]), "+f"(sums[53]), "+f"(sums[54]), "+f"(sums[55]),
          "+f"(sums[56]), "+f"(sums[57]), "+f"(sums[58]), "+f"(sums[59]),
          "+f"(sums[60]), "+f"(sums[61]), "+f"(sums[62]), "+f"(sums[63])
        : "l"(left), "l"(right), "n"(kTurnLeft), "n"(kTurnRight));
  }
}
template <bool kBfloat, int kTurnLeft, int kTurnRight>
__device__ __forceinline__ void wm_gemm_product(float (&sums)[128], unsigned long long left,
                                                unsigned long long right) {
  if constexpr (kBfloat) {
    asm volatile(
        "{\n.reg .pred add;\nsetp.eq.u32 add, 0, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
        "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
        "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
        "%128, %129, add, 1, 1, %130, %131;\n}"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3]),
          "+f"(sums[4]), "+f"(sums[5]), "+f"(sums[6]), "+f"(sums[7]),
          "+f"(sums[8]), "+f"(sums[9]), "+f"(sums[10]), "+f"(sums[11]),
          "+f"(sums[12]), "+f"(sums[13]), "+f"(sums[14]), "+f"(sums[15]),
          "+f"(sums[16]), "+f"(sums[17]), "+f"(sums[18]), "+f"(sums[19]),
          "+f"(sums[20]), "+f"(sums[21]), "+f"(sums[22]), "+f"(sums[23]),
          "+f"(sums[24]), "+f"(sums[25]), "+f"(sums[26]), "+f"(sums[27]),
          "+f"(sums[28]), "+f"(sums[29]), "+f"(sums[30]), "+f"(sums[31]),
          "+f"(sums[32]), "+f"(sums[33]), "+f"(sums[34]), "+f"(sums[35]),
          "+f"(sums[36]), "+f"(sums[37]), "+f"(sums[38]), "+f"(sums[39]),
          "+f"(sums[40]), "+f"(sums[41]), "+f"(sums[42]), "+f"(sums[43]),
          "+f"(sums[44]), "+f"(sums[45]), "+f"(sums[46]), "+f"(sums[47]),
          "+f"(sums[48]), "+f"(sums[49]), "+f"(sums[50]), "+f"(sums[51]),
          "+f"(sums[52]), "+f"(sums[53]), "+f"(sums[54]), "+f"(sums[55]),
          "+f"(sums[56]), "+f"(sums[57]), "+f"(sums[58]), "+f"(sums[59]),
          "+f"(sums[60]), "+f"(sums[61]), "+f"(sums[62]), "+f"(sums[63]),
          "+f"(sums[64]), "+f"(sums[65]), "+f"(sums[66]), "+f"(sums[67]),
          "+f"(sums[68]), "+f"(sums[69]), "+f"(sums[70]), "+f"(sums[71]),
          "+f"(sums[72]), "+f"(sums[73]), "+f"(sums[74]), "+f"(sums[75]),
          "+f"(sums[76]), "+f"(sums[77]), "+f"(sums[78]), "+f"(sums[79]),
          "+f"(sums[80]), "+f"(sums[81]), "+f"(sums[82]), "+f"(sums[83]),
          "+f"(sums[84]), "+f"(sums[85]), "+f"(sums[86]), "+f"(sums[87]),
          "+f"(sums[88]), "+f"(sums[89]), "+f"(sums[90]), "+f"(sums[91]),
          "+f"(sums[92]), "+f"(sums[93]), "+f"(sums[94]), "+f"(sums[95]),
          "+f"(sums[96]), "+f"(sums[97]), "+f"(sums[98]), "+f"(sums[99]),
          "+f"(sums[100]), "+f"(sums[101]), "+f"(sums[102]), "+f"(sums[103]),
          "+f"(sums[104]), "+f"(sums[105]), "+f"(sums[106]), "+f"(sums[107]),
          "+f"(sums[108]), "+f"(sums[109]), "+f"(sums[110]), "+f"(sums[111]),
          "+f"(sums[112]), "+f"(sums[113]), "+f"(sums[114]), "+f"(sums[115]),
          "+f"(sums[116]), "+f"(sums[117]), "+f"(sums[118]), "+f"(sums[119]),
          "+f"(sums[120]), "+f"(sums[121]), "+f"(sums[122]), "+f"(sums[123]),
          "+f"(sums[124]), "+f"(sums[125]), "+f"(sums[126]), "+f"(sums[127])
        : "l"(left), "l"(right), "n"(kTurnLeft), "n"(kTurnRight));
  }
  if constexpr (!kBfloat) {
    asm volatile(
        "{\n.reg .pred add;\nsetp.eq.u32 add, 0, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
        "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
        "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
        "%128, %129, add, 1, 1, %130, %131;\n}"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3]),
          "+f"(sums[4]), "+f"(sums[5]), "+f"(sums[6]), "+f"(sums[7]),
          "+f"(sums[8]), "+f"(sums[9]), "+f"(sums[10]), "+f"(sums[11]),
          "+f"(sums[12]), "+f"(sums[13]), "+f"(sums[14]), "+f"(sums[15]),
          "+f"(sums[16]), "+f"(sums[17]), "+f"(sums[18]), "+f"(sums[19]),
          "+f"(sums[20]), "+f"(sums[21]), "+f"(sums[22]), "+f"(sums[23]),
          "+f"(sums[24]), "+f"(sums[25]), "+f"(sums[26]), "+f"(sums[27]),
          "+f"(sums[28]), "+f"(sums[29]), "+f"(sums[30]), "+f"(sums[31]),
          "+f"(sums[32]), "+f"(sums[33]), "+f"(sums[34]), "+f"(sums[35]),
          "+f"(sums[36]), "+f"(sums[37]), "+f"(sums[38]), "+f"(sums[39]),
          "+f"(sums[40]), "+f"(sums[41]), "+f"(sums[42]), "+f"(sums[43]),
          "+f"(sums[44]), "+f"(sums[45]), "+f"(sums[46]), "+f"(sums[47]),
          "+f"(sums[48]), "+f"(sums[49]), "+f"(sums[50]), "+f"(sums[51]),
          "+f"(sums[52]), "+f"(sums[53]), "+f"(sums[54]), "+f"(sums[55]),
          "+f"(sums[56]), "+f"(sums[57]), "+f"(sums[58]), "+f"(sums[59]),
          "+f"(sums[60]), "+f"(sums[61]), "+f"(sums[62]), "+f"(sums[63]),
          "+f"(sums[64]), "+f"(sums[65]), "+f"(sums[66]), "+f"(sums[67]),
          "+f"(sums[68]), "+f"(sums[69]), "+f"(sums[70]), "+f"(sums[71]),
          "+f"(sums[72]), "+f"(sums[73]), "+f"(sums[74]), "+f"(sums[75]),
          "+f"(sums[76]), "+f"(sums[77]), "+f"(sums[78]), "+f"(sums[79]),
          "+f"(sums[80]), "+f"(sums[81]), "+f"(sums[82]), "+f"(sums[83]),
          "+f"(sums[84]), "+f"(sums[85]), "+f"(sums[86]), "+f"(sums[87]),
          "+f"(sums[88]), "+f"(sums[89]), "+f"(sums[90]), "+f"(sums[91]),
          "+f"(sums[92]), "+f"(sums[93]), "+f"(sums[94]), "+f"(sums[95]),
          "+f"(sums[96]), "+f"(sums[97]), "+f"(sums[98]), "+f"(sums[99]),
          "+f"(sums[100]), "+f"(sums[101]), "+f"(sums[102]), "+f"(sums[103]),
          "+f"(sums[104]), "+f"(sums[105]), "+f"(sums[106]), "+f"(sums[107]),
          "+f"(sums[108]), "+f"(sums[109]), "+f"(sums[110]), "+f"(sums[111]),
          "+f"(sums[112]), "+f"(sums[113]), "+f"(sums[114]), "+f"(sums[115]),
          "+f"(sums[116]), "+f"(sums[117]), "+f"(sums[118]), "+f"(sums[119]),
          "+f"(sums[120]), "+f"(sums[121]), "+f"(sums[122]), "+f"(sums[123]),
          "+f"(sums[124]), "+f"(sums[125]), "+f"(sums[126]), "+f"(sums[127])
        : "l"(left), "l"(right), "n"(kTurnLeft), "n"(kTurnRight));
  }
}
// A tile with units of sixteen bytes exchanged over 128 bytes, as the product wants it: eight lines
// are 1024 bytes, 64 lines 8192.
__device__ __forceinline__ unsigned long long wm_gemm_descriptor(unsigned at) {
  return (1ull << 62) | (64ull << 32) | (512ull << 16) | ((at & 0x3ffffu) >> 4);
}
template <int kCount>
__device__ __forceinline__ void wm_gemm_pin(float (&sums)[kCount]) {
#pragma unroll
  for (int i = 0; i < kCount; ++i) asm volatile("" : "+f"(sums[i])::"memory");
}

// ---- An operand: where it lies, found by asking the problem, and tiles of 64 terms of it. A tile
// stands in panels of 64 lines of 128 bytes; a line runs along what is contiguous in memory.
template <class Element, int kExtent, bool kAlongDepth, unsigned kThreads>
struct wm_gemm_operand {
  static constexpr unsigned kBytes = kExtent * 128;
  static constexpr unsigned kPanels = kExtent / 64;

  const Element* origin;
  long long line_stride;   // in elements; units of a line lie side by side
  long long batch_stride;
  bool is_even;            // all that holds, and units of sixteen bytes are aligned

  // By all threads of the block; they agree on the result.
  template <class Source>
  __device__ __forceinline__ void find(const Source& source, bool is_linear, unsigned rows,
                                       unsigned depth, unsigned batches) {
    is_even = is_linear && rows > 0u && depth > 0u && batches > 0u;
    line_stride = batch_stride = 0;
    origin = nullptr;
    if (is_even) {
      origin = source(0u, 0u, 0u);
      const unsigned across = kAlongDepth ? depth : rows;
      const unsigned down = kAlongDepth ? rows : depth;
      const auto at = [&](unsigned line, unsigned place) {
        return kAlongDepth ? source(0u, line, place) : source(0u, place, line);
      };
      line_stride = down > 1u ? at(1u, 0u) - origin : (across + 7ll) / 8 * 8;
      batch_stride = batches > 1u ? source(1u, 0u, 0u) - origin : line_stride * down;
      is_even = origin != nullptr && (across == 1u || at(0u, 1u) == origin + 1) &&
                at(0u, across - 1u) == origin + (across - 1u) &&
                at(down - 1u, across - 1u) == origin + (down - 1u) * line_stride + (across - 1u) &&
                at(down - 1u, 0u) == origin + (down - 1u) * line_stride && line_stride > 0 &&
                line_stride % 8 == 0 && batch_stride >= 0 && batch_stride % 8 == 0 &&
                (reinterpret_cast<size_t>(origin) & 15u) == 0;
      for (unsigned b = threadIdx.x; b < batches; b += kThreads) {
        is_even = is_even && source(b, 0u, 0u) == origin + b * batch_stride;
      }
    }
    is_even = __syncthreads_and(is_even) != 0;
  }

  // ---- Copies by threads 0 ... 127, sixteen bytes each.
  template <class Source>
  __device__ __forceinline__ void copy(const Source& source, unsigned to, unsigned char* memory,
                                       unsigned batch, unsigned first, unsigned rows,
                                       unsigned from, unsigned depth) const {
    const unsigned line = threadIdx.x / 8u;
    const unsigned unit = threadIdx.x % 8u;
    const unsigned offset = line * 128u + ((unit ^ (line & 7u)) << 4);
    constexpr unsigned kSteps = kAlongDepth ? kExtent / 16 : 4;  // of sixteen lines
    const unsigned first_line = (kAlongDepth ? first : from) + line;
    const unsigned lines = kAlongDepth ? rows : depth;
    const unsigned across = kAlongDepth ? depth : rows;
    const unsigned place = (kAlongDepth ? from : first) + unit * 8u;
    if (is_even && (kAlongDepth ? from + 64u : first + kExtent) <= across) {
      const Element* const at = origin + batch * batch_stride + first_line * line_stride + place;
#pragma unroll
      for (unsigned p = 0; p < (kAlongDepth ? 1u : kPanels); ++p) {
#pragma unroll
        for (unsigned i = 0; i < kSteps; ++i) {
          const unsigned bytes = first_line + i * 16u < lines ? 16u : 0u;
          const Element* const here = bytes != 0u ? at + (i * 16u * line_stride + p * 64u) : origin;
          asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                           to + offset + p * 8192u + i * 2048u),
                       "l"(here), "r"(bytes)
                       : "memory");
        }
      }
      return;
    }
#pragma unroll 1
    for (unsigned p = 0; p < (kAlongDepth ? 1u : kPanels); ++p) {
#pragma unroll 1
      for (unsigned i = 0; i < kSteps; ++i) {
        copy_any(source, to, memory, offset + p * 8192u + i * 2048u, batch, first_line + i * 16u,
                 lines, place + p * 64u, across);
      }
    }
  }

 private:
  // One unit, wherever its elements lie.
  template <class Source>
  __device__ __forceinline__ void copy_any(const Source& source, unsigned to, unsigned char* memory,
                                           unsigned offset, unsigned batch, unsigned line,
                                           unsigned lines, unsigned place, unsigned across) const {
    uint4 piece = make_uint4(0u, 0u, 0u, 0u);
    Element few[8];
    memcpy(few, &piece, 16);
    if (line < lines) {
#pragma unroll
      for (unsigned j = 0; j < 8u; ++j) {
        if (place + j >= across) continue;
        const Element* const here =
            kAlongDepth ? source(batch, line, place + j) : source(batch, place + j, line);
        if (here != nullptr) few[j] = *here;
      }
    }
    memcpy(&piece, few, 16);
    *reinterpret_cast<uint4*>(memory + offset) = piece;
  }
};

// ---- Tensor maps, made where they are used: `map` in global memory, 128 bytes, for one block.
// By one warp, through 128 bytes of shared memory at `at`: boxes of `box_lines` lines of 64 elements.
// Numbers of the type: 10 is bfloat16, 6 is half.
template <class Element, bool kBfloat>
__device__ __forceinline__ void wm_gemm_make_map(unsigned at, void* map, const Element* origin,
                                                 unsigned across, unsigned lines, unsigned batches,
                                                 long long line_stride, long long batch_stride,
                                                 unsigned box_lines) {
  const unsigned lane = threadIdx.x % 32u;
  asm volatile("st.shared.b32 [%0], %1;" ::"r"(at + lane * 4u), "r"(0u) : "memory");
  __syncwarp();
  if (lane == 0u) {
    // Compilers before CUDA 12.5 took strides in units of sixteen bytes.
#if __CUDACC_VER_MAJOR__ > 12 || (__CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ >= 5)
    constexpr long long kStrideUnit = 1;
#else
    constexpr long long kStrideUnit = 16;
#endif
    const long long line_bytes = line_stride * 2 / kStrideUnit;
    const long long batch_bytes = batch_stride * 2 / kStrideUnit;
    asm volatile(
        "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;\n"
        "tensormap.replace.tile.rank.shared::cta.b1024.b32 [%0], 2;\n"
        "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 0, 64;\n"
        "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 1, %7;\n"
        "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 2, 1;\n"
        "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 0, %2;\n"
        "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %3;\n"
        "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 2, %4;\n"
        "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, %5;\n"
        "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 1, %6;\n"
        "tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%0], 0, 1;\n"
        "tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%0], 1, 1;\n"
        "tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%0], 2, 1;\n"
        "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], %8;\n"
        "tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%0], 0;\n"
        "tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%0], 3;\n"
        "tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%0], 0;\n" ::"r"(at),
        "l"(origin), "r"(across), "r"(lines), "r"(batches), "l"(line_bytes), "l"(batch_bytes),
        "r"(box_lines), "n"(kBfloat ? 10 : 6)
        : "memory");
  }
  __syncwarp();
  asm volatile(
      "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
      "[%0], [%1], 128;" ::"l"(map),
      "r"(at)
      : "memory");
}
// Before the first copy by a map that another warp may have made.
__device__ __forceinline__ void wm_gemm_take_map(void* map) {
  asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
}
// A box of the operand behind `map` to shared memory; zeros stand for what is outside.
__device__ __forceinline__ void wm_gemm_load_box(unsigned to, const void* map, unsigned place,
                                                 unsigned line, unsigned batch, unsigned barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, "
      "{%3, %4, %5}], [%2];" ::"r"(to),
      "l"(map), "r"(barrier), "r"(place), "r"(line), "r"(batch)
      : "memory");
}
template <class Element, int kExtent, bool kAlongDepth>
__device__ __forceinline__ void wm_gemm_load_tile(unsigned to, const void* map, unsigned batch,
                                                  unsigned first, unsigned from,
                                                  unsigned barrier) {
  if constexpr (kAlongDepth) {
    wm_gemm_load_box(to, map, from, first, batch, barrier);
  } else {
#pragma unroll
    for (unsigned p = 0; p < kExtent / 64u; ++p) {
      wm_gemm_load_box(to + p * 8192u, map, first + p * 64u, from, batch, barrier);
    }
  }
}

// ---- The outputs of a tile through the problem's own tail.
template <class Element>
struct wm_gemm_output {
  Element* at;
  Element value;
};
template <class Element>
__device__ __forceinline__ void wm_gemm_store_unit(Element* at, const Element* values) {
  uint4 words;
  memcpy(&words, values, 16);
  *reinterpret_cast<uint4*>(at) = words;
}
// A strip of sixteen rows and 32 columns of sums in shared memory, by one warp.
template <class Problem>
__device__ __forceinline__ void wm_gemm_put_strip(const Problem& problem, const float* strip,
                                                  unsigned batch, unsigned first_row, unsigned rows,
                                                  unsigned first_column, unsigned columns) {
  constexpr int kPitch = 36;
  const unsigned lane = threadIdx.x % 32u;
  if constexpr (Problem::is_wide) {
    using Element = typename Problem::output;
    constexpr unsigned kWide = 16 / sizeof(Element);
    constexpr unsigned kAcross = 32 / kWide;
#pragma unroll
    for (unsigned piece = lane; piece < 16u * kAcross; piece += 32u) {
      const unsigned row = first_row + piece / kAcross;
      const unsigned column = first_column + piece % kAcross * kWide;
      const float* const from = strip + piece / kAcross * kPitch + piece % kAcross * kWide;
      if (row >= rows) continue;
      if (column + kWide > columns) {
#pragma unroll 1
        for (unsigned i = 0; column + i < columns; ++i) {
          problem.finish(batch, row, column + i, from[i]);
        }
        continue;
      }
      float sums[kWide];
#pragma unroll
      for (unsigned i = 0; i < kWide; i += 4) {
        const float4 four = *reinterpret_cast<const float4*>(from + i);
        sums[i] = four.x;
        sums[i + 1] = four.y;
        sums[i + 2] = four.z;
        sums[i + 3] = four.w;
      }
      wm_gemm_output<Element> outputs[kWide];
      bool together = true;
#pragma unroll
      for (unsigned i = 0; i < kWide; ++i) {
        outputs[i].at = nullptr;
        problem.finish(batch, row, column + i, sums[i], outputs[i]);
        // Where probes saw neighbours side by side, the last place tells.
        together = together && outputs[i].at != nullptr &&
                   ((Problem::is_output_even && i + 1 < kWide) ||
                    outputs[i].at == outputs[0].at + i);
      }
      if (together && (reinterpret_cast<size_t>(outputs[0].at) & 15u) == 0) {
        Element values[kWide];
#pragma unroll
        for (unsigned i = 0; i < kWide; ++i) values[i] = outputs[i].value;
        wm_gemm_store_unit(outputs[0].at, values);
      } else {
#pragma unroll
        for (unsigned i = 0; i < kWide; ++i) {
          if (outputs[i].at != nullptr) *outputs[i].at = outputs[i].value;
        }
      }
    }
  } else {
#pragma unroll 1
    for (unsigned down = 0; down < 16u; ++down) {
      if (first_row + down < rows && first_column + lane < columns) {
        problem.finish(batch, first_row + down, first_column + lane, strip[down * kPitch + lane]);
      }
    }
  }
}

// Neighbouring tiles lie in a band of tiles, so that blocks that run together share operands.
struct wm_gemm_place {
  unsigned batch, row, column;
  __device__ __forceinline__ wm_gemm_place(unsigned tile, unsigned down, unsigned across,
                                           unsigned band) {
    batch = tile / (down * across);
    const unsigned rest = tile - batch * down * across;
    const unsigned first = rest / (band * across) * band;
    const unsigned high = min(band, down - first);
    const unsigned in_band = rest - first * across;
    row = first + in_band % high;
    column = in_band / high;
  }
};

// kTeams teams of multiplying groups take turns at the tiles; a team has kGroups groups of 64 rows
// each and all kColumns columns of its tile. `maps`: 256 bytes for each block, aligned to 128.
template <class Problem, bool kBfloat, int kTeams, int kGroups, int kColumns, int kStages>
__device__ void wm_gemm(const Problem& problem, unsigned* maps) {
  using Element = typename Problem::element;
  constexpr int kRows = kGroups * 64;
  constexpr bool kLeftAlong = Problem::left_along_depth;
  constexpr bool kRightAlong = Problem::right_along_depth;
  constexpr unsigned kWorkers = kTeams * kGroups;
  constexpr unsigned kThreads = 128 * (1 + kWorkers);
  using Left = wm_gemm_operand<Element, kRows, kLeftAlong, kThreads>;
  using Right = wm_gemm_operand<Element, kColumns, kRightAlong, kThreads>;
  constexpr unsigned kStageBytes = Left::kBytes + Right::kBytes;
  constexpr unsigned kStripBytes = 16 * 36 * 4;
  // 128 sums a thread: those who fetch give registers to those who multiply.
  constexpr bool kTrades = kColumns == 256 && kWorkers == 2;
  extern __shared__ unsigned char wm_gemm_memory[];
  // The exchange of units counts from multiples of 1024 bytes.
  const unsigned skip = (1024u - (wm_gemm_address(wm_gemm_memory) & 1023u)) & 1023u;
  unsigned char* const memory = wm_gemm_memory + skip;
  const unsigned stages = wm_gemm_address(memory);
  unsigned char* const strips = memory + kStages * kStageBytes;
  const unsigned full = wm_gemm_address(strips) + kWorkers * 4u * kStripBytes;
  const unsigned empty = full + kStages * 8u;
  const unsigned turns = empty + kStages * 8u;

  const unsigned rows = problem.rows();
  const unsigned columns = problem.columns();
  const unsigned depth = problem.depth();
  const unsigned batches = problem.batches();
  const auto left_source = [&](unsigned b, unsigned r, unsigned k) { return problem.left(b, r, k); };
  const auto right_source = [&](unsigned b, unsigned c, unsigned k) { return problem.right(b, c, k); };
  Left left;
  Right right;
  left.find(left_source, Problem::is_left_even, rows, depth, batches);
  right.find(right_source, Problem::is_right_even, columns, depth, batches);
  const bool by_maps = left.is_even && right.is_even;

  const unsigned down = (rows + kRows - 1u) / kRows;
  const unsigned across = (columns + kColumns - 1u) / kColumns;
  const unsigned tiles = down * across * batches;
  const unsigned steps = (depth + 63u) / 64u;
  constexpr unsigned kBand = kColumns >= 4 * kRows ? 24 : kColumns >= 2 * kRows ? 16 : 11;
  const unsigned group = __shfl_sync(0xffffffffu, threadIdx.x / 128u, 0);

  if (threadIdx.x == 0u) {
    for (int s = 0; s < kStages; ++s) {
      wm_gemm_make_barrier(full + s * 8u, by_maps ? 1u : 128u);
      wm_gemm_make_barrier(empty + s * 8u, kGroups * 4u);
    }
    for (int t = 0; t < kTeams; ++t) wm_gemm_make_barrier(turns + t * 8u, kGroups * 4u);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    wm_gemm_show();
  }
  unsigned char* const own_maps = reinterpret_cast<unsigned char*>(maps) + blockIdx.x * 256u;
  __syncthreads();

  if (group == 0u) {
    if constexpr (kTrades) asm volatile("setmaxnreg.dec.sync.aligned.u32 72;");
    unsigned stage = 0;
    unsigned round = 1;  // parity of the turn of the ring that was emptied before
    if (by_maps) {
      // Two warps make a map each.
      if (threadIdx.x >= 64u) return;
      if (threadIdx.x < 32u) {
        wm_gemm_make_map<Element, kBfloat>(
            stages, own_maps, left.origin, kLeftAlong ? depth : rows, kLeftAlong ? rows : depth,
            batches, left.line_stride, left.batch_stride, kLeftAlong ? kRows : 64u);
      } else {
        wm_gemm_make_map<Element, kBfloat>(
            stages + 128u, own_maps + 128, right.origin, kRightAlong ? depth : columns,
            kRightAlong ? columns : depth, batches, right.line_stride, right.batch_stride,
            kRightAlong ? kColumns : 64u);
      }
      asm volatile("barrier.sync 1, 64;" ::: "memory");
      if (threadIdx.x != 0u) return;
      wm_gemm_take_map(own_maps);
      wm_gemm_take_map(own_maps + 128);
      for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const wm_gemm_place place(tile, down, across, kBand);
        for (unsigned step = 0; step < steps; ++step) {
          wm_gemm_wait(empty + stage * 8u, round);
          const unsigned to = stages + stage * kStageBytes;
          wm_gemm_expect(full + stage * 8u, kStageBytes);
          wm_gemm_load_tile<Element, kRows, kLeftAlong>(to, own_maps, place.batch,
                                                        place.row * kRows, step * 64u,
                                                        full + stage * 8u);
          wm_gemm_load_tile<Element, kColumns, kRightAlong>(to + Left::kBytes, own_maps + 128,
                                                            place.batch, place.column * kColumns,
                                                            step * 64u, full + stage * 8u);
          if (++stage == kStages) {
            stage = 0;
            round ^= 1u;
          }
        }
      }
      return;
    }
    // Copies of this thread arrive kBehind tiles later.
    constexpr unsigned kBehind = kStages > 4 ? 4 : kStages - 2;
    unsigned done = 0;    // stage that arrives next
    unsigned issued = 0;  // and has not arrived
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
      const wm_gemm_place place(tile, down, across, kBand);
      for (unsigned step = 0; step < steps; ++step) {
        wm_gemm_wait(empty + stage * 8u, round);
        const unsigned to = stages + stage * kStageBytes;
        unsigned char* const generic = memory + stage * kStageBytes;
        left.copy(left_source, to, generic, place.batch, place.row * kRows, rows, step * 64u, depth);
        right.copy(right_source, to + Left::kBytes, generic + Left::kBytes, place.batch,
                   place.column * kColumns, columns, step * 64u, depth);
        asm volatile("cp.async.commit_group;" ::: "memory");
        if (issued == kBehind) {
          asm volatile("cp.async.wait_group %0;" ::"n"(kBehind) : "memory");
          wm_gemm_show();
          wm_gemm_arrive(full + done * 8u);
          done = done + 1u == kStages ? 0u : done + 1u;
        } else {
          ++issued;
        }
        if (++stage == kStages) {
          stage = 0;
          round ^= 1u;
        }
      }
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    wm_gemm_show();
    for (; issued > 0u; --issued) {
      wm_gemm_arrive(full + done * 8u);
      done = done + 1u == kStages ? 0u : done + 1u;
    }
    return;
  }

  if constexpr (kTrades) asm volatile("setmaxnreg.inc.sync.aligned.u32 216;");
  const unsigned lane = threadIdx.x % 32u;
  const unsigned team = (group - 1u) / kGroups;
  const unsigned member = (group - 1u) % kGroups;
  const unsigned warp = threadIdx.x / 32u % 4u;
  float* const strip =
      reinterpret_cast<float*>(strips + ((group - 1u) * 4u + warp) * kStripBytes);
  unsigned stage = 0;
  unsigned round = 0;
  const auto skip_steps = [&](unsigned count) {  // those of other teams
    const unsigned to = stage + count;
    round ^= to / kStages & 1u;
    stage = to % kStages;
  };
  if (kTeams > 1) skip_steps(team * steps);
  unsigned turn = team == 0u ? 1u : 0u;  // parity; the first tile waits for nobody
  for (unsigned tile = blockIdx.x + team * gridDim.x; tile < tiles; tile += kTeams * gridDim.x) {
    float sums[kColumns / 2];
#pragma unroll
    for (int i = 0; i < kColumns / 2; ++i) sums[i] = 0.0f;
    wm_gemm_pin(sums);
    // Barriers tell this turn of the ring from the one before alone, so teams multiply in turn.
    if (kTeams > 1) wm_gemm_wait(turns + team * 8u, turn);
    turn ^= 1u;
    unsigned before = stage;
    for (unsigned step = 0; step < steps; ++step) {
      wm_gemm_wait(full + stage * 8u, round);
      const unsigned left_at = stages + stage * kStageBytes + member * 8192u;
      const unsigned right_at = stages + stage * kStageBytes + Left::kBytes;
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        wm_gemm_product<kBfloat, !kLeftAlong, !kRightAlong>(
            sums, wm_gemm_descriptor(left_at + k * (kLeftAlong ? 32u : 2048u)),
            wm_gemm_descriptor(right_at + k * (kRightAlong ? 32u : 2048u)));
      }
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
      asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
      if (step > 0u && lane == 0u) wm_gemm_arrive(empty + before * 8u);
      before = stage;
      if (++stage == kStages) {
        stage = 0;
        round ^= 1u;
      }
    }
    if (kTeams > 1 && lane == 0u) wm_gemm_arrive(turns + (team + 1u) % kTeams * 8u);
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    wm_gemm_pin(sums);
    if (steps > 0u && lane == 0u) wm_gemm_arrive(empty + before * 8u);
    if (kTeams > 1) skip_steps((kTeams - 1) * steps);
    const wm_gemm_place place(tile, down, across, kBand);
    // Code that runs once a tile is fetched anew each time: little of it, in a loop.
#pragma unroll 1
    for (int part = 0; part < kColumns / 32; ++part) {
#pragma unroll
      for (int own = 0; own < kColumns / 32; ++own) {
        if (own != part) continue;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          float* const to = strip + lane / 4u * 36u + j * 8 + lane % 4u * 2u;
          const int first = (own * 4 + j) * 4;
          *reinterpret_cast<float2*>(to) = make_float2(sums[first], sums[first + 1]);
          *reinterpret_cast<float2*>(to + 8 * 36) = make_float2(sums[first + 2], sums[first + 3]);
        }
      }
      __syncwarp();
      wm_gemm_put_strip(problem, strip, place.batch, place.row * kRows + member * 64u + warp * 16u,
                        rows, place.column * kColumns + part * 32u, columns);
      __syncwarp();
    }
  }
}
