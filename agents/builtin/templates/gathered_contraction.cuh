// Sums of products on tensor cores whose elements lie apart: convolutions. Where an element lies is
// a number of the output plus a number of the term, and so is its position in each window that it
// must lie in; the numbers of the terms stand in a table, so that an element costs a few additions.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <string.h>

// As a position it lies in no window, whatever is added to it.
constexpr unsigned wm_outside = 0x60000000u;

template <class Element, class Left, class Right, class Live, class Exists, class Windows>
struct wm_separable {
  const Element* left_base;
  const Element* right_base;
  const Left& left;    // (row, term): its element
  const Right& right;  // (column, term): its element; in bounds where it lies in all windows
  const Live& live;    // (term): whether it counts for any output of this block
  const Exists& exists;    // (column): whether there is such an output
  const Windows& windows;  // (column, term, positions)
  unsigned extents[3];     // of the windows, at most 2^30
};
template <class Element, class Left, class Right, class Live, class Exists, class Windows>
__device__ __forceinline__ wm_separable<Element, Left, Right, Live, Exists, Windows>
wm_separable_terms(const Element* left_base, const Element* right_base, const Left& left,
                   const Right& right, const Live& live, const Exists& exists,
                   const Windows& windows, unsigned extent_0, unsigned extent_1,
                   unsigned extent_2) {
  return {left_base, right_base, left,   right,
          live,      exists,     windows, {extent_0, extent_1, extent_2}};
}

template <class Outputs>
constexpr bool wm_is_placed = false;
template <class Element, class Finish>
constexpr bool wm_is_placed<wm_placed_outputs<Element, Finish>> = true;

// Columns in boxes: kWide of the fastest axis by kTall of the next.
template <int kWide, int kTall>
struct wm_boxes {
  unsigned extent_0, extent_1;  // of those axes
  unsigned columns;
  wm_divider across, down;  // boxes along them

  __device__ __forceinline__ wm_boxes(unsigned first, unsigned second, unsigned all)
      : extent_0(first),
        extent_1(second),
        columns(all),
        across((first + kWide - 1u) / kWide),
        down((second + kTall - 1u) / kTall) {}
  __device__ __forceinline__ unsigned count() const {
    return across.divisor * down.divisor * (columns / (extent_0 * extent_1));
  }
  // The column in place `i` of a box; `columns` where there is none.
  __device__ __forceinline__ unsigned column(unsigned box, unsigned i) const {
    const unsigned above = across.quotient(box);
    const unsigned rest = down.quotient(above);
    const unsigned x = (box - above * across.divisor) * kWide + i % kWide;
    const unsigned y = (above - rest * down.divisor) * kTall + i / kWide;
    return x < extent_0 && y < extent_1 ? (rest * extent_1 + y) * extent_0 + x : columns;
  }
};

template <class Element, int kRows, int kColumns, int kRepeat, int kTerms, int kLeftTiles,
          int kWarpsDown, int kWarpsAcross, int kWindows, bool kAllLive>
struct wm_gathered {
  static constexpr int kDepth = 32;
  static constexpr unsigned kRepeats = kRepeat;
  static constexpr int kPitch = kDepth + 8;  // of a row of a tile: ldmatrix meets every bank once
  static constexpr int kWarps = kWarpsDown * kWarpsAcross;
  static constexpr int kThreads = kWarps * 32;
  static constexpr int kDown = kRows / kWarpsDown / 16;
  static constexpr int kAcross = kColumns / kWarpsAcross / 8;
  static constexpr int kGroups = kThreads / kColumns;
  static constexpr int kMine = kDepth / kGroups;  // terms of its column that a thread fetches
  static constexpr int kLeftAll = kRows * kDepth / 8;  // units of eight terms
  static constexpr int kLeftUnits = (kLeftAll + kThreads - 1) / kThreads;
  static constexpr int kStripPitch = kAcross * 8 + 8;
  static_assert(kTerms % kDepth == 0 && kTerms >= kThreads && kMine % 8 == 0, "whole rounds");
  static_assert(kLeftTiles >= 2, "two tiles take turns");
  static_assert(kAcross == 4 || kAcross == 8, "a row of a strip is half a warp or a warp of pairs");

