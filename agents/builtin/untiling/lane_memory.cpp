#include "agents/builtin/untiling/lane_memory.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

constexpr std::int64_t kMostCells = std::int64_t{1} << 20;

}  // namespace

void LaneMemory::refuse(std::string why) {
  if (refusal_.empty()) refusal_ = std::move(why);
}

std::int64_t LaneMemory::add(Buffer buffer) {
  buffers_.push_back(std::move(buffer));
  return static_cast<std::int64_t>(buffers_.size()) << Value::kBufferShift;
}

std::int64_t LaneMemory::global(const std::string& name, const LaneType& element,
                                std::int64_t extent) {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (buffers_[i].space == Space::global && buffers_[i].name == name) {
      return static_cast<std::int64_t>(i + 1) << Value::kBufferShift;
    }
  }
  return add({Space::global, name, element, extent, {}, {}});
}

std::int64_t LaneMemory::shared(const std::string& name, const LaneType& element,
                                std::int64_t extent) {
  if (extent <= 0 || extent > kMostCells) refuse("the size of '" + name + "' is not known");
  Buffer buffer{Space::shared, name, element, extent, {}, {}};
  buffer.cells.resize(static_cast<std::size_t>(std::clamp<std::int64_t>(extent, 0, kMostCells)));
  return add(std::move(buffer));
}

std::int64_t LaneMemory::of_threads(const std::string& name, const LaneType& element,
                                    std::int64_t extent) {
  const auto all = extent * static_cast<std::int64_t>(lanes_);
  if (extent <= 0 || extent > kMostCells || all > kMostCells) {
    refuse("the size of '" + name + "' is not known");
  }
  Buffer buffer{Space::thread, name, element, extent, {}, {}};
  buffer.cells.resize(static_cast<std::size_t>(std::clamp<std::int64_t>(all, 0, kMostCells)));
  return add(std::move(buffer));
}

LaneMemory::Buffer* LaneMemory::behind(const LaneVector& pointer, std::size_t lane,
                                       std::int64_t& element) {
  if (pointer.known[lane] == 0) {
    refuse("where a thread reads or writes hangs on data");
    return nullptr;
  }
  const std::int64_t at = pointer.at[lane];
  const std::int64_t number =
      (at + (std::int64_t{1} << (Value::kBufferShift - 1))) >> Value::kBufferShift;
  if (number < 1 || number > static_cast<std::int64_t>(buffers_.size())) {
    refuse("a pointer is none");
    return nullptr;
  }
  Buffer& buffer = buffers_[static_cast<std::size_t>(number - 1)];
  const std::int64_t bytes = at - (number << Value::kBufferShift);
  if (buffer.element.bytes == 1 && buffer.space == Space::shared && pointer.type.bytes != 1) {
    buffer.extent /= static_cast<std::int64_t>(pointer.type.bytes);
    buffer.element = pointer.type.element();
  }
  const auto size = static_cast<std::int64_t>(buffer.element.bytes);
  if (pointer.type.bytes != buffer.element.bytes || size == 0 || bytes % size != 0) {
    refuse("'" + buffer.name + "' is read as another type");
    return nullptr;
  }
  element = bytes / size;
  const auto count = static_cast<std::int64_t>(pointer.type.pack);
  if (element < 0 || element + count > buffer.extent) {
    refuse("a thread gets outside of '" + buffer.name + "'");
    return nullptr;
  }
  return &buffer;
}

LaneMemory::Cell* LaneMemory::cell_of(Buffer& buffer, std::int64_t element, std::size_t lane) {
  if (buffer.space == Space::global) return &buffer.touched[element];
  const std::int64_t first =
      buffer.space == Space::thread ? static_cast<std::int64_t>(lane) * buffer.extent : 0;
  return &buffer.cells[static_cast<std::size_t>(first + element)];
}

