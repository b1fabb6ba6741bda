// Convolutions with many channels on tensor cores: the elements that a box of columns meets lie in
// shared memory, once, channels side by side; each term is a shift of the box.

// For separable terms whose numbers are one of the tap plus one of the channel, where windows and
// what counts depend on taps alone. `term(tap, channel)`.
template <class From, class Term>
struct wm_taps {
  const From& from;
  const Term& term;
  unsigned channels;

  // As separable terms of the first channel, by tap.
  __device__ __forceinline__ auto left(unsigned row, unsigned tap) const {
    return from.left(row, term(tap, 0u));
  }
  __device__ __forceinline__ auto right(unsigned column, unsigned tap) const {
    return from.right(column, term(tap, 0u));
  }
  __device__ __forceinline__ bool live(unsigned tap) const { return from.live(term(tap, 0u)); }
  __device__ __forceinline__ void windows(unsigned column, unsigned tap, unsigned (&at)[3]) const {
    from.windows(column, term(tap, 0u), at);
  }
  decltype(From::left_base) left_base;
  decltype(From::right_base) right_base;
};
template <class From, class Term>
__device__ __forceinline__ wm_taps<From, Term> wm_taps_of(const From& from, const Term& term,
                                                          unsigned channels) {
  return {from, term, channels, from.left_base, from.right_base};
}

// Tile: wm_gathered, whose table then holds taps. kOctets: eight channels of a tap each, of which
// shared memory holds the rows' elements. kPatch: bytes for the columns' elements.
template <class Element, class Tile, int kRows, int kColumns, int kWide, int kOctets, int kPatch,
          int kWarpsDown, int kWarpsAcross>
struct wm_patched {
  static constexpr unsigned kThreads = kWarpsDown * kWarpsAcross * 32;
  static constexpr unsigned kTall = kColumns / kWide;
  static constexpr int kDown = kRows / kWarpsDown / 16;
  static constexpr int kAcross = kColumns / kWarpsAcross / 8;
  static constexpr unsigned kMostChannels = 256;
  static_assert(kThreads % kRows == 0, "a thread has one row");

  struct Memory {
    unsigned octets[kOctets + 1];       // byte of the tap's shift and the channels in the patch
    uint2 channels[kMostChannels];      // where they lie, of rows' and columns' operand
    alignas(16) Element rows[kOctets * kRows * 8];
    alignas(16) unsigned char patch[kPatch];
  };

  Tile& tile;
  Memory& memory;
  unsigned octets = 0, each = 0;  // all, of a tap
  unsigned pitch = 0;             // bytes of a cell
  unsigned cells = 0;
  unsigned sizes[3];    // of the patch
  int steps[3];         // elements from a cell to the next
  int firsts[3];        // position of the first cell, from that of the box's first column
  int wide_step[3], tall_step[3];  // cells from a column to the next

