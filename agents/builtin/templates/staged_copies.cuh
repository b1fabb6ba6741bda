// Tiles of operands on their way to shared memory beside the arithmetic (cp.async, from sm_80 on).
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <string.h>

__device__ __forceinline__ unsigned wm_shared_address(const void* at) {
  return static_cast<unsigned>(__cvta_generic_to_shared(at));
}

// Sixteen bytes, or sixteen zeros. A copy is never filled in part: memory checkers count one as a
// read of all sixteen.
__device__ __forceinline__ void wm_copy_unit(unsigned to, const void* from, bool is_there) {
  const unsigned bytes = is_there ? 16u : 0u;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void wm_commit_copies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
// Until at most kOpen groups of this thread's copies are under way.
template <int kOpen>
__device__ __forceinline__ void wm_wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kOpen) : "memory");
}

// A tile of one operand: kExtent rows (or columns) times kDepth terms. kAlongDepth: neighbouring
// terms are neighbours in memory, else neighbouring rows are; a line of the tile runs along them.
// Units of sixteen bytes stand in shared memory in panels of up to eight to a line, exchanged so
// that eight neighbouring lines have a unit each in other banks. kLinear: rows and terms are evenly
// spaced in memory, which is checked at the corners of the operand.
template <class Element, int kExtent, int kDepth, bool kAlongDepth, bool kLinear, int kThreads>
struct wm_staged_operand {
  static constexpr unsigned kPerUnit = 16 / sizeof(Element);
  static constexpr unsigned kLines = kAlongDepth ? kExtent : kDepth;
  static constexpr unsigned kLineUnits = (kAlongDepth ? kDepth : kExtent) / kPerUnit;
  static constexpr unsigned kPanelUnits = kLineUnits < 8 ? kLineUnits : 8;
  static constexpr unsigned kPanelBytes = kPanelUnits * 16;  // of a line
  // Eight numbers of 4 bytes across are read from four lines at once, so those skip a unit.
  static constexpr unsigned kExchangeTwo = sizeof(Element) == 4 && !kAlongDepth ? 1 : 0;
  static constexpr unsigned kUnits = kLines * kLineUnits;
  static constexpr unsigned kBytes = kUnits * 16;
  static constexpr unsigned kHeld = (kUnits + kThreads - 1) / kThreads;
  static constexpr unsigned kLineStep = kThreads / kLineUnits;

  unsigned line, unit;    // of this thread's first unit
  unsigned first, extent, depth;
  bool is_even;           // evenly spaced; this thread's units are aligned and whole or outside
  const Element* at;      // its first unit of the next tile
  long long line_stride;  // elements from a line of this thread to its next
  long long tile_stride;  // elements from a tile to the next

  // Byte in the tile.
  static __device__ __forceinline__ unsigned offset(unsigned line, unsigned unit) {
    const unsigned plain = (unit / kPanelUnits * kLines + line) * kPanelBytes + unit % kPanelUnits * 16;
    return plain ^ (((plain >> 7 << kExchangeTwo) & (kPanelUnits - 1)) << 4);
  }

  // Of the rows from `first_row` on, of `rows`; copy() then takes one tile of terms after another.
  template <class Source>
  __device__ __forceinline__ void start(const Source& source, unsigned first_row, unsigned rows,
                                        unsigned terms) {
    line = threadIdx.x / kLineUnits;
    unit = threadIdx.x % kLineUnits;
    first = first_row;
    extent = rows;
    depth = terms;
    is_even = false;
    if constexpr (kLinear) {
      const Element* const origin = source(0u, 0u);
      const long long row_stride = rows > 1u ? source(1u, 0u) - origin : 1ll;
      const long long term_stride = terms > 1u ? source(0u, 1u) - origin : 1ll;
      const long long across = kAlongDepth ? term_stride : row_stride;
      const long long down = kAlongDepth ? row_stride : term_stride;
      const unsigned row = first + (kAlongDepth ? line : unit * kPerUnit);
      const unsigned term = kAlongDepth ? unit * kPerUnit : line;
      at = origin + row * row_stride + term * term_stride;
      line_stride = down * kLineStep;
      tile_stride = term_stride * kDepth;
      const bool is_cut = !kAlongDepth && row < rows && rows - row < kPerUnit;
      is_even = !is_cut && across == 1 && rows > 0u && terms > 0u &&
                source(rows - 1u, terms - 1u) ==
                    origin + (rows - 1u) * row_stride + (terms - 1u) * term_stride &&
                source(rows - 1u, 0u) == origin + (rows - 1u) * row_stride &&
                (reinterpret_cast<size_t>(at) & 15u) == 0 &&
                (kLineStep % kPerUnit == 0 || line_stride % kPerUnit == 0);
    }
  }

  // Terms from `from` on to the tile at the shared address `tile`, whose generic one is `memory`.
  template <class Source>
  __device__ __forceinline__ void copy(const Source& source, unsigned tile, unsigned char* memory,
                                       unsigned from) {
    if (kLinear && is_even && from + kDepth <= depth) {
      const unsigned to = tile + offset(line, unit);
#pragma unroll
      for (unsigned i = 0; i < kHeld; ++i) {
        const unsigned mine = line + i * kLineStep;
        if (kUnits % kThreads != 0 && mine >= kLines) continue;
        // Eight lines on, units are exchanged in the same way.
        constexpr bool kSame = kLineStep * kPanelBytes % 1024 == 0;
        wm_copy_unit(kSame ? to + i * kLineStep * kPanelBytes : tile + offset(mine, unit),
                     at + i * line_stride,
                     first + (kAlongDepth ? mine : unit * kPerUnit) < extent);
      }
      at += tile_stride;
      return;
    }
#pragma unroll 1
    for (unsigned i = 0; i < kHeld; ++i) {
      const unsigned mine = line + i * kLineStep;
      if (kUnits % kThreads != 0 && mine >= kLines) break;
      copy_any(source, tile, memory, from, mine);
    }
  }

 private:
  // One unit, wherever its elements lie.
  template <class Source>
  __device__ __forceinline__ void copy_any(const Source& source, unsigned tile,
                                           unsigned char* memory, unsigned from, unsigned mine) {
    const unsigned row = first + (kAlongDepth ? mine : unit * kPerUnit);
    const unsigned term = from + (kAlongDepth ? unit * kPerUnit : mine);
    const unsigned to = offset(mine, unit);
    uint4 piece = make_uint4(0u, 0u, 0u, 0u);
    if (row < extent && term < depth) {
      const Element* const here = source(row, term);
      const unsigned left = min(kAlongDepth ? depth - term : extent - row, kPerUnit);
      if (left == kPerUnit && (reinterpret_cast<size_t>(here) & 15u) == 0) {
        wm_copy_unit(tile + to, here, true);
        return;
      }
      Element few[kPerUnit];
      memset(few, 0, sizeof(few));
#pragma unroll
      for (unsigned j = 0; j < kPerUnit; ++j) {
        if (j < left) few[j] = here[j];
      }
      memcpy(&piece, few, sizeof(piece));
    }
    *reinterpret_cast<uint4*>(memory + to) = piece;
  }
};