  // Shared memory, the most aligned first.
  struct Memory {
    uint4 right_terms[kTerms];  // where the element lies, positions in three windows
    unsigned left_terms[kTerms];
    float strips[kWarps][8 * kStripPitch];
    int row_places[kRows];
    unsigned counts[kWarps];
    unsigned first_term;
    alignas(16) Element left_tiles[kLeftTiles][kRows * kPitch];
    Element right_tiles[2][kColumns * kPitch];
  };

  Memory& memory;
  unsigned first_term = 0;  // from which the table counts
  unsigned count = 0;       // terms in the table
  unsigned left_at[kLeftUnits];
  unsigned right_at = 0;
  unsigned positions[3];
  unsigned short right_held[kMine];
  unsigned short left_held[kLeftUnits][8];
  float sums[kDown][kAcross][4];

  template <class From>
  static __device__ __forceinline__ unsigned left_place(const From& from, unsigned row, unsigned term) {
    return static_cast<unsigned>(from.left(row, term) - from.left_base);
  }
  template <class From>
  static __device__ __forceinline__ unsigned right_place(const From& from, unsigned column,
                                                         unsigned term) {
    return static_cast<unsigned>(from.right(column, term) - from.right_base);
  }

  // The first term that counts, for all threads.
  template <class From>
  __device__ __forceinline__ void find_first(const From& from, unsigned depth) {
    if constexpr (!kAllLive) {
      if (threadIdx.x == 0) memory.first_term = depth;
      __syncthreads();
      for (unsigned base = 0; base < depth; base += kThreads) {
        const unsigned term = base + threadIdx.x;
        const bool counts = term < depth && from.live(term);
        if (counts) atomicMin(&memory.first_term, term);
        if (__syncthreads_or(counts)) break;
      }
      first_term = memory.first_term;
      __syncthreads();
    }
  }

  // Puts the terms from `next` on that count into the table, as many as fit; `next` moves on.
  template <class From>
  __device__ __forceinline__ void fill(const From& from, unsigned depth, unsigned& next) {
    const unsigned lane = threadIdx.x % 32;
    const unsigned warp = threadIdx.x / 32;
    unsigned origin[3] = {0u, 0u, 0u};
    from.windows(0u, first_term, origin);
    const unsigned left_origin = left_place(from, 0u, first_term);
    const unsigned right_origin = right_place(from, 0u, first_term);
    count = 0;
    while (next < depth && count + kThreads <= static_cast<unsigned>(kTerms)) {
      const unsigned term = next + threadIdx.x;
      const bool counts = term < depth && (kAllLive || from.live(term));
      unsigned to = count + threadIdx.x;
      unsigned all = min(depth - next, static_cast<unsigned>(kThreads));
      if constexpr (!kAllLive) {
        const unsigned voters = __ballot_sync(0xffffffffu, counts);
        if (lane == 0) memory.counts[warp] = __popc(voters);
        __syncthreads();
        to = count + __popc(voters & ((1u << lane) - 1u));
        all = 0;
        for (unsigned w = 0; w < kWarps; ++w) {
          if (w == warp) to += all;
          all += memory.counts[w];
        }
      }
      if (counts) {
        unsigned at[3] = {0u, 0u, 0u};
        from.windows(0u, term, at);
        memory.right_terms[to] = make_uint4(right_place(from, 0u, term) - right_origin,
                                            at[0] - origin[0], at[1] - origin[1], at[2] - origin[2]);
        memory.left_terms[to] = left_place(from, 0u, term) - left_origin;
      }
      count += all;
      next += kThreads;
      if constexpr (!kAllLive) __syncthreads();
    }
    const unsigned whole = (count + kDepth - 1u) / kDepth * kDepth;
    for (unsigned i = count + threadIdx.x; i < whole; i += kThreads) {
      memory.right_terms[i] = make_uint4(0u, wm_outside, 0u, 0u);
      memory.left_terms[i] = 0u;
    }
    __syncthreads();
  }

