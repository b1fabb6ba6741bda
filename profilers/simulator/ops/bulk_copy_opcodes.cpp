#include "profilers/simulator/ops/bulk_copy_opcodes.h"

#include "profilers/simulator/checks/async_copies.h"
#include "profilers/simulator/memory/access.h"
#include "profilers/simulator/memory/shared_access.h"
#include "profilers/simulator/ops/memory_modifiers.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::simulator {
namespace {

// cp.async.bulk between global and the block's own shared memory. Source: PTX ISA 9.0, 9.7.9.25.4.
// Copies to shared memory arrive when somebody waits for their mbarrier (AsyncCopies). Copies to
// global memory are done when they are issued: a source that is overwritten before wait_group is
// not seen.

/// Sizes and addresses are multiples of it.
constexpr std::uint32_t kUnit = 16;
constexpr std::uint32_t kBarrierBytes = 8;

/// Instruction::option2.
constexpr std::uint16_t kToShared = 0;
constexpr std::uint16_t kToGlobal = 1;

enum class Place : std::uint32_t { destination, source, barrier };

/// Instruction::list has a register and an offset for each place; bit i of Instruction::option says
/// that register i has 4 bytes.
std::uint64_t address_of(Warp& warp, const Instruction& instruction, Place place, int lane) {
  const auto& slots = warp.program().slots;
  const auto number = static_cast<std::uint32_t>(place);
  const Slot base = slots[instruction.list + std::size_t{2} * number];
  const Slot offset = slots[instruction.list + std::size_t{2} * number + 1];
  const bool is_short = (instruction.option >> number & 1U) != 0;
  const std::uint64_t address =
      is_short ? lanes<std::uint32_t>(warp, base)[lane] : lanes<std::uint64_t>(warp, base)[lane];
  return address + lanes<std::uint64_t>(warp, offset)[lane];
}

std::uint64_t in_shared(std::uint64_t address) {
  return address - kSharedWindow < kWindowBytes ? address - kSharedWindow : address;
}

/// Reads one unit for one lane. False after a fault.
bool read_unit(Warp& warp, const Instruction& instruction, int lane, std::uint64_t from,
               std::byte* unit) {
  Access source{warp, instruction, Mask{1} << lane, kUnit};
  source.addresses[static_cast<std::size_t>(lane)] = from;
  source.is_counted = false;
  Pointers at;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled for the lane
  instruction.option2 == kToShared ? read_global(source, at) : read_shared(source, at);
  if (source.active == 0) return false;
  std::memcpy(unit, at[static_cast<std::size_t>(lane)], kUnit);
  return true;
}

/// Writes one unit of one lane to global memory, or claims its place in shared memory.
bool write_unit(Warp& warp, const Instruction& instruction, int lane, std::uint64_t to,
                const std::byte* unit) {
  const auto i = static_cast<std::size_t>(lane);
  Access target{warp, instruction, Mask{1} << lane, kUnit, true};
  target.addresses[i] = to;
  target.is_counted = false;
  if (instruction.option2 == kToShared) {
    claim_shared(target);
    return target.active != 0;
  }
  std::array<std::byte, std::size_t{kUnit} * kLanes> values{};
  std::memcpy(values.data() + i * kUnit, unit, kUnit);
  write_global(target, values.data());
  return target.active != 0;
}

/// The offset of the lane's mbarrier; nullopt after a fault.
std::optional<std::uint32_t> mbarrier_of(Warp& warp, const Instruction& instruction, int lane) {
  const auto i = static_cast<std::size_t>(lane);
  Access access{warp, instruction, Mask{1} << lane, kBarrierBytes, true, true};
  access.is_counted = false;
  access.is_mbarrier = true;
  access.addresses[i] = in_shared(address_of(warp, instruction, Place::barrier, lane));
  Pointers at;  // NOLINT(cppcoreguidelines-pro-type-member-init): not looked at
  update_shared(access, at);
  if (access.active == 0) return std::nullopt;
  return static_cast<std::uint32_t>(access.addresses[i]);
}

void bulk_copy(Warp& warp, const Instruction& instruction, Mask active) {
  const bool to_shared = instruction.option2 == kToShared;
  for_lanes(active, [&](int lane) {
    std::uint64_t to = address_of(warp, instruction, Place::destination, lane);
    std::uint64_t from = address_of(warp, instruction, Place::source, lane);
    std::uint64_t& shared = to_shared ? to : from;
    shared = in_shared(shared);
    const std::uint32_t bytes = lanes<std::uint32_t>(warp, instruction.c)[lane];
    std::vector<std::byte> values(std::size_t{bytes + kUnit - 1} / kUnit * kUnit);
    for (std::uint32_t done = 0; done < bytes; done += kUnit) {
      std::byte* const unit = values.data() + done;
      if (!read_unit(warp, instruction, lane, from + done, unit)) return;
      if (!write_unit(warp, instruction, lane, to + done, unit)) return;
    }
    if (!to_shared || bytes == 0) return;
    const auto mbarrier = mbarrier_of(warp, instruction, lane);
    if (!mbarrier) return;
    warp.block->async->issue_bulk(warp, lane, static_cast<std::uint32_t>(to), std::move(values),
                                  *mbarrier);
  });
}

void do_nothing(Warp& /*warp*/, const Instruction& /*instruction*/, Mask /*active*/) {}

void read_place(StatementReader& read, Place place, Space space) {
  Instruction address;
  DecodeContext& context = read.context();
  context.address(read.next(), space, address);
  if (address.address_bytes == 4) {
    read.out.option =
        static_cast<std::uint16_t>(read.out.option | 1U << static_cast<std::uint32_t>(place));
  }
  const std::uint32_t first =
      context.add_slot(address.address_bytes == 0 ? context.constant(0, 8) : address.a);
  (void)context.add_slot(context.constant(static_cast<std::uint64_t>(address.immediate), 8));
  if (place == Place::destination) read.out.list = first;
}

void decode_bulk_move(StatementReader& read) {
  Instruction& out = read.out;
  const bool to_shared = read.take("mbarrier::complete_tx::bytes");
  if (!to_shared && !read.take("bulk_group")) {
    read.fail("a bulk copy without mbarrier or bulk_group");
  }
  // One of the two spaces is global, the other shared.
  (void)read.take("global");
  (void)take_space(read);
  const bool has_policy = take_cache_hints(read);
  out.option2 = to_shared ? kToShared : kToGlobal;
  read_place(read, Place::destination, to_shared ? Space::shared : Space::global);
  read_place(read, Place::source, to_shared ? Space::global : Space::shared);
  out.c = read.source(4, "u32");
  if (to_shared) read_place(read, Place::barrier, Space::shared);
  skip_policy(read, has_policy);
  out.space = Space::global;
  out.is_store = !to_shared;
  out.access = read.context().new_access();
  out.handler = bulk_copy;
}

// Tensor maps and the copies of boxes that they describe. Source: PTX ISA 9.0, 5.5.8, 9.7.9.27 and
// 9.7.9.28. A map's 128 bytes are opaque to programs; here they hold the fields at offsets of ours,
// so only maps that the program makes itself (tensormap.replace) can be read. Fences between the
// making and the use of a map are not missed when they are not there.

constexpr std::uint32_t kMapBytes = 128;
constexpr std::size_t kMostDimensions = 5;

struct TensorMap {
  std::uint64_t address = 0;
  std::array<std::uint64_t, kMostDimensions - 1> strides{};  ///< bytes
  std::array<std::uint32_t, kMostDimensions> box{};
  std::array<std::uint32_t, kMostDimensions> extents{};
  std::array<std::uint32_t, kMostDimensions> element_strides{};
  std::uint32_t rank = 0;  ///< less one
  std::uint32_t type = 0;
  std::uint32_t interleave = 0;
  std::uint32_t swizzle = 0;
  std::uint32_t fill = 0;
};
static_assert(sizeof(TensorMap) <= kMapBytes);

struct MapField {
  std::string_view name;
  std::size_t offset;
  std::uint32_t bytes;
  std::uint64_t count;  ///< how many the ordinal tells apart
};
constexpr std::array<MapField, 10> kMapFields{{
    {"global_address", offsetof(TensorMap, address), 8, 1},
    {"global_stride", offsetof(TensorMap, strides), 8, kMostDimensions - 1},
    {"box_dim", offsetof(TensorMap, box), 4, kMostDimensions},
    {"global_dim", offsetof(TensorMap, extents), 4, kMostDimensions},
    {"element_stride", offsetof(TensorMap, element_strides), 4, kMostDimensions},
    {"rank", offsetof(TensorMap, rank), 4, 1},
    {"elemtype", offsetof(TensorMap, type), 4, 1},
    {"interleave_layout", offsetof(TensorMap, interleave), 4, 1},
    {"swizzle_mode", offsetof(TensorMap, swizzle), 4, 1},
    {"fill_mode", offsetof(TensorMap, fill), 4, 1},
}};

/// Writes a field of a map that is made in shared memory.
void replace_field(Warp& warp, const Instruction& instruction, Mask active) {
  Access access{warp, instruction, active, instruction.element_bytes, true};
  gather_addresses(warp, instruction, access.addresses);
  std::vector<std::byte> values(std::size_t{instruction.element_bytes} * kLanes);
  const std::size_t bytes = instruction.element_bytes;
  const std::byte* const from =
      bytes == 8 ? reinterpret_cast<const std::byte*>(lanes<std::uint64_t>(warp, instruction.b))
                 : reinterpret_cast<const std::byte*>(lanes<std::uint32_t>(warp, instruction.b));
  std::memcpy(values.data(), from, values.size());
  write_shared(access, values.data());
}

void decode_replace(StatementReader& read) {
  Instruction& out = read.out;
  (void)read.take("replace");
  if (!read.take("tile")) read.fail("a tensor map that is not tiled");
  const auto field = std::find_if(kMapFields.begin(), kMapFields.end(),
                                  [&](const MapField& one) { return read.take(one.name); });
  if (field == kMapFields.end()) {
    read.fail("a field of a tensor map that is not known");
    return;
  }
  if (!read.take("shared::cta")) read.fail("a tensor map made elsewhere than in shared memory");
  (void)read.take("b1024");
  (void)read.take(field->bytes == 8 ? "b64" : "b32");
  read.context().address(read.next(), Space::shared, out);
  const std::uint64_t ordinal = field->count > 1 ? read.literal() : 0;
  if (ordinal >= field->count) read.fail("a dimension that tensor maps do not have");
  out.immediate += static_cast<std::int64_t>(field->offset + ordinal * field->bytes);
  out.b = field->bytes == 8 ? read.source(8, "b64") : read.source(4, "u32");
  out.element_bytes = static_cast<std::uint8_t>(field->bytes);
  out.space = Space::shared;
  out.is_store = true;
  out.access = read.context().new_access();
  out.handler = replace_field;
  read.set_cost(Pipe::memory, 1);
}

/// Copies 128 bytes of shared to global memory, once for the warp.
void publish_map(Warp& warp, const Instruction& instruction, Mask active) {
  const int lane = std::countr_zero(active);
  const std::uint64_t to = address_of(warp, instruction, Place::destination, lane);
  const std::uint64_t from = in_shared(address_of(warp, instruction, Place::source, lane));
  for (std::uint32_t done = 0; done < kMapBytes; done += kUnit) {
    std::array<std::byte, kUnit> unit{};
    if (!read_unit(warp, instruction, lane, from + done, unit.data())) return;
    if (!write_unit(warp, instruction, lane, to + done, unit.data())) return;
  }
}

void decode_publish(StatementReader& read) {
  Instruction& out = read.out;
  for (const auto* one : {"cp_fenceproxy", "global", "shared::cta", "tensormap::generic", "release",
                          "gpu", "sync", "aligned"}) {
    if (!read.take(one)) read.fail("tensormap.cp_fenceproxy without ." + std::string(one));
  }
  read_place(read, Place::destination, Space::global);
  read_place(read, Place::source, Space::shared);
  if (read.literal() != kMapBytes) read.fail("a tensor map of another size");
  out.option2 = kToGlobal;
  out.space = Space::global;
  out.is_store = true;
  out.access = read.context().new_access();
  out.handler = publish_map;
  read.set_cost(Pipe::memory, 1);
}

/// Bytes of an element of a map's type; 0: not known.
std::uint32_t element_bytes_of(std::uint32_t type) {
  constexpr std::array<std::uint32_t, 13> kBytes{1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2, 4, 4};
  return type < kBytes.size() ? kBytes.at(type) : 0;
}

/// Why no copy can be made by the map, or empty.
std::string map_fault(const TensorMap& map, std::size_t dimensions) {
  if (map.rank + 1 != dimensions) return "a tensor map of another rank than the copy";
  if (map.interleave != 0 || element_bytes_of(map.type) == 0)
    return "a tensor map of no known form";
  if (map.address % kUnit != 0) return "a tensor map whose address is no multiple of 16";
  for (std::size_t i = 0; i < dimensions; ++i) {
    if (map.element_strides.at(i) != 1) return "a tensor map with strided elements";
    if (map.box.at(i) == 0 || map.box.at(i) > 256)
      return "a tensor map with a box of no known size";
    if (map.extents.at(i) == 0) return "a tensor map with an empty dimension";
    if (i > 0 && map.strides.at(i - 1) % kUnit != 0) {
      return "a tensor map whose strides are no multiples of 16";
    }
  }
  const std::uint32_t line = map.box[0] * element_bytes_of(map.type);
  if (line % kUnit != 0) return "a tensor map whose box is no multiple of 16 bytes across";
  if (map.swizzle > 3 || (map.swizzle > 0 && line > (16U << map.swizzle))) {
    return "a tensor map whose box is wider than its swizzle";
  }
  return {};
}

/// Position in shared memory of a byte of the box, at `linear` in order.
std::uint64_t swizzled(std::uint64_t at, std::uint32_t mode) {
  return mode == 0 ? at : at ^ ((at >> 7U & ((1U << mode) - 1)) << 4U);
}

/// One lane's box on its way.
class BoxCopy {
 public:
  BoxCopy(Warp& warp, const Instruction& instruction, int lane, const TensorMap& map)
      : warp_(warp), instruction_(instruction), lane_(lane), map_(map) {
    const auto& slots = warp.program().slots;
    for (std::size_t i = 0; i < instruction.elements; ++i) {
      const Slot slot = slots[instruction.list + kCoordinates + i];
      at_.at(i) = lanes<std::int32_t>(warp, slot)[lane];
    }
    element_ = element_bytes_of(map.type);
    line_ = map.box[0] * element_;
    lines_ = 1;
    for (std::size_t i = 1; i < instruction.elements; ++i) lines_ *= map.box.at(i);
  }

