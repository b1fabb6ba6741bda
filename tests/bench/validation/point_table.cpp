#include "tests/bench/validation/point_table.h"

#include "base/file.h"
#include "config/toml_table_reader.h"

#include <algorithm>

namespace warpmind::validation {
namespace {

using config::TableReader;
using config::TomlValue;

constexpr std::size_t kTableLimitBytes = std::size_t{1} << 20U;
constexpr std::int64_t kMostElements = std::int64_t{1} << 28U;

struct NamedSizes {
  std::string name;
  Sizes sizes;
};

/// What the variants of a family share.
struct Family {
  std::string name;
  std::vector<std::string> arguments;
  std::vector<NamedSizes> sizes;
  std::vector<TableReader> buffers;
};

/// The integers of a table; `skip` is a key that holds something else.
Result<Sizes> integers_of(const TableReader& table, const TomlValue& value, std::string_view skip) {
  Sizes out;
  const auto* entries = value.get<TomlValue::Table>();
  if (entries == nullptr) return table.error_at(value.place, "expected a table of integers");
  for (const auto& entry : *entries) {
    if (entry.key == skip) continue;
    const auto* number = entry.value.get<std::int64_t>();
    if (number == nullptr) {
      return table.error_at(entry.place, "'" + entry.key + "' must be an integer");
    }
    out.emplace(entry.key, *number);
  }
  return out;
}

Result<void> read_extents(const TableReader& table, std::string_view key,
                          std::array<std::string, 3>& out) {
  WARPMIND_TRY(const auto extents, table.expressions_or_empty(key));
  if (extents.empty() || extents.size() > out.size()) {
    return table.error_at_key(key, "'" + std::string(key) + "' needs one to three extents");
  }
  std::copy(extents.begin(), extents.end(), out.begin());
  return {};
}

template <NamedEnum E>
Result<E> named(const TableReader& table, std::string_view key) {
  WARPMIND_TRY(const std::string text, table.text(key, "one of " + all_names_of<E>()));
  if (const auto value = parse_enum<E>(text)) return *value;
  return table.error_at_key(key, "'" + text + "' is none of " + all_names_of<E>());
}

Result<Buffer> read_buffer(const TableReader& table, const Sizes& names) {
  WARPMIND_CHECK(table.allow_only({"name", "dtype", "elements", "fill", "limit", "output"}));
  Buffer out;
  WARPMIND_TRY(out.name, table.text("name", "name = \"x\""));
  WARPMIND_TRY(out.dtype, named<Dtype>(table, "dtype"));
  if (out.dtype != Dtype::f16 && out.dtype != Dtype::f32 && out.dtype != Dtype::u32) {
    return table.error_at_key("dtype", "buffers here are f16, f32 or u32");
  }
  WARPMIND_TRY(out.fill, named<Fill>(table, "fill"));
  const bool integers = out.fill == Fill::below || out.fill == Fill::cycle;
  if (out.fill != Fill::zero && integers != (out.dtype == Dtype::u32)) {
    return table.error_at_key("fill", "uniform fills f16 and f32; below and cycle fill u32");
  }
  WARPMIND_TRY(const std::string elements, table.expression("elements", "elements = \"n\""));
  WARPMIND_TRY(out.elements, evaluate_positive(elements, names, kMostElements));
  if (out.fill == Fill::cycle && (out.elements & (out.elements - 1)) != 0) {
    return table.error_at_key("elements", "a cycle needs a power of two");
  }
  if (out.fill == Fill::below) {
    WARPMIND_TRY(const std::string limit, table.expression("limit", "limit = \"bins\""));
    WARPMIND_TRY(out.limit, evaluate_positive(limit, names, std::int64_t{1} << 32U));
  }
  WARPMIND_TRY(out.output, table.boolean_or("output", false));
  return out;
}

Result<Family> read_family(const TableReader& table) {
  WARPMIND_CHECK(table.allow_only({"name", "arguments", "size", "buffer", "variant"}));
  Family out;
  WARPMIND_TRY(out.name, table.text("name", "name = \"softmax_f16\""));
  WARPMIND_TRY(out.arguments, table.texts_or_empty("arguments"));
  WARPMIND_TRY(out.buffers, table.tables("buffer", "buffer = [ { name = \"x\", … } ]"));
  WARPMIND_TRY(const auto sizes, table.tables("size", "size = [ { name = \"tiny\", n = 4 } ]"));
  for (const TableReader& size : sizes) {
    NamedSizes each;
    WARPMIND_TRY(each.name, size.text("name", "name = \"tiny\""));
    const TomlValue* const whole = table.find("size");
    WARPMIND_TRY(each.sizes,
                 integers_of(size, (*whole->get<TomlValue::Array>())[out.sizes.size()], "name"));
    out.sizes.push_back(std::move(each));
  }
  return out;
}

/// The variant as a point without a size.
Result<Point> read_variant(const TableReader& table, const Family& family) {
  WARPMIND_CHECK(table.allow_only(
      {"name", "group", "file", "kernel", "constants", "grid", "block", "shared_bytes", "sizes"}));
  Point out;
  out.family = family.name;
  WARPMIND_TRY(const std::string name, table.text("name", "name = \"naive\""));
  out.id = family.name + "/" + name;
  WARPMIND_TRY(out.group, table.text_or("group", family.name));
  WARPMIND_TRY(out.file, table.text("file", "file = \"softmax_warp\""));
  WARPMIND_TRY(out.kernel, table.text("kernel", "kernel = \"softmax\""));
  if (const TomlValue* const constants = table.find("constants")) {
    WARPMIND_TRY(out.plan.constants, integers_of(table, *constants, ""));
  }
  Launch launch;
  launch.kernel = out.kernel;
  launch.arguments = family.arguments;
  WARPMIND_CHECK(read_extents(table, "grid", launch.grid));
  WARPMIND_CHECK(read_extents(table, "block", launch.block));
  if (table.find("shared_bytes") != nullptr) {
    WARPMIND_TRY(launch.shared_bytes, table.expression("shared_bytes", ""));
  }
  out.plan.launches.push_back(std::move(launch));
  out.build = out.file;
  for (const auto& [key, value] : out.plan.constants) {
    out.build += "-" + key + "_" + std::to_string(value);
  }
  return out;
}

Result<Point> at_size(Point point, const NamedSizes& size, const Family& family) {
  point.id += "/" + size.name;
  point.size = size.name;
  point.sizes = size.sizes;
  auto launch = evaluate_launch(point.plan.launches.front(), point.plan, point.sizes);
  if (!launch) return fail(std::move(launch).error().while_doing(point.id));
  point.launch = *launch;
  WARPMIND_TRY(const Sizes names, names_of(point.plan, point.sizes));
  for (const TableReader& buffer : family.buffers) {
    auto each = read_buffer(buffer, names);
    if (!each) return fail(std::move(each).error().while_doing(point.id));
    point.buffers.push_back(std::move(*each));
  }
  for (const std::string& argument : point.plan.launches.front().arguments) {
    if (!is_scalar_argument(argument) && buffer_of_argument(point, argument) < 0) {
      return fail(Errc::invalid_argument, point.id + ": no buffer is called " + argument);
    }
  }
  return point;
}

Result<void> read_points_of(const TableReader& table, std::vector<Point>& points) {
  WARPMIND_TRY(const Family family, read_family(table));
  WARPMIND_TRY(const auto variants, table.tables("variant", "variant = [ { name = \"naive\" } ]"));
  for (const TableReader& variant : variants) {
    WARPMIND_TRY(const Point point, read_variant(variant, family));
    WARPMIND_TRY(const auto chosen, variant.texts_or_empty("sizes"));
    std::size_t taken = 0;
    for (const NamedSizes& size : family.sizes) {
      const bool wanted = std::find(chosen.begin(), chosen.end(), size.name) != chosen.end();
      if (!chosen.empty() && !wanted) continue;
      WARPMIND_TRY(Point each, at_size(point, size, family));
      points.push_back(std::move(each));
      ++taken;
    }
    if (taken == 0 || (!chosen.empty() && taken != chosen.size())) {
      return variant.error_at_key("sizes", point.id + " names a size that the family lacks");
    }
  }
  return {};
}

}  // namespace

Result<std::vector<Point>> read_points(const std::filesystem::path& file) {
  WARPMIND_TRY(const std::string text, read_file(file, kTableLimitBytes));
  WARPMIND_TRY(const TomlValue document, config::parse_toml(text, file.string()));
  WARPMIND_TRY(const TableReader root, TableReader::open(file.string(), "the table", document));
  WARPMIND_CHECK(root.allow_only({"family"}));
  WARPMIND_TRY(const auto families, root.tables("family", "[[family]]"));
  std::vector<Point> points;
  for (const TableReader& family : families) WARPMIND_CHECK(read_points_of(family, points));
  // The points of one family and size stand together, so that their buffers are filled once.
  std::stable_sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
    return a.family != b.family ? a.family < b.family : a.size < b.size;
  });
  return points;
}

int buffer_of_argument(const Point& point, const std::string& argument) {
  const auto found = std::find_if(point.buffers.begin(), point.buffers.end(),
                                  [&](const Buffer& buffer) { return buffer.name == argument; });
  return found == point.buffers.end() ? -1 : static_cast<int>(found - point.buffers.begin());
}

std::int64_t bytes_of_buffers(const Point& point) {
  std::int64_t bytes = 0;
  for (const Buffer& buffer : point.buffers) {
    bytes += buffer.elements * static_cast<std::int64_t>(size_in_bytes(buffer.dtype));
  }
  return bytes;
}

}  // namespace warpmind::validation