void LaneMemory::load_one(Buffer& buffer, std::int64_t element, std::size_t lane, LaneVector& to,
                          std::size_t place) {
  const auto self = static_cast<std::int64_t>(lane);
  Cell& cell = *cell_of(buffer, element, lane);
  std::int64_t value = cell.value;
  LaneType type = cell.type;
  if (buffer.space == Space::global) {
    if (cell.writer != kNobody && cell.writer != self) {
      return refuse("a thread reads from '" + buffer.name + "' what another wrote");
    }
    if (cell.writer == kNobody) {
      value =
          static_cast<std::int64_t>(field_image(buffer.name, {static_cast<FieldValue>(element)}));
      type = buffer.element;
      type.kind = LaneKind::data;
    }
    cell.reader = cell.reader == kNobody || cell.reader == self ? self : kSeveral;
  } else if (cell.writer == kNobody) {
    return refuse("'" + buffer.name + "' is read where nothing was written");
  } else if (buffer.space == Space::shared) {
    if (cell.written == epoch_ && cell.writer != self) {
      return refuse("'" + buffer.name + "' is read without a barrier behind its store");
    }
    cell.reader = cell.read != epoch_ || cell.reader == self ? self : kSeveral;
    cell.read = epoch_;
  }
  if (type.kind != to.type.kind && to.type.kind == LaneKind::number) to = as_data(to);
  if (type.kind != to.type.kind) value = static_cast<std::int64_t>(field_of(value));
  to.at[place] = value;
}

LaneVector LaneMemory::load(const LaneVector& pointer, const LaneMask& active) {
  LaneType type = pointer.type.element();
  if (type.is_floating) type.kind = LaneKind::data;
  LaneVector result(type, pointer.lanes());
  for (std::size_t lane = 0; lane < pointer.lanes() && refusal_.empty(); ++lane) {
    if (!active[lane]) continue;
    std::int64_t element = 0;
    Buffer* buffer = behind(pointer, lane, element);
    if (buffer == nullptr) break;
    for (std::uint32_t p = 0; p < type.pack; ++p) {
      load_one(*buffer, element + p, lane, result, lane * type.pack + p);
    }
    result.known[lane] = 1;
  }
  return result;
}

void LaneMemory::store_one(Buffer& buffer, std::int64_t element, std::size_t lane,
                           std::int64_t value, const LaneType& type) {
  const auto self = static_cast<std::int64_t>(lane);
  Cell& cell = *cell_of(buffer, element, lane);
  if (buffer.space == Space::shared) {
    const bool same = cell.value == value && cell.type.kind == type.kind;
    if (cell.written == epoch_ && cell.writer != self && !same) {
      return refuse("two threads write to one place of '" + buffer.name + "'");
    }
    if (cell.read == epoch_ && cell.reader != self && cell.reader != kNobody) {
      return refuse("'" + buffer.name + "' is written without a barrier behind its reads");
    }
  }
  if (buffer.space == Space::global) {
    const bool others = (cell.writer != kNobody && cell.writer != self) ||
                        (cell.reader != kNobody && cell.reader != self);
    if (others) return refuse("threads meet in '" + buffer.name + "'");
  }
  cell.value = value;
  cell.type = type;
  cell.writer = self;
  cell.written = epoch_;
}

void LaneMemory::store(const LaneVector& pointer, const LaneVector& value, const LaneMask& active) {
  for (std::size_t lane = 0; lane < pointer.lanes() && refusal_.empty(); ++lane) {
    if (!active[lane]) continue;
    std::int64_t element = 0;
    Buffer* buffer = behind(pointer, lane, element);
    if (buffer == nullptr) return;
    const std::uint32_t pack = value.type.pack;
    if (value.known[lane] == 0 || pack != pointer.type.pack) {
      return refuse("what is stored to '" + buffer->name + "' is not known");
    }
    for (std::uint32_t p = 0; p < pack; ++p) {
      store_one(*buffer, element + p, lane, value.at[lane * pack + p], value.type);
    }
  }
}

BlockStores LaneMemory::stores() const {
  BlockStores all;
  for (const Buffer& buffer : buffers_) {
    for (const auto& [element, cell] : buffer.touched) {
      if (cell.writer == kNobody) continue;
      const bool is_data = cell.type.kind == LaneKind::data;
      all[{buffer.name, element}] =
          is_data ? static_cast<FieldValue>(cell.value) : field_of(cell.value);
    }
  }
  return all;
}

}  // namespace warpmind::agents::builtin