  /// After the places of barrier, destination and source.
  static constexpr std::uint32_t kCoordinates = 6;

  [[nodiscard]] std::uint32_t bytes() const { return line_ * lines_; }

  /// What lands at `to`; nullopt after a fault.
  std::optional<std::vector<std::byte>> read(std::uint64_t to) {
    std::vector<std::byte> values(bytes());
    for (std::uint32_t line = 0; line < lines_; ++line) {
      const auto from = line_address(line);
      for (std::uint32_t across = 0; across < line_; across += kUnit) {
        const std::uint64_t linear = to + std::uint64_t{line} * line_ + across;
        const std::uint64_t place = swizzled(linear, map_.swizzle);
        std::array<std::byte, kUnit> unit{};
        if (from && !read_part(*from, across, unit)) return std::nullopt;
        if (!write_unit(warp_, instruction_, lane_, place, unit.data())) return std::nullopt;
        std::memcpy(values.data() + (place - to), unit.data(), kUnit);
      }
    }
    return values;
  }

 private:
  /// Of the element with coordinate 0; nullopt: the line is outside of the tensor.
  [[nodiscard]] std::optional<std::uint64_t> line_address(std::uint32_t line) const {
    std::uint64_t address = map_.address;
    for (std::size_t i = 1; i < instruction_.elements; ++i) {
      const std::int64_t coordinate = at_.at(i) + std::int64_t{line % map_.box.at(i)};
      line /= map_.box.at(i);
      if (coordinate < 0 || coordinate >= std::int64_t{map_.extents.at(i)}) return std::nullopt;
      address += static_cast<std::uint64_t>(coordinate) * map_.strides.at(i - 1);
    }
    return address;
  }