  // False where the table, the patch or the spacing does not fit.
  template <class Taps>
  __device__ __forceinline__ bool start(const Taps& taps, unsigned extent_0, unsigned extent_1,
                                        bool all_taps) {
    each = (taps.channels + 7u) / 8u;
    octets = tile.count * each;
    pitch = (each | 1u) * 16u;
    if (!all_taps || tile.count == 0 || taps.channels > kMostChannels || octets > kOctets) {
      return false;
    }
    unsigned origin[3] = {0u, 0u, 0u};
    unsigned right[3] = {0u, 0u, 0u};
    unsigned above[3] = {0u, 0u, 0u};
    taps.windows(0u, tile.first_term, origin);
    taps.windows(extent_0 > 1u ? 1u : 0u, tile.first_term, right);
    taps.windows(extent_1 > 1u ? extent_0 : 0u, tile.first_term, above);
    const unsigned first = Tile::right_place(taps, 0u, tile.first_term);
    const int right_by =
        static_cast<int>(Tile::right_place(taps, extent_0 > 1u ? 1u : 0u, tile.first_term) - first);
    const int above_by = static_cast<int>(
        Tile::right_place(taps, extent_1 > 1u ? extent_0 : 0u, tile.first_term) - first);
    bool fits = true;
    cells = 1;
    int moved_right = 0, moved_above = 0;
#pragma unroll
    for (int w = 0; w < 3; ++w) {
      wide_step[w] = static_cast<int>(right[w] - origin[w]);
      tall_step[w] = static_cast<int>(above[w] - origin[w]);
      moved_right += wide_step[w] != 0;
      moved_above += tall_step[w] != 0;
      fits = fits && (wide_step[w] == 0 || tall_step[w] == 0) && wide_step[w] >= 0 && tall_step[w] >= 0;
      int least = 0, most = 0;
      spread_of(w, least, most);
      firsts[w] = least;
      const unsigned span = static_cast<unsigned>(most - least) + wide_step[w] * (kWide - 1u) +
                            tall_step[w] * (kTall - 1u) + 1u;
      sizes[w] = span;
      fits = fits && span <= kPatch && cells * span <= kPatch;
      if (fits) cells *= span;
      steps[w] = 0;
      if (wide_step[w] != 0) {
        steps[w] = right_by / wide_step[w];
        fits = fits && steps[w] * wide_step[w] == right_by;
      } else if (tall_step[w] != 0) {
        steps[w] = above_by / tall_step[w];
        fits = fits && steps[w] * tall_step[w] == above_by;
      } else if (most != least) {
        fits = fits && find_step(w);
      }
    }
    fits = fits && moved_right <= 1 && moved_above <= 1 && (moved_right == 1 || right_by == 0) &&
           (moved_above == 1 || above_by == 0) && cells * pitch <= static_cast<unsigned>(kPatch);
    return fits && are_taps_even();
  }

  template <class Taps>
  __device__ __forceinline__ void fill_tables(const Taps& taps) {
    const unsigned left = Tile::left_place(taps, 0u, tile.first_term);
    const unsigned right = Tile::right_place(taps, 0u, tile.first_term);
    for (unsigned c = threadIdx.x; c < each * 8u; c += kThreads) {
      if (c >= taps.channels) continue;
      const unsigned term = taps.term(tile.first_term, c);
      memory.channels[c] = make_uint2(Tile::left_place(taps.from, 0u, term) - left,
                                      Tile::right_place(taps.from, 0u, term) - right);
    }
    for (unsigned o = threadIdx.x; o < octets; o += kThreads) {
      const uint4 tap = tile.memory.right_terms[o / each];
      const unsigned cell = (tap.y - firsts[0]) + sizes[0] * ((tap.z - firsts[1]) + sizes[1] * (tap.w - firsts[2]));
      memory.octets[o] = cell * pitch + o % each * 16u;
    }
    if (threadIdx.x == 0) memory.octets[octets] = 0u;
    __syncthreads();
  }

  // The rows' elements of all terms.
  template <class Taps>
  __device__ __forceinline__ void fill_rows(const Taps& taps, unsigned first_row, unsigned rows) {
    const unsigned short* const base = reinterpret_cast<const unsigned short*>(taps.left_base);
    const unsigned row = threadIdx.x % kRows;
    const unsigned at = Tile::left_place(taps, min(first_row + row, rows - 1u), tile.first_term);
#pragma unroll 2
    for (unsigned o = threadIdx.x / kRows; o < octets; o += kThreads / kRows) {
      const unsigned tap = at + tile.memory.left_terms[o / each];
      const unsigned channel = o % each * 8u;
      unsigned short held[8];
#pragma unroll
      for (unsigned j = 0; j < 8; ++j) {
        held[j] = 0;
        if (channel + j < taps.channels) held[j] = __ldg(base + (tap + memory.channels[channel + j].x));
      }
      *reinterpret_cast<uint4*>(memory.rows + (o * kRows + row) * 8u) = Tile::packed(held);
    }
  }