  template <class From>
  __device__ __forceinline__ void start_rows(const From& from, unsigned first_row, unsigned rows) {
#pragma unroll
    for (int i = 0; i < kLeftUnits; ++i) {
      const unsigned row = first_row + (i * kThreads + threadIdx.x) / (kDepth / 8);
      left_at[i] = left_place(from, min(row, rows - 1u), first_term);
    }
  }
  template <class From, class Boxes>
  __device__ __forceinline__ void start_columns(const From& from, const Boxes& boxes, unsigned box) {
    const unsigned column = boxes.column(box, threadIdx.x % kColumns);
    right_at = right_place(from, min(column, boxes.columns - 1u), first_term);
    positions[0] = positions[1] = positions[2] = 0u;
    from.windows(min(column, boxes.columns - 1u), first_term, positions);
    if (column >= boxes.columns || !from.exists(column)) positions[0] = wm_outside;
  }

  // Memory to registers: tile number `tile` of the table.
  template <class From>
  __device__ __forceinline__ void fetch_right(const From& from, unsigned tile) {
    const unsigned short* const base = reinterpret_cast<const unsigned short*>(from.right_base);
    const uint4* const terms = memory.right_terms + tile * kDepth + threadIdx.x / kColumns * kMine;
#pragma unroll
    for (int j = 0; j < kMine; ++j) {
      const uint4 term = terms[j];
      bool is_in = term.y + positions[0] < from.extents[0];
      if constexpr (kWindows > 1) is_in = is_in && term.z + positions[1] < from.extents[1];
      if constexpr (kWindows > 2) is_in = is_in && term.w + positions[2] < from.extents[2];
      right_held[j] = 0;
      if (is_in) right_held[j] = __ldg(base + (term.x + right_at));
    }
  }
  template <class From>
  __device__ __forceinline__ void fetch_left(const From& from, unsigned tile) {
    const unsigned short* const base = reinterpret_cast<const unsigned short*>(from.left_base);
#pragma unroll
    for (int i = 0; i < kLeftUnits; ++i) {
      const unsigned first = tile * kDepth + (i * kThreads + threadIdx.x) % (kDepth / 8) * 8;
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        left_held[i][j] = 0;
        if (first + j < count) left_held[i][j] = __ldg(base + (memory.left_terms[first + j] + left_at[i]));
      }
    }
  }
  static __device__ __forceinline__ uint4 packed(const unsigned short* eight) {
    return make_uint4(eight[0] | static_cast<unsigned>(eight[1]) << 16,
                      eight[2] | static_cast<unsigned>(eight[3]) << 16,
                      eight[4] | static_cast<unsigned>(eight[5]) << 16,
                      eight[6] | static_cast<unsigned>(eight[7]) << 16);
  }
  __device__ __forceinline__ void store_right(unsigned slot) {
    Element* const to = memory.right_tiles[slot] + threadIdx.x % kColumns * kPitch +
                        threadIdx.x / kColumns * kMine;
#pragma unroll
    for (int j = 0; j < kMine; j += 8) {
      *reinterpret_cast<uint4*>(to + j) = packed(right_held + j);
    }
  }
  __device__ __forceinline__ void store_left(unsigned slot) {
#pragma unroll
    for (int i = 0; i < kLeftUnits; ++i) {
      const unsigned unit = i * kThreads + threadIdx.x;
      if (kLeftAll % kThreads != 0 && unit >= kLeftAll) continue;
      *reinterpret_cast<uint4*>(memory.left_tiles[slot] + unit / (kDepth / 8) * kPitch +
                                unit % (kDepth / 8) * 8) = packed(left_held[i]);
    }
  }

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int i = 0; i < kDown; ++i) {
#pragma unroll
      for (int j = 0; j < kAcross; ++j) sums[i][j][0] = sums[i][j][1] = sums[i][j][2] = sums[i][j][3] = 0.0f;
    }
  }

  __device__ __forceinline__ void multiply(unsigned left_slot, unsigned right_slot) {
    const unsigned lane = threadIdx.x % 32;
    const unsigned warp = threadIdx.x / 32;
    const unsigned left = wm_shared_address(memory.left_tiles[left_slot]) +
                          ((warp / kWarpsAcross * kDown * 16 + lane % 16) * kPitch + lane / 16 * 8) * 2;
    const unsigned right =
        wm_shared_address(memory.right_tiles[right_slot]) +
        ((warp % kWarpsAcross * kAcross * 8 + lane / 16 * 8 + lane % 8) * kPitch + lane / 8 % 2 * 8) * 2;
#pragma unroll
    for (int k = 0; k < kDepth; k += 16) {
      unsigned lefts[kDown][4];
      unsigned rights[kAcross / 2][4];
#pragma unroll
      for (int i = 0; i < kDown; ++i) wm_load_matrices<false>(lefts[i], left + (i * 16 * kPitch + k) * 2);
#pragma unroll
      for (int j = 0; j < kAcross / 2; ++j) {
        wm_load_matrices<false>(rights[j], right + (j * 16 * kPitch + k) * 2);
      }
#pragma unroll
      for (int i = 0; i < kDown; ++i) {
#pragma unroll
        for (int j = 0; j < kAcross; ++j) {
          wm_multiply_add(sums[i][j], lefts[i], rights[j / 2][j % 2 * 2], rights[j / 2][j % 2 * 2 + 1],
                          Element());
        }
      }
    }
  }

  // Where the outputs of a row lie, from those of the first.
  template <class Outputs>
  __device__ __forceinline__ void place_rows(const Outputs& outputs, unsigned first_row, unsigned rows) {
    if constexpr (wm_is_placed<Outputs>) {
      for (unsigned r = threadIdx.x; r < kRows; r += kThreads) {
        const unsigned row = min(first_row + r, rows - 1u);
        memory.row_places[r] = static_cast<int>(outputs.place(row, 0u) - outputs.place(first_row, 0u));
      }
    }
  }

  // Eight rows of a warp at a time, so that a thread keeps its columns and a row is written whole.
  template <class Outputs, class Boxes>
  __device__ __forceinline__ void put(const Outputs& outputs, const Boxes& boxes, unsigned first_row,
                                      unsigned rows, unsigned box) {
    constexpr int kLanes = kAcross * 4;  // to a row
    const unsigned lane = threadIdx.x % 32;
    const unsigned warp = threadIdx.x / 32;
    float* const strip = memory.strips[warp];
    const unsigned mine = warp % kWarpsAcross * kAcross * 8 + lane % kLanes * 2;
    const unsigned column = boxes.column(box, mine);
    const unsigned beside = boxes.column(box, mine + 1u);
    const unsigned known_column = min(column, boxes.columns - 1u);
    const unsigned known_beside = min(beside, boxes.columns - 1u);
    typename Outputs::Value* at = nullptr;
    typename Outputs::Value* at_beside = nullptr;
    if constexpr (wm_is_placed<Outputs>) {
      if (column < boxes.columns) at = outputs.place(first_row, column);
      if (beside < boxes.columns) at_beside = outputs.place(first_row, beside);
    }
    const bool together = at != nullptr && at_beside == at + 1;
#pragma unroll
    for (int i = 0; i < kDown * 2; ++i) {
#pragma unroll
      for (int j = 0; j < kAcross; ++j) {
        *reinterpret_cast<float2*>(strip + lane / 4 * kStripPitch + j * 8 + lane % 4 * 2) =
            make_float2(sums[i / 2][j][i % 2 * 2], sums[i / 2][j][i % 2 * 2 + 1]);
      }
      __syncwarp();
      const unsigned first = warp / kWarpsAcross * kDown * 16 + i * 8 + lane / kLanes;
#pragma unroll
      for (unsigned r = 0; r < 8; r += 32 / kLanes) {
        const float2 two = *reinterpret_cast<const float2*>(
            strip + (r + lane / kLanes) * kStripPitch + lane % kLanes * 2);
        const unsigned row = first_row + first + r;
        if constexpr (wm_is_placed<Outputs>) {
          // Values of outputs that do not exist are computed, too: what depends on the column alone
          // is then computed once.
          const unsigned known = min(row, rows - 1u);
          const typename Outputs::Value values[2] = {outputs.value(known, known_column, two.x),
                                                     outputs.value(known, known_beside, two.y)};
          if (row < rows) put_pair(values, memory.row_places[first + r], at, at_beside, together);
        } else {
          outputs.template put<1>(row, rows, column, boxes.columns, &two.x);
          outputs.template put<1>(row, rows, beside, boxes.columns, &two.y);
        }
      }
      __syncwarp();
    }
  }
  template <class Value>
  static __device__ __forceinline__ void put_pair(const Value (&values)[2], int place, Value* at,
                                                  Value* at_beside, bool together) {
    constexpr int kWords = static_cast<int>(sizeof(values)) / 4;
    if (together && (reinterpret_cast<size_t>(at + place) & (sizeof(values) - 1)) == 0) {
      unsigned words[kWords];
      memcpy(words, values, sizeof(words));
      wm_store_words(at + place, words);
      return;
    }
    if (at != nullptr) at[place] = values[0];
    if (at_beside != nullptr) at_beside[place] = values[1];
  }

  // Tiles of the table for `repeats` boxes; the tails where `is_last`.
  template <class From, class Outputs, class Boxes>
  __device__ __forceinline__ void run(const From& from, const Outputs& outputs, const Boxes& boxes,
                                      unsigned first_row, unsigned rows, unsigned first_box,
                                      unsigned repeats, bool is_last) {
    const unsigned tiles = (count + kDepth - 1u) / kDepth;
    const unsigned all = max(tiles, 1u) * repeats;
    const bool is_kept = tiles <= static_cast<unsigned>(kLeftTiles);
    start_columns(from, boxes, first_box);
    if (tiles > 0) {
      fetch_left(from, 0u);
      fetch_right(from, 0u);
      store_left(0u);
      store_right(0u);
    }
    __syncthreads();
    unsigned tile = 0;
    unsigned box = first_box;
    for (unsigned i = 0; i < all; ++i) {
      const bool ends = tile + 1u >= tiles;
      const unsigned next = ends ? 0u : tile + 1u;
      const bool more = i + 1u < all && tiles > 0;
      const bool wants_left = more && (!is_kept || i + 1u < tiles);
      if (more) {
        if (ends) start_columns(from, boxes, box + 1u);
        fetch_right(from, next);
        if (wants_left) fetch_left(from, next);
      }
      if (tiles > 0) multiply(is_kept ? tile : i % 2u, i % 2u);
      if (ends && is_last) {
        put(outputs, boxes, first_row, rows, box);
        clear();
      }
      if (ends) ++box;
      if (more) {
        store_right((i + 1u) % 2u);
        if (wants_left) store_left(is_kept ? next : (i + 1u) % 2u);
      }
      __syncthreads();
      tile = next;
    }
  }
};