  /// The elements of a unit that are there; the rest stays zero. False after a fault.
  bool read_part(std::uint64_t line, std::uint32_t across, std::array<std::byte, kUnit>& unit) {
    const std::int64_t first = at_[0] + std::int64_t{across / element_};
    const std::int64_t count = kUnit / element_;
    const std::int64_t extent = map_.extents[0];
    if (first >= 0 && first + count <= extent) {
      const std::uint64_t from = line + static_cast<std::uint64_t>(first) * element_;
      if (from % kUnit == 0) return read_unit(warp_, instruction_, lane_, from, unit.data());
    }
    for (std::int64_t i = std::max<std::int64_t>(0, -first); i < count && first + i < extent; ++i) {
      Access source{warp_, instruction_, Mask{1} << lane_, element_};
      source.addresses[static_cast<std::size_t>(lane_)] =
          line + static_cast<std::uint64_t>(first + i) * element_;
      source.is_counted = false;
      Pointers at;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled for the lane
      read_global(source, at);
      if (source.active == 0) return false;
      std::memcpy(unit.data() + i * element_, at[static_cast<std::size_t>(lane_)], element_);
    }
    return true;
  }

  Warp& warp_;
  const Instruction& instruction_;
  int lane_;
  const TensorMap& map_;
  std::array<std::int64_t, kMostDimensions> at_{};
  std::uint32_t element_ = 0;
  std::uint32_t line_ = 0;   ///< bytes
  std::uint32_t lines_ = 0;  ///< of the box
};

/// The map behind the lane's address; nullopt after a fault.
std::optional<TensorMap> read_map(Warp& warp, const Instruction& instruction, int lane) {
  const std::uint64_t from = address_of(warp, instruction, Place::source, lane);
  std::array<std::byte, kMapBytes> bytes{};
  for (std::uint32_t done = 0; done < kMapBytes; done += kUnit) {
    if (!read_unit(warp, instruction, lane, from + done, bytes.data() + done)) return std::nullopt;
  }
  TensorMap map;
  std::memcpy(&map, bytes.data(), sizeof map);
  if (const std::string fault = map_fault(map, instruction.elements); !fault.empty()) {
    stop_launch(warp, LaunchEnd::fault, "kernel " + warp.launch->program->name + ": " + fault);
    return std::nullopt;
  }
  return map;
}

void tensor_copy(Warp& warp, const Instruction& instruction, Mask active) {
  for_lanes(active, [&](int lane) {
    const auto map = read_map(warp, instruction, lane);
    if (!map) return;
    BoxCopy box(warp, instruction, lane, *map);
    const std::uint64_t to = in_shared(address_of(warp, instruction, Place::destination, lane));
    if (to % 128 != 0) {
      stop_launch(warp, LaunchEnd::fault,
                  "kernel " + warp.launch->program->name +
                      ": a copy of a tensor to an address that is no multiple of 128");
      return;
    }
    auto values = box.read(to);
    if (!values) return;
    const auto mbarrier = mbarrier_of(warp, instruction, lane);
    if (!mbarrier) return;
    warp.block->async->issue_bulk(warp, lane, static_cast<std::uint32_t>(to), std::move(*values),
                                  *mbarrier);
  });
}

void decode_tensor_copy(StatementReader& read) {
  Instruction& out = read.out;
  const int rank = read.take_one_of({"1d", "2d", "3d", "4d", "5d"});
  (void)read.take("tile");
  if (rank < 0 || !read.take("mbarrier::complete_tx::bytes")) {
    read.fail("a copy of a tensor that is not one of a tile to shared memory");
    return;
  }
  (void)read.take("global");
  (void)take_space(read);
  const bool has_policy = take_cache_hints(read);
  out.option2 = kToShared;
  out.elements = static_cast<std::uint8_t>(rank + 1);
  read_place(read, Place::destination, Space::shared);
  const ptx::Operand& tensor = read.peek();
  read_place(read, Place::source, Space::global);
  read_place(read, Place::barrier, Space::shared);
  if (tensor.elements.size() != out.elements) {
    read.fail("a copy of a tensor with another number of coordinates");
    return;
  }
  for (const ptx::Operand& coordinate : tensor.elements) {
    (void)read.context().add_slot(read.context().source(coordinate, 4, "s32"));
  }
  skip_policy(read, has_policy);
  out.space = Space::global;
  out.access = read.context().new_access();
  out.handler = tensor_copy;
}

}  // namespace

void decode_bulk_copy(StatementReader& read) {
  read.set_cost(Pipe::memory, 1);
  if (read.take("commit_group")) {
    read.out.handler = do_nothing;
  } else if (read.take("wait_group")) {
    (void)read.take("read");
    (void)read.literal();
    read.out.handler = do_nothing;
  } else if (read.take("prefetch")) {
    (void)read.take("L2");
    (void)take_space(read);
    const bool has_policy = take_cache_hints(read);
    Instruction ignored;
    read.context().address(read.next(), Space::global, ignored);
    (void)read.source(4, "u32");
    skip_policy(read, has_policy);
    read.out.handler = do_nothing;
  } else if (read.take("tensor")) {
    decode_tensor_copy(read);
  } else {
    decode_bulk_move(read);
  }
}

std::span<const OpcodeEntry> tensor_map_opcodes() {
  static constexpr std::array table = {
      OpcodeEntry{"tensormap.replace", TypeClass::any, decode_with<decode_replace>},
      OpcodeEntry{"tensormap.cp_fenceproxy", TypeClass::any, decode_with<decode_publish>},
  };
  return table;
}

}  // namespace warpmind::simulator