  // What the columns of a box meet.
  template <class Taps>
  __device__ __forceinline__ void fill_patch(const Taps& taps, unsigned column) {
    const unsigned short* const base = reinterpret_cast<const unsigned short*>(taps.right_base);
    unsigned origin[3] = {0u, 0u, 0u};
    taps.windows(column, tile.first_term, origin);
    const unsigned at = Tile::right_place(taps, column, tile.first_term);
    const wm_divider by_cells(cells), by_0(sizes[0]), by_1(sizes[1]);
#pragma unroll 2
    for (unsigned u = threadIdx.x; u < cells * each; u += kThreads) {
      const unsigned octet = by_cells.quotient(u);
      const unsigned cell = u - octet * cells;
      const unsigned above = by_0.quotient(cell);
      const unsigned last = by_1.quotient(above);
      const int cell_0 = static_cast<int>(cell - above * sizes[0]) + firsts[0];
      const int cell_1 = static_cast<int>(above - last * sizes[1]) + firsts[1];
      const int cell_2 = static_cast<int>(last) + firsts[2];
      const bool is_in = origin[0] + cell_0 < taps.from.extents[0] &&
                         origin[1] + cell_1 < taps.from.extents[1] &&
                         origin[2] + cell_2 < taps.from.extents[2];
      const unsigned from = at + cell_0 * steps[0] + cell_1 * steps[1] + cell_2 * steps[2];
      unsigned short held[8];
#pragma unroll
      for (unsigned j = 0; j < 8; ++j) {
        held[j] = 0;
        if (is_in && octet * 8u + j < taps.channels) {
          held[j] = __ldg(base + (from + memory.channels[octet * 8u + j].y));
        }
      }
      *reinterpret_cast<uint4*>(memory.patch + cell * pitch + octet * 16u) = Tile::packed(held);
    }
  }

  __device__ __forceinline__ void multiply() {
    const unsigned lane = threadIdx.x % 32;
    const unsigned warp = threadIdx.x / 32;
    const unsigned left = wm_shared_address(memory.rows) +
                          (lane / 16 * kRows + warp / kWarpsAcross * kDown * 16 + lane % 16) * 16u;
    unsigned right[kAcross / 2];
#pragma unroll
    for (int j = 0; j < kAcross / 2; ++j) {
      const unsigned column = warp % kWarpsAcross * kAcross * 8 + j * 16 + lane / 16 * 8 + lane % 8;
      const unsigned x = column % kWide;
      const unsigned y = column / kWide;
      const unsigned cell = (x * wide_step[0] + y * tall_step[0]) +
                            sizes[0] * ((x * wide_step[1] + y * tall_step[1]) +
                                        sizes[1] * (x * wide_step[2] + y * tall_step[2]));
      right[j] = wm_shared_address(memory.patch) + cell * pitch;
    }
    const unsigned* const mine = memory.octets + lane / 8 % 2;
    const unsigned whole = octets / 2u;
#pragma unroll 4
    for (unsigned s = 0; s < whole; ++s) step(left + s * (2u * kRows * 16u), right, mine[s * 2u], true);
    if (octets % 2u != 0) step(left + whole * (2u * kRows * 16u), right, memory.octets[octets - 1u], false);
  }

 private:
  // `both`: of the two octets, or of the first alone.
  __device__ __forceinline__ void step(unsigned left, const unsigned (&right)[kAcross / 2],
                                       unsigned shift, bool both) {
    unsigned lefts[kDown][4];
    unsigned rights[kAcross / 2][4];
    const unsigned back = both || threadIdx.x % 32 < 16 ? 0u : kRows * 16u;
#pragma unroll
    for (int i = 0; i < kDown; ++i) wm_load_matrices<false>(lefts[i], left - back + i * 256);
#pragma unroll
    for (int j = 0; j < kAcross / 2; ++j) wm_load_matrices<false>(rights[j], right[j] + shift);
    if (!both) {
#pragma unroll
      for (int i = 0; i < kDown; ++i) lefts[i][2] = lefts[i][3] = 0u;
#pragma unroll
      for (int j = 0; j < kAcross / 2; ++j) rights[j][1] = rights[j][3] = 0u;
    }
#pragma unroll
    for (int i = 0; i < kDown; ++i) {
#pragma unroll
      for (int j = 0; j < kAcross; ++j) {
        wm_multiply_add(tile.sums[i][j], lefts[i], rights[j / 2][j % 2 * 2],
                        rights[j / 2][j % 2 * 2 + 1], Element());
      }
    }
  }

