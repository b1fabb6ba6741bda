#pragma once
/// \file
/// The memory of one block: buffers of the kernel, whose first contents are drawn by their places,
/// shared arrays and arrays of single threads. Finds what races and what is read before it is
/// written.

#include "agents/builtin/untiling/field_value.h"
#include "agents/builtin/untiling/lane_vector.h"

#include <map>
#include <string>
#include <unordered_map>
#include <utility>

namespace warpmind::agents::builtin {

/// What a block wrote: buffer and element.
using BlockStores = std::map<std::pair<std::string, std::int64_t>, FieldValue>;

class LaneMemory {
 public:
  explicit LaneMemory(std::size_t lanes) : lanes_(lanes) {}

  /// A buffer of the kernel; the same name is the same buffer. All return the address.
  std::int64_t global(const std::string& name, const LaneType& element, std::int64_t extent);
  /// `element.bytes` of 1: of whatever is stored first.
  std::int64_t shared(const std::string& name, const LaneType& element, std::int64_t extent);
  std::int64_t of_threads(const std::string& name, const LaneType& element, std::int64_t extent);

  [[nodiscard]] LaneVector load(const LaneVector& pointer, const LaneMask& active);
  void store(const LaneVector& pointer, const LaneVector& value, const LaneMask& active);
  /// Threads have met: what they wrote may be read.
  void meet() { ++epoch_; }

  [[nodiscard]] BlockStores stores() const;
  /// Why the run means nothing, or empty.
  [[nodiscard]] const std::string& refusal() const { return refusal_; }

 private:
  enum class Space : std::uint8_t { global, shared, thread };
  /// Threads are numbered from 0.
  static constexpr std::int64_t kNobody = -1;
  static constexpr std::int64_t kSeveral = -2;
  struct Cell {
    std::int64_t value = 0;
    LaneType type = {};
    std::int64_t writer = kNobody;
    std::int64_t reader = kNobody;
    std::uint32_t written = 0;  ///< epoch
    std::uint32_t read = 0;
  };
  struct Buffer {
    Space space = Space::global;
    std::string name;
    LaneType element;
    std::int64_t extent = 0;  ///< in elements
    std::vector<Cell> cells;  ///< of shared arrays and those of threads, all of them
    std::unordered_map<std::int64_t, Cell> touched;  ///< of buffers of the kernel
  };

  void refuse(std::string why);
  std::int64_t add(Buffer buffer);
  /// The buffer, and the element that the pointer points to; nullptr: none.
  Buffer* behind(const LaneVector& pointer, std::size_t lane, std::int64_t& element);
  Cell* cell_of(Buffer& buffer, std::int64_t element, std::size_t lane);
  void load_one(Buffer& buffer, std::int64_t element, std::size_t lane, LaneVector& to,
                std::size_t place);
  void store_one(Buffer& buffer, std::int64_t element, std::size_t lane, std::int64_t value,
                 const LaneType& type);

  std::size_t lanes_;
  std::vector<Buffer> buffers_;
  std::uint32_t epoch_ = 1;
  std::string refusal_;
};

}  // namespace warpmind::agents::builtin