// The tail of every row and column of this block, which has kRows rows and kRepeat boxes of
// columns, with the sum of left(row, term) * right(column, term) over all terms that count.
template <class Tile, class From, class Boxes, class Outputs>
__device__ __forceinline__ void wm_contract_gathered(unsigned first_row, unsigned rows,
                                                     unsigned first_box, const Boxes& boxes,
                                                     unsigned depth, const From& from,
                                                     const Outputs& outputs) {
  extern __shared__ uint4 wm_gathered_memory[];
  Tile tile{*reinterpret_cast<typename Tile::Memory*>(wm_gathered_memory)};
  const unsigned repeats = min(boxes.count() - first_box, Tile::kRepeats);
  tile.clear();
  tile.find_first(from, depth);
  tile.start_rows(from, first_row, rows);
  tile.place_rows(outputs, first_row, rows);
  unsigned next = 0;
  tile.fill(from, depth, next);
  const bool is_whole = next >= depth;  // all terms in the table
  for (unsigned r = 0; r < (is_whole ? 1u : repeats); ++r) {
    if (r > 0) {
      next = 0;
      tile.fill(from, depth, next);
    }
    for (;;) {
      const bool is_last = next >= depth;
      tile.run(from, outputs, boxes, first_row, rows, first_box + r, is_whole ? repeats : 1u, is_last);
      if (is_last) break;
      tile.fill(from, depth, next);
    }
  }
}