  static __device__ __forceinline__ int part(const uint4& tap, int w) {
    return static_cast<int>(w == 0 ? tap.y : w == 1 ? tap.z : tap.w);
  }
  // How far taps shift the position in window `w`.
  __device__ __forceinline__ void spread_of(int w, int& least, int& most) const {
    for (unsigned t = 0; t < tile.count; ++t) {
      const int by = part(tile.memory.right_terms[t], w);
      least = min(least, by);
      most = max(most, by);
    }
  }
  // Elements from a cell to the next along window `w`, from two taps that differ there alone.
  __device__ __forceinline__ bool find_step(int w) {
    const uint4 first = tile.memory.right_terms[0];
    for (unsigned t = 1; t < tile.count; ++t) {
      const uint4 tap = tile.memory.right_terms[t];
      const int by = part(tap, w) - part(first, w);
      if (by == 0 || part(tap, (w + 1) % 3) != part(first, (w + 1) % 3) ||
          part(tap, (w + 2) % 3) != part(first, (w + 2) % 3)) {
        continue;
      }
      const int elements = static_cast<int>(tap.x - first.x);
      steps[w] = elements / by;
      return steps[w] * by == elements;
    }
    return false;
  }
  // Whether the taps' elements lie where their positions say.
  __device__ __forceinline__ bool are_taps_even() const {
    bool even = true;
    for (unsigned t = 0; t < tile.count; ++t) {
      const uint4 tap = tile.memory.right_terms[t];
      const int at = part(tap, 0) * steps[0] + part(tap, 1) * steps[1] + part(tap, 2) * steps[2];
      even = even && static_cast<int>(tap.x) == at;
    }
    return even;
  }
};

// As wm_contract_gathered, which it is where the patch does not fit.
template <class Tile, class Patch, class From, class Taps, class Boxes, class Outputs>
__device__ __forceinline__ void wm_contract_patched(unsigned first_row, unsigned rows,
                                                    unsigned first_box, const Boxes& boxes,
                                                    unsigned depth, unsigned all_taps, const From& from,
                                                    const Taps& taps, const Outputs& outputs) {
  extern __shared__ uint4 wm_gathered_memory[];
  typename Tile::Memory& memory = *reinterpret_cast<typename Tile::Memory*>(wm_gathered_memory);
  Tile tile{memory};
  tile.find_first(taps, all_taps);
  unsigned next = 0;
  tile.fill(taps, all_taps, next);
  Patch patch{tile, *reinterpret_cast<typename Patch::Memory*>(memory.left_tiles)};
  if (!patch.start(taps, boxes.extent_0, boxes.extent_1, next >= all_taps)) {
    __syncthreads();
    wm_contract_gathered<Tile>(first_row, rows, first_box, boxes, depth, from, outputs);
    return;
  }
  tile.place_rows(outputs, first_row, rows);
  patch.fill_tables(taps);
  patch.fill_rows(taps, first_row, rows);
  const unsigned last = min(boxes.count(), first_box + Tile::kRepeats);
  for (unsigned box = first_box; box < last; ++box) {
    patch.fill_patch(taps, boxes.column(box, 0u));
    tile.clear();
    __syncthreads();
    patch.multiply();
    tile.put(outputs, boxes, first_row, rows, box);
    __syncthreads();
  }
}
